package org.habitline.messaging.simulator;

import java.time.Duration;

/** A fault that one message to a simulated phone meets. */
public sealed interface SimulatedFault {

  /** The carrier accepts the message only after this time, in whole seconds. */
  record Delay(Duration time) implements SimulatedFault {}

  /** The carrier accepts the message, and reports later that it could not be delivered. */
  record Failure() implements SimulatedFault {}
}
