package org.habitline.bench;

import java.util.List;

/**
 * One line of the table.
 *
 * @param what what was measured
 * @param setting under which circumstances
 * @param unit of the two figures
 * @param line the median of the line's rounds
 * @param reference the median of what stands beside it
 * @param ratio the line's by the reference's
 * @param ratios the same for each pair of rounds, in order
 * @param goal what the ratio shall be
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
