package org.habitline.budgets;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a model call used, to be charged.
 *
 * @param turn the turn that it belongs to, or {@code null} for a call that codes an outcome
 * @param iteration the number of its iteration, or {@code null} if it has none
 * @param child 0 for the iteration's own call, 1… for the calls that its tools made
 * @param input tokens read, including the cached ones
 * @param cached tokens read that the provider had cached, or {@code null} if it did not say
 * @param output tokens written
 * @param estimated whether a part of it is not what the provider reported
 * @param free whether it costs nothing, because the built-in script answered
 */
public record Charge(
    String participantId,
    @Nullable Integer turn,
    @Nullable Integer iteration,
    @Nullable Integer child,
    String model,
    long input,
    @Nullable Long cached,
    long output,
    boolean estimated,
    boolean free,
    Instant at) {

  /** What is charged. */
  public enum Kind {
    MODEL,
    MESSAGE
  }

  /** How well a cost is known. */
  public enum Confidence {
    /** The provider's own amount, or the units that it reported at the price of the day. */
    EXACT,
    /** The units are estimated, or the price of a message is that of the table. */
    ESTIMATED,
    /** The price is not known. */
    UNKNOWN
  }

  /** Returns this charge with its place in the turn's record. */
  public Charge at(int number, int childNumber) {
    return new Charge(
        participantId,
        turn,
        number,
        childNumber,
        model,
        input,
        cached,
        output,
        estimated,
        free,
        at);
  }
}
