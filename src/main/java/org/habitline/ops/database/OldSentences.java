package org.habitline.ops.database;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Translates the sentences that were stored before V32 into the enum words stored now. They are the
 * sentences of that version: do not change them when today's messages change.
 */
final class OldSentences {

  private static final String CONFIGURATION = "configuration: ";
  private static final String OPTED_OUT = "opted out at the provider: ";

  /** Reasons stored after a failed attempt to send or to look up a message. */
  private static final Pattern OF_AN_ATTEMPT =
      Pattern.compile(
          "\\S+|HTTP \\d+|opted out|Twilio cannot be reached|no answer from Twilio|an answer of Twilio without a sid"
              + "|Twilio's list of messages cannot be read|the simulated carrier is busy");

  private static final Pattern HTTP_STATUS = Pattern.compile("HTTP status (\\d{3})");

  private OldSentences() {}

  /** Returns the word for why a planned message waits, if its reason says that. */
  static Optional<String> hold(String reason) {
    if (reason.startsWith(CONFIGURATION)) {
      return Optional.of("sender_stopped");
    }
    if (reason.startsWith("the channel ") && reason.endsWith(" is not configured")) {
      return Optional.of("channel_missing");
    }
    return reason.equals("it could not leave in time and waits for the allowed hours")
        ? Optional.of("allowed_hours")
        : Optional.empty();
  }

  /** Returns whether a failed attempt stored the reason, not Habitline itself. */
  static boolean isOfAnAttempt(@Nullable String reason) {
    return reason == null || OF_AN_ATTEMPT.matcher(reason).matches();
  }

  /**
   * Returns the provider's error code in a sentence; empty for a bare code, which is no sentence.
   */
  static Optional<String> failureCode(String reason) {
    if (reason.startsWith(CONFIGURATION)) {
      return Optional.of(reason.substring(CONFIGURATION.length()).split(",", 2)[0])
          .filter(OldSentences::isStorable);
    }
    return reason.startsWith(OPTED_OUT)
        ? Optional.of(reason.substring(OPTED_OUT.length())).filter(OldSentences::isStorable)
        : Optional.empty();
  }

  private static boolean isStorable(String code) {
    return !code.isEmpty() && code.length() <= 200;
  }

  /**
   * Returns the word for what the provider's error means for a message that has ended, if the
   * reason says it.
   */
  static Optional<String> failure(String reason) {
    if (reason.startsWith("window closed: ")) {
      return Optional.of("window_closed");
    }
    if (reason.startsWith(OPTED_OUT)) {
      return Optional.of("opted_out");
    }
    return reason.startsWith(CONFIGURATION) && reason.endsWith(", though other texts are taken")
        ? Optional.of("misconfigured")
        : Optional.empty();
  }

  /** Returns whether a turn was closed because staff had paused the coach's replies. */
  static boolean isHeldByStaff(String reason) {
    return reason.startsWith("staff hold the conversation");
  }

  /** Returns the word for why a model failed, if the reason says that. */
  static Optional<String> modelFailure(String reason) {
    if (reason.contains("(insufficient_quota)")) {
      return Optional.of("no_credit");
    }
    if (reason.contains("(model_not_found)")) {
      return Optional.of("unknown_model");
    }
    if (reason.contains("did not answer in time")
        || reason.contains("the connection to the model's server failed")
        || reason.contains("the time was over before the model was asked")) {
      return Optional.of("too_late");
    }
    var status = HTTP_STATUS.matcher(reason);
    return status.find() ? ofStatus(Integer.parseInt(status.group(1))) : Optional.empty();
  }

  private static Optional<String> ofStatus(int status) {
    return switch (status) {
      case 401 -> Optional.of("key_refused");
      case 429 -> Optional.of("too_much");
      default -> status >= 500 ? Optional.of("server_broken") : Optional.empty();
    };
  }
}
