package org.habitline.messaging.outbox;

import java.time.Duration;
import java.time.Instant;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.OutboundMessage;

/** What is to be done next about the texts to a participant. */
sealed interface Job {

  /**
   * A text was taken and is to be given to its channel.
   *
   * @param row as it was before it was taken
   */
  record Send(OutboundMessage message, JdbcOutbox.Row row, Instant taken) implements Job {
    int attempts() {
      return row.attempts() + 1;
    }
  }

  /** A text that may have gone out was taken and is to be looked up. */
  record Find(OutboundMessage message, int attempts, Attempt attempt, Instant unknownSince)
      implements Job {}

  /** A text came to an end: the next one may be looked at. */
  record Ended() implements Job {}

  /** There is nothing to do before this time is over. */
  record Wait(Duration time) implements Job {}

  /** There is nothing to do until something happens. */
  record None() implements Job {}
}
