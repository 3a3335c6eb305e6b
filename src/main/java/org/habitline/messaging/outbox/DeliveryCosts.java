package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.habitline.budgets.Charges;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Records what providers charge for messages, and the categories of the templates they were sent
 * as: a category decides the price and whether a message is delivered at all. Both become known
 * only after the message was sent.
 */
@Singleton
public final class DeliveryCosts {

  private static final int AT_ONCE = 200;

  /** How often a category is checked again: the provider that approved a template may change it. */
  private static final Duration CHECKED_EVERY = Duration.ofDays(1);

  /** How far back messages get a category that was not known when they were sent. */
  private static final Duration BACK = Duration.ofDays(2);

  private static final Set<DeliveryStatus> TAKEN =
      EnumSet.of(
          DeliveryStatus.SCHEDULED,
          DeliveryStatus.ACCEPTED,
          DeliveryStatus.QUEUED,
          DeliveryStatus.SENDING,
          DeliveryStatus.SENT,
          DeliveryStatus.DELIVERED,
          DeliveryStatus.READ,
          DeliveryStatus.FAILED,
          DeliveryStatus.UNDELIVERED);

  private final JdbcOutbox rows;
  private final Charges charges;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;

  DeliveryCosts(
      JdbcOutbox rows,
      Charges charges,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.charges = charges;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /**
   * The charge for a message.
   *
   * @param unit the currency (ISO 4217)
   */
  public record Charge(String providerId, BigDecimal price, @Nullable String unit) {}

  /**
   * Records charges. Skips messages that have a charge already, that are not ours, or whose row is
   * locked now: a list brings each charge several times.
   */
  public void record(List<Charge> charges) {
    for (int i = 0; i < charges.size(); i += AT_ONCE) {
      var some = charges.subList(i, Math.min(i + AT_ONCE, charges.size()));
      var ids = some.stream().map(Charge::providerId).toList();
      var open = transactions.read(() -> rows.withoutPrice(ids));
      var news = new TreeMap<String, Charge>();
      some.stream()
          .filter(it -> open.contains(it.providerId()))
          .forEach(it -> news.put(it.providerId(), it));
      if (!news.isEmpty()) {
        transactions.write(() -> write(news));
      }
    }
  }

  /** Writes charges, skipping locked rows: waiting for one could deadlock. */
  private boolean write(SortedMap<String, Charge> charges) {
    for (var id : rows.holdWithoutPrice(charges.keySet())) {
      var charge = charges.get(id);
      if (charge != null) {
        rows.charged(id, charge.price(), charge.unit());
        this.charges.charged(id, charge.price(), charge.unit());
      }
    }
    return true;
  }

  /** Returns the templates whose category should be checked now. */
  public List<String> templatesToCheck() {
    return transactions.read(
        () -> rows.templatesToCheck(systemClock.instant().minus(CHECKED_EVERY)));
  }

  /** Records the category of a template, or that the provider gives none. */
  public void checked(String template, Optional<String> category) {
    transactions.write(() -> rows.checked(template, category.orElse(null), systemClock.instant()));
    category.ifPresent(
        word -> InBatches.of(transactions).change(most -> categorise(template, word, most)));
  }

  /** Sets the category of some messages; locked rows are left for the next check. */
  private int categorise(String template, String category, int most) {
    var seqs = rows.holdWithoutCategory(template, TAKEN, clock.instant().minus(BACK), most);
    return seqs.isEmpty() ? 0 : rows.categorised(category, seqs);
  }
}
