package org.habitline.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;

/** Measurements of Habitline and of its reference, taken alternately. */
public final class Rounds<T> {

  private final List<T> line = new ArrayList<>();
  private final List<T> reference = new ArrayList<>();

  /** Measures both the given number of times; every other time the reference goes first. */
  public static <T> Rounds<T> alternate(int times, Callable<T> line, Callable<T> reference)
      throws Exception {
    var rounds = new Rounds<T>();
    for (int i = 0; i < times; i++) {
      if (i % 2 == 0) {
        rounds.line.add(line.call());
        rounds.reference.add(reference.call());
      } else {
        rounds.reference.add(reference.call());
        rounds.line.add(line.call());
      }
    }
    return rounds;
  }

  /** Adds a pair that was measured elsewhere. */
  public void add(T ofLine, T ofReference) {
    line.add(ofLine);
    reference.add(ofReference);
  }

  /** Returns what was measured of Habitline in a round, from 0. */
  public T ofLine(int round) {
    return line.get(round);
  }

  /** Returns a row of the table from one figure of each round. */
  public Measured as(
      ToDoubleFunction<T> figure, String what, String setting, String unit, String goal) {
    var ours = line.stream().map(figure::applyAsDouble).toList();
    var theirs = reference.stream().map(figure::applyAsDouble).toList();
    var ratios = new ArrayList<Double>();
    for (int i = 0; i < ours.size(); i++) {
      ratios.add(ours.get(i) / theirs.get(i));
    }
    return new Measured(
        what,
        setting,
        unit,
        median(ours),
        median(theirs),
        median(ours) / median(theirs),
        ratios,
        goal);
  }

  private static double median(List<Double> figures) {
    var sorted = new ArrayList<>(figures);
    Collections.sort(sorted);
    var middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
