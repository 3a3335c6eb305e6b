package org.habitline.messaging.inbox;

import java.time.Duration;

/** Runs turns for participants. Declared here, implemented by the conversation. */
public interface InboundHandler {

  /** Handles what is waiting for one participant. Blocks until the turn is committed. */
  Handled handle(String participantId);

  /** The outcome. */
  sealed interface Handled {

    /** A turn was committed; more may be waiting. */
    record Answered() implements Handled {}

    /** Texts are waiting, but more of a burst may still come. */
    record NotYet(Duration pause) implements Handled {}

    /** Nothing is waiting, or another node is handling this participant. */
    record Nothing() implements Handled {}
  }
}
