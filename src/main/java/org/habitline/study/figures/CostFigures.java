package org.habitline.study.figures;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.habitline.budgets.Charge;
import org.habitline.protocol.Budgets;
import org.jspecify.annotations.Nullable;

/**
 * Adds up what model calls and messages cost, in the currency of the study's prices; without
 * prices, in the one that most charges have.
 */
final class CostFigures {

  private static final int DECIMALS = 6;
  private static final BigDecimal MILLION = BigDecimal.valueOf(1_000_000);

  private final List<JdbcFigures.Charged> charges;
  private final @Nullable String currency;
  private final @Nullable BigDecimal budget;

  CostFigures(Budgets budgets, List<JdbcFigures.Charged> charges) {
    this.charges = charges;
    this.currency =
        budgets
            .prices()
            .map(prices -> prices.currency().getCurrencyCode())
            .orElseGet(() -> usual(charges));
    this.budget =
        budgets
            .study()
            .of(Budgets.Kind.COST)
            .map(limit -> rounded(BigDecimal.valueOf(limit.most()).divide(MILLION)))
            .orElse(null);
  }

  private static @Nullable String usual(List<JdbcFigures.Charged> charges) {
    return charges.stream()
        .filter(row -> row.currency() != null)
        .collect(
            Collectors.groupingBy(
                row -> Objects.requireNonNull(row.currency()),
                TreeMap::new,
                Collectors.summingLong(JdbcFigures.Charged::charges)))
        .entrySet()
        .stream()
        .max(Comparator.comparingLong(Map.Entry::getValue))
        .map(Map.Entry::getKey)
        .orElse(null);
  }

  Figures.Costs of(Figures.Range range) {
    var byDay = charges.stream().collect(Collectors.groupingBy(JdbcFigures.Charged::onDay));
    var model = sum(charges, row -> row.kind() == Charge.Kind.MODEL);
    var messages = sum(charges, row -> row.kind() == Charge.Kind.MESSAGE);
    return new Figures.Costs(
        currency,
        model.add(messages),
        model,
        messages,
        sum(charges, row -> row.confidence() == Charge.Confidence.ESTIMATED),
        unknown(charges),
        others(),
        budget,
        range.days().map(day -> ofDay(day, byDay.getOrDefault(day, List.of()))).toList());
  }

  private Figures.CostsOfDay ofDay(String day, List<JdbcFigures.Charged> found) {
    return new Figures.CostsOfDay(
        day,
        sum(found, row -> row.kind() == Charge.Kind.MODEL),
        sum(found, row -> row.kind() == Charge.Kind.MESSAGE),
        sum(found, row -> row.confidence() == Charge.Confidence.ESTIMATED),
        unknown(found),
        budget);
  }

  private BigDecimal sum(List<JdbcFigures.Charged> found, Predicate<JdbcFigures.Charged> which) {
    return rounded(
        found.stream()
            .filter(row -> row.currency() == null || row.currency().equals(currency))
            .filter(which)
            .map(JdbcFigures.Charged::cost)
            .filter(Objects::nonNull)
            .reduce(BigDecimal.ZERO, BigDecimal::add));
  }

  private Map<String, BigDecimal> others() {
    var others = new TreeMap<String, BigDecimal>();
    for (var row : charges) {
      if (row.currency() != null && !row.currency().equals(currency) && row.cost() != null) {
        others.merge(row.currency(), rounded(row.cost()), BigDecimal::add);
      }
    }
    return others;
  }

  private static long unknown(List<JdbcFigures.Charged> found) {
    return found.stream()
        .filter(row -> row.confidence() == Charge.Confidence.UNKNOWN)
        .mapToLong(JdbcFigures.Charged::charges)
        .sum();
  }

  private static BigDecimal rounded(BigDecimal amount) {
    return amount.setScale(DECIMALS, RoundingMode.HALF_UP);
  }
}
