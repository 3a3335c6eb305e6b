package org.habitline.messaging.twilio;

import jakarta.inject.Singleton;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.habitline.messaging.outbox.DeliveryReports;

/**
 * Checks whether a correctly signed call is for this installation: several installations may share
 * a token, and a webhook may be set on the wrong number. The account must match the settings, and
 * so must the number that a text came to or a message was sent from. No setting lists the numbers
 * of a Messaging Service or the RCS agents of the account; for these the account decides, unless
 * the call names another service, so that no text is lost because a number was added at Twilio.
 * Twilio always sends account and number; a signed call without them is accepted.
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

  /** Returns the parameter that shows that an incoming text is not ours, or empty if it is ours. */
  Optional<String> whyNotReceived(Form form) {
    return whyNot(form, "To", isOurs(form, "To"));
  }

  /**
   * Returns the parameter that shows that a report is not ours, or empty if it is ours. A report on
   * a message we know is ours, even if the sender was changed since.
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
