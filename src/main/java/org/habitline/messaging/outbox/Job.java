package org.habitline.messaging.outbox;

import java.time.Duration;
import java.time.Instant;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.OutboundMessage;

/** The next step for the messages to a participant. */
sealed interface Job {

  /**
   * Give a message, which was marked as being sent, to its channel.
   *
   * @param row the row before it was marked
   */
  record Send(OutboundMessage message, JdbcOutbox.Row row, Instant taken) implements Job {
    int attempts() {
      return row.attempts() + 1;
    }
  }

  /** Look up a message that may have been sent; it is marked as being looked up. */
  record Find(OutboundMessage message, int attempts, Attempt attempt, Instant unknownSince)
      implements Job {}

  /** A message ended; the next one may be looked at. */
  record Ended() implements Job {}

  /** Nothing to do until this time has passed. */
  record Wait(Duration time) implements Job {}

  /** Nothing to do until the next signal. */
  record None() implements Job {}
}
