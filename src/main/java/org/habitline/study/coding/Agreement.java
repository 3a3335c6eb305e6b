package org.habitline.study.coding;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far two coders agree, in the categories of {@link CodedOutcome#OF_TEXTS}.
 *
 * <p>Kappa is Cohen's (Cohen 1960, Educational and Psychological Measurement 20, 37–46). Its 95 %
 * interval uses the large-sample standard error of Fleiss, Cohen and Everitt (1969, Psychological
 * Bulletin 72, 323–327, formula 13). It takes pairs for independent, although several are of one
 * person, so it is somewhat too narrow.
 *
 * @param n how many pairs there are
 * @param agreed how many of them agree
 * @param agreement the share that agrees, or {@code null} without pairs
 * @param kappa {@code null} without pairs, or if both coders always use the same one category
 * @param kappaLow the lower end of the interval
 * @param kappaHigh the upper end of the interval
 * @param categories the words of rows and columns
 * @param table rows are the first coder's categories, columns the second's
 */
@Schema(name = "Agreement")
public record Agreement(
    long n,
    long agreed,
    @Nullable Double agreement,
    @Nullable Double kappa,
    @Nullable Double kappaLow,
    @Nullable Double kappaHigh,
    List<String> categories,
    List<List<Long>> table) {

  /** The quantile of the normal distribution for 95 %. */
  private static final double Z = 1.959963984540054;

  /** Computes the agreement from a square table with a row and a column for each category. */
  static Agreement of(long[][] table) {
    var size = table.length;
    long n = 0;
    long agreed = 0;
    var rows = new double[size];
    var columns = new double[size];
    for (int i = 0; i < size; i++) {
      agreed += table[i][i];
      for (int j = 0; j < size; j++) {
        n += table[i][j];
        rows[i] += table[i][j];
        columns[j] += table[i][j];
      }
    }
    Double kappa = null;
    Double half = null;
    if (n > 0) {
      double expected = 0;
      for (int i = 0; i < size; i++) {
        rows[i] /= n;
        columns[i] /= n;
        expected += rows[i] * columns[i];
      }
      var observed = (double) agreed / n;
      if (expected < 1) {
        kappa = (observed - expected) / (1 - expected);
        half = Z * Math.sqrt(variance(table, n, rows, columns, observed, expected));
      }
    }
    return new Agreement(
        n,
        agreed,
        n == 0 ? null : (double) agreed / n,
        kappa,
        kappa == null || half == null ? null : Math.max(-1, kappa - half),
        kappa == null || half == null ? null : Math.min(1, kappa + half),
        CodedOutcome.wordsOfTexts(),
        Arrays.stream(table).map(row -> Arrays.stream(row).boxed().toList()).toList());
  }

  private static double variance(
      long[][] table, long n, double[] rows, double[] columns, double observed, double expected) {
    double same = 0;
    double other = 0;
    for (int i = 0; i < table.length; i++) {
      for (int j = 0; j < table.length; j++) {
        var share = (double) table[i][j] / n;
        var sum = columns[i] + rows[j];
        if (i == j) {
          same += share * Math.pow(1 - expected - sum * (1 - observed), 2);
        } else {
          other += share * sum * sum;
        }
      }
    }
    var rest = observed * expected - 2 * expected + observed;
    var numerator = same + Math.pow(1 - observed, 2) * other - rest * rest;
    // Rounding may leave a little less than nothing.
    return Math.max(0, numerator) / (n * Math.pow(1 - expected, 4));
  }
}
