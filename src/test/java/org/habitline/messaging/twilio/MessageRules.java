package org.habitline.messaging.twilio;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The rules by which Twilio refuses a message before it takes it. */
final class MessageRules {

  static final int LONGEST_BODY = 1600;

  private static final Pattern TO =
      Pattern.compile("(whatsapp:|rcs:)?\\+[1-9]\\d{6,14}|whatsapp:[A-Z]{2}\\.\\d{1,128}");
  private static final Pattern RCS_AGENT = Pattern.compile("rcs:[A-Za-z]\\w{0,100}");
  private static final Pattern SHORT_CODE = Pattern.compile("\\d{3,8}");
  private static final Pattern ALPHANUMERIC_SENDER =
      Pattern.compile("(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}");
  private static final Pattern SERVICE = Pattern.compile("MG[0-9a-fA-F]{32}");

  private static final Set<String> LISTS = Set.of("MediaUrl", "PersistentAction");
  private static final Set<String> PARAMETERS =
      Set.of(
          "To",
          "From",
          "MessagingServiceSid",
          "Body",
          "StatusCallback",
          "MediaUrl",
          "ContentSid",
          "ContentVariables",
          "ApplicationSid",
          "MaxPrice",
          "ProvideFeedback",
          "Attempt",
          "ValidityPeriod",
          "ForceDelivery",
          "ContentRetention",
          "AddressRetention",
          "SmartEncoded",
          "PersistentAction",
          "TrafficType",
          "ShortenUrls",
          "ScheduleType",
          "SendAt",
          "SendAsMms",
          "MessageIntent",
          "RiskCheck",
          "FallbackFrom");

  /** Why a request is refused. */
  record Refusal(int status, int code, String message) {
    static Refusal badRequest(int code, String message) {
      return new Refusal(400, code, message);
    }
  }

  private MessageRules() {}

  /** Returns why Twilio refuses to take a message, or empty if it takes it. */
  static Optional<Refusal> refusal(FormFields form) {
    return Stream.of(recipient(form), sender(form), content(form), callback(form))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** What Twilio passes over in silence, though it can only be a mistake. */
  static List<String> passedOver(FormFields form) {
    return form.names().stream()
        .flatMap(name -> {
          if (!PARAMETERS.contains(name)) {
            return Stream.of("Twilio does not know the parameter " + name + ".");
          }
          return form.all(name).size() > 1 && !LISTS.contains(name)
              ? Stream.of("The parameter " + name + " is there twice.")
              : Stream.empty();
        })
        .toList();
  }

  private static Optional<Refusal> recipient(FormFields form) {
    var to = form.text("To");
    if (to.isBlank()) {
      return refused(21604, "A 'To' phone number is required.");
    }
    return TO.matcher(to).matches()
        ? Optional.empty()
        : refused(21211, "Invalid 'To' Phone Number.");
  }

  private static Optional<Refusal> sender(FormFields form) {
    var from = form.text("From");
    var service = form.text("MessagingServiceSid");
    if (from.isBlank() == service.isBlank()) {
      return refused(21603, "A 'From' phone number is required, or else a messaging service.");
    }
    if (from.isBlank()) {
      return SERVICE.matcher(service).matches()
          ? Optional.empty()
          : refused(21701, "The Messaging Service does not exist.");
    }
    if (Stream.of(TO, SHORT_CODE, ALPHANUMERIC_SENDER, RCS_AGENT)
        .noneMatch(pattern -> pattern.matcher(from).matches())) {
      return refused(21212, "Invalid 'From' Phone Number.");
    }
    if (!road(from).equals(road(form.text("To")))) {
      return refused(21910, "Invalid From and To pair. From and To should be of the same channel.");
    }
    return from.equals(form.text("To"))
        ? refused(21266, "'To' and 'From' number cannot be the same.")
        : Optional.empty();
  }

  private static String road(String address) {
    return address.substring(0, address.indexOf(':') + 1);
  }

  private static Optional<Refusal> content(FormFields form) {
    var body = form.text("Body");
    if (body.isBlank() && form.text("MediaUrl").isBlank() && form.text("ContentSid").isBlank()) {
      return refused(21602, "Message body is required.");
    }
    return body.length() > LONGEST_BODY
        ? refused(21617, "The concatenated message body exceeds the 1600 character limit.")
        : Optional.empty();
  }

  private static Optional<Refusal> callback(FormFields form) {
    return form.first("StatusCallback").filter(url -> !isWebAddress(url)).isPresent()
        ? refused(21609, "The StatusCallback URL is not a valid URL.")
        : Optional.empty();
  }

  private static boolean isWebAddress(String url) {
    try {
      var uri = new URI(url);
      return uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static Optional<Refusal> refused(int code, String message) {
    return Optional.of(Refusal.badRequest(code, message));
  }
}
