package org.habitline.bench;

import java.util.List;

/**
 * One line of the table.
 *
 * @param what what was measured
 * @param setting the circumstances
 * @param unit of the two medians
 * @param line the median of Habitline's rounds
 * @param reference the median of the reference's rounds
 * @param ratio Habitline's median divided by the reference's
 * @param ratios the ratio of each pair of rounds, in order
 * @param goal the goal for the ratio
 */
public record Measured(
    String what,
    String setting,
    String unit,
    double line,
    double reference,
    double ratio,
    List<Double> ratios,
    String goal) {

  public Measured {
    ratios = List.copyOf(ratios);
  }
}
