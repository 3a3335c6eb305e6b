package org.habitline.messaging.twilio;

import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.messaging.Inbox;
import org.habitline.messaging.IncomingText;
import org.habitline.messaging.Wish;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * One incoming message as Twilio describes it, read as a text: what a button says or what was
 * written, with media and a location described in brackets, because they must not be dropped.
 */
record WebhookForm(Form form, String raw) {

  private static final String WHATSAPP = "whatsapp:";
  private static final Pattern E164 = Pattern.compile("\\+[0-9]{8,15}");
  private static final int LONGEST_SENDER = 200;
  private static final int MOST_MEDIA = 20;
  private static final String CUT = " [cut]";

  /** Twilio's id of the message; without one it is no message. */
  Optional<String> sid() {
    return form.value("MessageSid").or(() -> form.value("SmsMessageSid"));
  }

  ChannelKind channel() {
    return sender().startsWith(WHATSAPP) || to().startsWith(WHATSAPP)
        ? ChannelKind.WHATSAPP
        : ChannelKind.SMS;
  }

  private String to() {
    return form.value("To").orElse("");
  }

  /** Who sent it: a number, or an id of WhatsApp that is none. */
  String sender() {
    var from = form.value("From").orElse("");
    return from.substring(0, Math.min(from.length(), LONGEST_SENDER));
  }

  Optional<PhoneNumber> phone() {
    var number = sender().replaceFirst("^" + WHATSAPP, "");
    return Optional.of(number).filter(it -> E164.matcher(it).matches()).map(PhoneNumber::new);
  }

  IncomingText text(String sid) {
    return new IncomingText(sid, sender(), phone().orElse(null), channel(), body(), told(), raw);
  }

  private String body() {
    var parts = new ArrayList<String>();
    form.value("ButtonText").or(() -> form.value("Body")).ifPresent(parts::add);
    for (int i = 0; i < media(); i++) {
      parts.add("[" + kind(form.value("MediaContentType" + i).orElse("")) + " received]");
    }
    location().ifPresent(parts::add);
    var body = parts.isEmpty() ? "[empty message received]" : String.join("\n", parts);
    return body.length() <= Inbox.LONGEST_TEXT
        ? body
        : body.substring(0, Inbox.LONGEST_TEXT - CUT.length()) + CUT;
  }

  private int media() {
    try {
      return Math.clamp(form.value("NumMedia").map(Integer::parseInt).orElse(0), 0, MOST_MEDIA);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static String kind(String contentType) {
    var type = contentType.toLowerCase(Locale.ROOT);
    if (type.startsWith("image/") || type.startsWith("audio/") || type.startsWith("video/")) {
      return type.substring(0, type.indexOf('/'));
    }
    return type.contains("vcard")
        ? "contact"
        : type.equals("application/pdf") ? "document" : "file";
  }

  private Optional<String> location() {
    if (form.value("Latitude").isEmpty() || form.value("Longitude").isEmpty()) {
      return Optional.empty();
    }
    var place = form.value("Address").or(() -> form.value("Label")).map(it -> ": " + it).orElse("");
    return Optional.of("[location received" + place + "]");
  }

  /** What Twilio says the text asked for: it decides, and has answered it already. */
  private @Nullable Wish told() {
    return switch (form.value("OptOutType").orElse("").toUpperCase(Locale.ROOT)) {
      case "STOP" -> Wish.STOP;
      case "START" -> Wish.START;
      case "HELP" -> Wish.HELPED;
      default -> null;
    };
  }
}
