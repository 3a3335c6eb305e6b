package org.habitline.messaging.twilio;

import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.habitline.messaging.inbox.ConsentKeyword;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * Reads an incoming message from Twilio's form as a text: the label of a button or list item, or
 * what was written, and a description in brackets of anything else, because it must not be dropped.
 * New kinds of messages appear without notice and are accepted.
 */
record WebhookForm(Form form, String raw) {

  private static final String WHATSAPP = "whatsapp:";
  private static final Pattern ROAD =
      Pattern.compile("^(?:whatsapp|rcs):", Pattern.CASE_INSENSITIVE);
  private static final Pattern E164 = Pattern.compile("\\+[0-9]{8,15}");
  private static final int LONGEST_SENDER = 200;
  private static final int MOST_MEDIA = 20;
  static final int LONGEST_SID = 128;

  /** The longest form that is stored; the text itself is far shorter. */
  private static final int LONGEST_RAW = 200_000;

  private static final int LONGEST_ID = 200;
  private static final Pattern KIND = Pattern.compile("[a-z0-9_-]{1,30}");
  private static final String CUT = " [cut]";

  /** The text that WhatsApp shows in the chat for a submitted form. */
  private static final String FORM_SENT = "Sent";

  /** Returns Twilio's id of the message; a form without one is not a message. */
  Optional<String> sid() {
    return form.value("MessageSid")
        .or(() -> form.value("SmsMessageSid"))
        .filter(sid -> sid.length() <= LONGEST_SID && sid.indexOf('\0') < 0);
  }

  ChannelKind channel() {
    return channel(sender(), to());
  }

  /** Returns the channel; RCS counts as SMS, because it has the same phone and number. */
  private static ChannelKind channel(String from, String to) {
    return from.startsWith(WHATSAPP) || to.startsWith(WHATSAPP)
        ? ChannelKind.WHATSAPP
        : ChannelKind.SMS;
  }

  private String to() {
    return form.value("To").orElse("");
  }

  /**
   * Returns the sender: a number, a WhatsApp id that is not a number, or a number with an RCS
   * prefix. If the form has no sender, the user id is the only name of someone whose number is
   * hidden.
   */
  String sender() {
    return form.value("From").map(WebhookForm::stored).or(this::userId).orElse("");
  }

  Optional<PhoneNumber> phone() {
    var number = ROAD.matcher(sender()).replaceFirst("");
    return Optional.of(number).filter(it -> E164.matcher(it).matches()).map(PhoneNumber::new);
  }

  /**
   * Returns WhatsApp's id of the sender within the business that owns the account, whether or not
   * it shows their number; in the form of {@code From} when the number is hidden.
   */
  private Optional<String> userId() {
    return channel(form.value("From").orElse(""), to()).namesPeople()
        ? form.value("ExternalUserId")
            .or(() -> form.value("ExternalUserIdentifier"))
            .map(id -> WHATSAPP + id.strip().replaceFirst("^" + WHATSAPP, ""))
            .map(WebhookForm::stored)
        : Optional.empty();
  }

  private static String stored(String name) {
    var text = PlainText.storable(name);
    return text.substring(0, Math.min(text.length(), LONGEST_SENDER));
  }

  IncomingText text(String sid) {
    return new IncomingText(
        sid, sender(), phone().orElse(null), channel(), body(), told(), kept(), more());
  }

  private IncomingText.More more() {
    var agent = Optional.of(to()).filter(to -> to.startsWith(Ours.RCS)).map(WebhookForm::stored);
    return new IncomingText.More(
        userId().filter(id -> !id.equals(sender())).orElse(null),
        agent.orElse(null),
        filledIn().map(FilledForm::data).orElse(null));
  }

  private Optional<FilledForm> filledIn() {
    return form.value("InteractiveData").map(FilledForm::read);
  }

  private String kept() {
    return raw.substring(0, Math.min(raw.length(), LONGEST_RAW));
  }

