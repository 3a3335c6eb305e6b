package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.habitline.storage.Database;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;

/**
 * Records how far a provider's list of messages has been read. Reading the list finds texts whose
 * webhook never reached Habitline, as when a proxy or DNS fails for hours. One node at a time reads
 * a list, for {@link #HELD} unless it renews; the next one begins where the last finished read
 * ended, even if a node died in between. No connection is held while the provider is called.
 */
@Singleton
public final class ProviderLists {

  /** How often a list is read. */
  public static final Duration EVERY = Duration.ofMinutes(5);

  /** How much of the list is read again each time, for entries that appeared late. */
  public static final Duration OVERLAP = Duration.ofHours(1);

  /** How long a node that died keeps other nodes away. */
  static final Duration HELD = Duration.ofMinutes(2);

  private static final Duration AGAIN_AFTER_FAILURE = Duration.ofMinutes(1);

  private final JdbcProviderLists rows;
  private final Transactions transactions;
  private final Clock clock;
  private final String owner = Ids.next("list");
  private final LongAdder passedOver = new LongAdder();

  ProviderLists(
      JdbcProviderLists rows, Transactions transactions, @Named("system") Clock systemClock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = systemClock;
  }

  /**
   * Records that a list which was never read counts as read up to this instant. On H2 no other
   * process can have the file open, so what an earlier process reserved is released.
   */
  public void begin(String provider, Instant upTo) {
    transactions.writeWith(connection -> {
      if (Database.isFile(connection)) {
        rows.releaseAll();
      }
      return rows.insert(provider, upTo);
    });
  }

  /** Returns up to when a list has been read, or empty if it was never read. */
  public Optional<Instant> readUpTo(String provider) {
    return transactions.read(() -> rows.find(provider)).map(JdbcProviderLists.Row::readUpTo);
  }

  /**
   * Reserves the list for this node until it calls {@link #read} or {@link #failed}. Returns the
   * instant to read from, or empty if it is not time yet or another node is reading.
   *
   * @param atOnce whether to read now, regardless of when the list was last read
   */
  public Optional<Instant> take(String provider, boolean atOnce) {
    var now = clock.instant();
    return transactions
        .read(() -> rows.find(provider))
        .filter(row -> atOnce || !row.nextAt().isAfter(now))
        .filter(row ->
            transactions.write(() -> rows.take(provider, owner, atOnce, now.plus(HELD), now) == 1))
        .map(row -> row.readUpTo().minus(OVERLAP));
  }

  /** Extends the reservation; returns false if another node has taken over. */
  public boolean renew(String provider) {
    var until = clock.instant().plus(HELD);
    return transactions.write(() -> rows.renew(provider, owner, until) == 1);
  }

  /** Records that the list has been read up to this instant and what was missed is stored. */
  public void read(String provider, Instant upTo) {
    transactions.write(() -> rows.done(provider, owner, upTo, clock.instant().plus(EVERY)));
  }

  /** Records that the list was not read to its end: the next read begins where this one began. */
  public void failed(String provider) {
    transactions.write(
        () -> rows.failed(provider, owner, clock.instant().plus(AGAIN_AFTER_FAILURE)));
  }

  /** Counts entries of a list that could not be read or stored while the rest was. */
  public void passedOver(int howMany) {
    passedOver.add(howMany);
  }

  /** Returns how many entries were passed over since this process started. */
  public long passedOver() {
    return passedOver.sum();
  }
}
