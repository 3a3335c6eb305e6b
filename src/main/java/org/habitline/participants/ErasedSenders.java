package org.habitline.participants;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Whose texts from before an erasure must stay away: a provider's list still holds them for days,
 * and a backup that was put back does not know them any more. Senders are kept as hashes under the
 * key of {@link NumberHash}, with the time of the erasure, and nothing of whom they belonged to.
 */
@Singleton
public final class ErasedSenders {

  /** Twice as long as a provider's list is read back. */
  private static final Duration KEPT = Duration.ofDays(14);

  private final JdbcErasures rows;
  private final ErasureRecord record;
  private final NumberHash hash;
  private final Suppressed suppressed;
  private final Transactions transactions;
  private final Clock systemClock;
  private volatile boolean recalled;

  ErasedSenders(
      JdbcErasures rows,
      ErasureRecord record,
      NumberHash hash,
      Suppressed suppressed,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.record = record;
    this.hash = hash;
    this.suppressed = suppressed;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * Whether a text that a sender sent at that time belongs to somebody who was erased since; joins
   * the running transaction.
   *
   * @param phone the sender's number, or {@code null} if they are named by something else
   * @param name what the provider calls the sender
   */
  public boolean tookTextsFrom(@Nullable PhoneNumber phone, String name, Instant sentAt) {
    recall();
    return rows.erasedSince(phone == null ? hash.ofName(name) : hash.of(phone), sentAt) > 0;
  }

  /** Notes that senders were erased at that time; a later time that is known stays. */
  public void note(Collection<String> senders, Instant at) {
    if (at.isBefore(systemClock.instant().minus(KEPT))) {
      return;
    }
    transactions.write(() -> {
      for (var sender : senders) {
        rows.senderErased(sender, at);
        rows.insertSender(sender, at);
      }
    });
  }

  /** Forgets those whose texts no list holds any more. */
  public void forget() {
    var before = systemClock.instant().minus(KEPT);
    transactions.write(() -> rows.forgetSenders(before));
  }

  /** Returns the hashes of a number and of names of the same person. */
  List<String> hashes(PhoneNumber phone, Collection<String> names) {
    var hashes = new ArrayList<>(List.of(hash.of(phone)));
    names.forEach(name -> hashes.add(hash.ofName(name)));
    return List.copyOf(hashes);
  }

  /**
   * Reads the file of erasures once after each start, because a restored database lacks what was
   * erased since the backup. Call this before the first text of a list is taken: it may fail.
   */
  public void recall() {
    if (recalled) {
      return;
    }
    transactions.write(() -> {
      if (!suppressed.knowsTheKey()) {
        throw new IllegalStateException("The key of the hashes is not the one of this database.");
      }
      record.entries().forEach(entry -> note(entry.senders(), entry.at()));
      transactions.afterCommit(() -> recalled = true);
    });
  }
}
