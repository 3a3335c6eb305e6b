package org.habitline.messaging.twilio;

import jakarta.inject.Singleton;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.habitline.messaging.outbox.DeliveryReports;

/**
 * Whether a call that was signed rightly is for this line: several lines may share a token, and a
 * webhook may be set at the wrong number. The account must be the one of the settings, and so must
 * the number that a text came to or a text left from. Which numbers belong to a Messaging Service,
 * and which RCS agents to the account, no setting says: there the account decides, unless the call
 * names another service. A text must not be lost because a number was added at Twilio. Twilio
 * always names account and number; a call that is signed and names none is nobody else's.
 */
@Singleton
final class Ours {

  private static final String WHATSAPP = "whatsapp:";
  static final String RCS = "rcs:";

  private final String account;
  private final Set<String> numbers = new HashSet<>();
  private final Optional<String> service;
  private final DeliveryReports reports;

  Ours(TwilioSettings settings, DeliveryReports reports) {
    this.account = settings.accountSid().strip();
    this.service = settings.messagingService();
    this.reports = reports;
    settings.smsSender().map(Ours::bare).ifPresent(numbers::add);
    settings.whatsappSender().map(Ours::bare).ifPresent(numbers::add);
  }

  /** Returns which parameter of a text that came says that it is not ours, or empty. */
  Optional<String> whyNotReceived(Form form) {
    return whyNot(form, "To", isOurs(form, "To"));
  }

  /**
   * The same of a report. One about a text that we know is ours, also if the sender was changed
   * since.
   */
  Optional<String> whyNotReported(Form form, String sid) {
    return whyNot(form, "From", isOurs(form, "From") || reports.knows(sid));
  }

  private Optional<String> whyNot(Form form, String name, boolean address) {
    if (form.value("AccountSid").filter(sid -> !sid.equals(account)).isPresent()) {
      return Optional.of("AccountSid");
    }
    return address ? Optional.empty() : Optional.of(name);
  }

  private boolean isOurs(Form form, String name) {
    var named = form.value("MessagingServiceSid");
    if (named.isPresent() && named.equals(service)) {
      return true;
    }
    var address = form.value(name).orElse("");
    return address.isEmpty()
        || numbers.contains(bare(address))
        || address.toLowerCase(Locale.ROOT).startsWith(RCS)
        || (service.isPresent() && named.isEmpty() && !address.startsWith(WHATSAPP));
  }

  private static String bare(String address) {
    return address
        .replaceFirst("^" + WHATSAPP, "")
        .replaceAll("[\\s()-]", "")
        .toLowerCase(Locale.ROOT);
  }
}
