package org.habitline;

import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * Runs a property for many random cases. Each run draws new cases; a failure names the seed of its
 * case, and {@code -Dhabitline.seed=} repeats that case alone.
 */
public final class Seeds {

  private Seeds() {}

  /**
   * Checks the property for this many seeds.
   *
   * @throws AssertionError on the first case that fails, with its seed
   */
  public static void each(int cases, LongConsumer property) {
    var again = Long.getLong("habitline.seed");
    if (again != null) {
      check(again, property);
      return;
    }
    var seeds = new SplittableRandom();
    for (int number = 0; number < cases; number++) {
      check(seeds.nextLong(), property);
    }
  }

  private static void check(long seed, LongConsumer property) {
    try {
      property.accept(seed);
    } catch (Exception | AssertionError failure) {
      throw new AssertionError("-Dhabitline.seed=" + seed + " repeats this case", failure);
    }
  }
}
