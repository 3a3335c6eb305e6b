package org.habitline.messaging.inbox;

import java.time.Duration;

/** Whoever answers participants. Declared here, implemented by the conversation. */
public interface InboundHandler {

  /** Takes what waits for one participant and answers it. Blocks until that is committed. */
  Handled handle(String participantId);

  /** What came of it. */
  sealed interface Handled {

    /** A turn was committed; more may wait. */
    record Answered() implements Handled {}

    /** Texts wait, but a burst may still be gathering. */
    record NotYet(Duration pause) implements Handled {}

    /** Nothing waits, or someone else is answering this participant. */
    record Nothing() implements Handled {}
  }
}
