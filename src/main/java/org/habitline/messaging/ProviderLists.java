package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;

/**
 * How far a provider's list of messages has been read, so that whatever never reached the line is
 * found in it: a proxy or DNS may be away for hours while the line is well. One node at a time
 * reads a list, for {@link #HELD} unless it renews; another goes on where the last one that
 * finished was, whoever dies in between. No connection is held while the provider is asked.
 */
@Singleton
public final class ProviderLists {

  /** How often a list is read. */
  public static final Duration EVERY = Duration.ofMinutes(5);

  /** How much of what was read is read again: what was late in the list last time. */
  public static final Duration OVERLAP = Duration.ofHours(1);

  /** How long a node that died keeps the others away. */
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

  /** A list that was never read counts as read up to this instant. */
  public void begin(String provider, Instant upTo) {
    transactions.write(() -> rows.insert(provider, upTo));
  }

  /** Returns up to when a list has been read, or empty if it never was. */
  public Optional<Instant> readUpTo(String provider) {
    return transactions.read(() -> rows.find(provider)).map(JdbcProviderLists.Row::readUpTo);
  }

  /**
   * Returns from when the list is to be read now, by this node and no other until it says {@link
   * #read} or {@link #failed}; empty if it is not time or another node reads it.
   *
   * @param atOnce whether to read it now whenever it was read last
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

  /** Keeps the others away for longer; false if another node has begun. */
  public boolean renew(String provider) {
    var until = clock.instant().plus(HELD);
    return transactions.write(() -> rows.renew(provider, owner, until) == 1);
  }

  /** The list has been read and what was missed is stored. */
  public void read(String provider, Instant upTo) {
    transactions.write(() -> rows.done(provider, owner, upTo, clock.instant().plus(EVERY)));
  }

  /** The list could not be read to its end: whoever is next begins where this began. */
  public void failed(String provider) {
    transactions.write(
        () -> rows.failed(provider, owner, clock.instant().plus(AGAIN_AFTER_FAILURE)));
  }

  /** Lets go what a process that died held; joins the running transaction. */
  void releaseAll() {
    rows.releaseAll();
  }

  /** Counts what could not be read or stored of a list, while the rest of it was. */
  public void passedOver(int howMany) {
    passedOver.add(howMany);
  }

  /** Returns how much was passed over since this process started. */
  public long passedOver() {
    return passedOver.sum();
  }
}
