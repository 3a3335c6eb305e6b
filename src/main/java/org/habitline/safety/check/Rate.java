package org.habitline.safety.check;

import java.util.Locale;

/**
 * How many of a number of examples were hit.
 *
 * @param of how many there are; may be 0
 */
public record Rate(int hits, int of) {

  /** The quantile of the normal distribution for 95 %. */
  private static final double Z = 1.959963984540054;

  /** Returns the share, or 0 if there are no examples. */
  public double share() {
    return of == 0 ? 0 : (double) hits / of;
  }

  /** Returns the lower end of the 95 % interval (Wilson score), or 0 if there are no examples. */
  public double low() {
    return of == 0 ? 0 : Math.max(0, middle() - half());
  }

  /** Returns the upper end of the 95 % interval (Wilson score), or 1 if there are no examples. */
  public double high() {
    return of == 0 ? 1 : Math.min(1, middle() + half());
  }

  private double middle() {
    return (share() + Z * Z / (2 * of)) / (1 + Z * Z / of);
  }

  private double half() {
    return Z * Math.sqrt(share() * (1 - share()) / of + Z * Z / (4.0 * of * of)) / (1 + Z * Z / of);
  }

  /** Returns the rate for people, such as {@code 74 of 75 = 0.987 (0.928 to 0.998)}. */
  @Override
  public String toString() {
    return of == 0
        ? "0 of 0"
        : String.format(
            Locale.ROOT, "%d of %d = %.3f (%.3f to %.3f)", hits, of, share(), low(), high());
  }
}
