package org.habitline.messaging;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What providers charge for texts, and the categories of the templates that they went out as: a
 * category decides the price and whether a text is delivered at all. Known later than the text.
 */
@Singleton
public final class DeliveryCosts {

  private static final int AT_ONCE = 200;

  /** A category may be changed by the one who approved it. */
  private static final Duration CHECKED_EVERY = Duration.ofDays(1);

  /** Texts that left before their template's category was known are given it, if not older. */
  private static final Duration BACK = Duration.ofDays(2);

  private static final List<String> TAKEN =
      List.of(
          "scheduled",
          "accepted",
          "queued",
          "sending",
          "sent",
          "delivered",
          "read",
          "failed",
          "undelivered");

  private final JdbcOutbox rows;
  private final TransactionOperations<Connection> transactions;
  private final Clock clock;
  private final Clock systemClock;

  DeliveryCosts(
      JdbcOutbox rows,
      TransactionOperations<Connection> transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /**
   * What was charged for a text.
   *
   * @param unit the currency (ISO 4217)
   */
  public record Charge(String providerId, BigDecimal price, @Nullable String unit) {}

  /** Records charges; of a text that has one already, and of texts that are not ours, nothing. */
  public void record(List<Charge> charges) {
    for (int i = 0; i < charges.size(); i += AT_ONCE) {
      var some = charges.subList(i, Math.min(i + AT_ONCE, charges.size()));
      var ids = some.stream().map(Charge::providerId).toList();
      var open = transactions.executeRead(status -> rows.withoutPrice(ids));
      var news = new ArrayList<>(some);
      news.removeIf(charge -> !open.contains(charge.providerId()));
      if (!news.isEmpty()) {
        transactions.executeWrite(status -> {
          news.forEach(it -> rows.charged(it.providerId(), it.price(), it.unit()));
          return true;
        });
      }
    }
  }

  /** Returns the templates whose category should be asked for now. */
  public List<String> templatesToCheck() {
    return transactions.executeRead(
        status -> rows.templatesToCheck(systemClock.instant().minus(CHECKED_EVERY)));
  }

  /** Records the category of a template, or that the provider names none. */
  public void checked(String template, Optional<String> category) {
    transactions.executeWrite(status -> {
      rows.checked(template, category.orElse(null), systemClock.instant());
      return category
          .map(word -> rows.categorised(template, word, TAKEN, clock.instant().minus(BACK)))
          .orElse(0);
    });
  }
}