  private String body() {
    var parts = new ArrayList<String>();
    words().ifPresent(parts::add);
    for (int i = 0; i < media(); i++) {
      parts.add("[" + kind(form.value("MediaContentType" + i).orElse("")) + " received]");
    }
    location().ifPresent(parts::add);
    filledIn().map(FilledForm::words).ifPresent(parts::add);
    var body = parts.isEmpty() ? withoutContent() : String.join("\n", parts);
    return body.length() <= Inbox.LONGEST_TEXT
        ? body
        : body.substring(0, Inbox.LONGEST_TEXT - CUT.length()) + CUT;
  }

  /** Returns the words of the message: what was written or chosen, or a reaction. */
  private Optional<String> words() {
    if (messageType().equals("reaction")) {
      return Optional.of(
          form.value("Body")
              .map(reaction -> "[reaction received: " + reaction + "]")
              .orElse("[reaction taken back]"));
    }
    if (filledIn().isPresent()) {
      return form.value("Body").filter(body -> !body.strip().equals(FORM_SENT));
    }
    return form.value("ButtonText")
        .or(() -> form.value("ListTitle"))
        .or(() -> form.value("Body"))
        .or(() -> described("button pressed", "ButtonPayload"))
        .or(() -> described("list item chosen", "ListId"));
  }

  private Optional<String> described(String what, String key) {
    return form.value(key)
        .map(id -> "[" + what + ": " + id.substring(0, Math.min(id.length(), LONGEST_ID)) + "]");
  }

  /** Describes a message without readable content, by its type if that is known. */
  private String withoutContent() {
    var type = messageType();
    return switch (type) {
      case "", "text" -> "[empty message received]";
      case "image", "audio", "video", "document", "sticker", "location" ->
          "[" + type + " received]";
      case "contacts" -> "[contact received]";
      case "button", "interactive" -> "[choice received without a text]";
      default ->
          KIND.matcher(type).matches()
              ? "[message of the kind '" + type + "' received]"
              : "[message of an unknown kind received]";
    };
  }

  private String messageType() {
    return form.value("MessageType").orElse("").strip().toLowerCase(Locale.ROOT);
  }

  /** Returns the number of media: as declared or as listed, whichever is more, at most 20. */
  private int media() {
    var listed =
        IntStream.range(0, MOST_MEDIA)
            .filter(i -> form.value("MediaUrl" + i).isPresent())
            .map(i -> i + 1)
            .max()
            .orElse(0);
    try {
      var said = form.value("NumMedia").map(String::strip).map(Integer::parseInt).orElse(0);
      return Math.clamp(Math.max(said, listed), 0, MOST_MEDIA);
    } catch (NumberFormatException e) {
      return listed;
    }
  }

  private String kind(String contentType) {
    if (messageType().equals("sticker")) {
      return "sticker";
    }
    var type = contentType.strip().toLowerCase(Locale.ROOT);
    if (type.startsWith("image/") || type.startsWith("audio/") || type.startsWith("video/")) {
      return type.substring(0, type.indexOf('/'));
    }
    if (type.contains("vcard") || messageType().equals("contacts")) {
      return "contact";
    }
    return type.equals("application/pdf") || messageType().equals("document") ? "document" : "file";
  }

  private Optional<String> location() {
    if (form.value("Latitude").isEmpty() || form.value("Longitude").isEmpty()) {
      return Optional.empty();
    }
    var place = form.value("Address").or(() -> form.value("Label")).map(it -> ": " + it).orElse("");
    return Optional.of("[location received" + place + "]");
  }

  /**
   * Returns the keyword that Twilio detected. It takes precedence, and Twilio has replied already.
   */
  private @Nullable ConsentKeyword told() {
    return switch (form.value("OptOutType").orElse("").toUpperCase(Locale.ROOT)) {
      case "STOP" -> ConsentKeyword.STOP;
      case "START" -> ConsentKeyword.START;
      case "HELP" -> ConsentKeyword.HELPED;
      default -> null;
    };
  }
}
