package org.habitline.staff.participant;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/** Explains why a message that is written has not been delivered yet. */
public final class Unsent {

  /** The explanation for a message that may have been sent. */
  public static final String LOOKED_UP =
      "The provider did not confirm this message. Habitline asks the provider whether it was"
          + " sent, and sends it again only if it was not.";

  /** What is said of a message that did not arrive and cannot be sent again. */
  static final String NOT_AGAIN = "It is not sent again.";

  /** What staff accept if they send a message again that may have arrived. */
  public static final String MAY_ARRIVE_TWICE =
      "The provider did not report whether this message arrived. If it did, the participant will get it twice.";

  private Unsent() {}

  /**
   * Returns what a provider's error means and what would change it, in sentences, or empty if there
   * is nothing to say.
   */
  static String remedy(@Nullable DeliveryFailure failure) {
    return switch (failure) {
      case BAD_NUMBER ->
          "This number cannot be reached. If it is wrong or no longer in use, choose Change number"
              + " under Change.";
      case OPTED_OUT ->
          "They opted out with the provider. Only they can change this, by texting START from this"
              + " number.";
      case WINDOW_CLOSED ->
          "They had not texted for 24 hours. They must text first, or the flow must name a template"
              + " for such a message.";
      case MISCONFIGURED -> "An admin must correct the account or its sender at the provider.";
      case NEVER_PROCESSED,
          MAY_HAVE_GONE_OUT,
          ONCE_MORE,
          QUIET_HOURS,
          NEXT_DAY,
          NOT_BY_RCS,
          FINAL ->
          "";
      case null -> "";
    };
  }

  /** Returns why staff cannot send a message to the participant now, in a sentence, or empty. */
  public static Optional<String> whyNotNow(Participant participant) {
    if (participant.optedOut()) {
      return Optional.of("They opted out, so it cannot be sent.");
    }
    return switch (participant.status()) {
      case ACTIVE -> Optional.empty();
      case PAUSED -> Optional.of("They are paused, so it cannot be sent.");
      case COMPLETED -> Optional.of("They have completed the study, so it cannot be sent.");
      case WITHDRAWN -> Optional.of("They have withdrawn, so it cannot be sent.");
    };
  }

  /**
   * Returns the explanation, one or more sentences.
   *
   * @param local formats an instant
   */
  public static String why(Outbox.Held text, Function<Instant, String> local) {
    if (text.status().mayHaveGoneOut()) {
      return LOOKED_UP;
    }
    if (text.before() != null) {
      return notDelivered(text.before()) + again(text, local);
    }
    if (text.outsideWindow()) {
      return "Only templates can be sent to them now, because they have not texted for more than"
          + " 24 hours.";
    }
    if (text.reason() != null) {
      return text.reason().endsWith(".") ? text.reason() : text.reason() + ".";
    }
    return text.notBefore() == null
        ? "It is sent as soon as possible."
        : "It is postponed until " + local.apply(text.notBefore()) + ".";
  }

  private static String notDelivered(Outbox.Before before) {
    return "The provider accepted the message but could not deliver it"
        + (before.errorCode() == null ? "" : ": error " + before.errorCode())
        + ". ";
  }

  private static String again(Outbox.Held text, Function<Instant, String> local) {
    return text.notBefore() == null
        ? "It is sent again as soon as possible."
        : "It is sent again at " + local.apply(text.notBefore()) + ".";
  }
}
