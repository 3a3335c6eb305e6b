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
 * Remembers the senders of erased participants, so that their texts from before the erasure are not
 * imported again: a provider's list still holds those texts for days, and a restored backup does
 * not know about the erasure. Stores only a hash of each sender, under the key of {@link
 * NumberHash}, and the time of the erasure.
 */
@Singleton
public final class ErasedSenders {

  /** Twice as far as the provider's list of messages is read back. */
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
   * Returns whether the participant who sent a text at that time was erased afterwards; joins the
   * running transaction.
   *
   * @param phone the sender's number, or {@code null} if the provider identifies them by something
   *     else
   * @param name what the provider calls the sender
   */
  public boolean tookTextsFrom(@Nullable PhoneNumber phone, String name, Instant sentAt) {
    recall();
    return rows.erasedSince(phone == null ? hash.ofName(name) : hash.of(phone), sentAt) > 0;
  }

  /** Records that senders were erased at that time; a later time recorded before is kept. */
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

  /** Deletes senders whose texts can no longer be on a provider's list. */
  public void forget() {
    var before = systemClock.instant().minus(KEPT);
    transactions.write(() -> rows.forgetSenders(before));
  }

  /** Returns the hashes of one person's number and names. */
  List<String> hashes(PhoneNumber phone, Collection<String> names) {
    var hashes = new ArrayList<>(List.of(hash.of(phone)));
    names.forEach(name -> hashes.add(hash.ofName(name)));
    return List.copyOf(hashes);
  }

  /**
   * Reads the erasure file once after each start, because a restored database lacks the erasures
   * since the backup. Call this before the first text of a provider's list is imported.
   *
   * @throws IllegalStateException if the database was hashed with another key
   */
  public void recall() {
    if (recalled) {
      return;
    }
    transactions.write(() -> {
      if (!suppressed.knowsTheKey()) {
        throw new IllegalStateException(
            "This process's key is not the one this database was hashed with.");
      }
      record.entries().forEach(entry -> note(entry.senders(), entry.at()));
      transactions.afterCommit(() -> recalled = true);
    });
  }
}
