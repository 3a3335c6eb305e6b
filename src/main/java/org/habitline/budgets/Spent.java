package org.habitline.budgets;

import org.habitline.protocol.Budgets.Kind;

/**
 * What was spent.
 *
 * @param cost in millionths of the study's currency
 */
public record Spent(long tokens, long cost, long segments) {

  public static final Spent NOTHING = new Spent(0, 0, 0);

  public long of(Kind kind) {
    return switch (kind) {
      case TOKENS -> tokens;
      case COST -> cost;
      case SEGMENTS -> segments;
    };
  }

  public Spent plus(Spent other) {
    return new Spent(tokens + other.tokens, cost + other.cost, segments + other.segments);
  }
}
