package org.habitline.messaging.simulator;

import java.time.Duration;

/** What goes wrong on the way to a simulated phone, once. */
public sealed interface SimulatedFault {

  /** The carrier takes the text only after this time, in whole seconds. */
  record Delay(Duration time) implements SimulatedFault {}

  /** The carrier takes the text, and reports later that it could not be delivered. */
  record Failure() implements SimulatedFault {}
}
