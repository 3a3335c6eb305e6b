package org.habitline.staff.participant;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;

/** Explains why a message that is written has not been delivered yet. */
public final class Unsent {

  /** The explanation for a message that may have been sent. */
  public static final String LOOKED_UP =
      "The provider did not confirm this message. Habitline asks the provider whether it was"
          + " sent, and sends it again only if it was not.";

  /** What staff accept if they send a message again that may have arrived. */
  public static final String MAY_ARRIVE_TWICE =
      "The provider did not report whether this message arrived. If it did, the participant will get it twice.";

  private Unsent() {}

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
