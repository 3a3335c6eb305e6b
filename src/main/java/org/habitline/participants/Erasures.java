package org.habitline.participants;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Who asked to be erased, and how far that is. An erasure is asked for, waits for the participant's
 * last text, leaves no row of them behind, and is done when what databases keep of deleted rows is
 * gone as well. All of that survives a crash: whoever starts next goes on where it stands.
 */
@Singleton
public final class Erasures {

  private final JdbcErasures rows;
  private final ErasureRecord record;
  private final ErasedSenders senders;
  private final Transactions transactions;
  private final Clock systemClock;

  Erasures(
      JdbcErasures rows,
      ErasureRecord record,
      ErasedSenders senders,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.record = record;
    this.senders = senders;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** How far an erasure is. */
  public enum Status {
    /** The participant's last text has not left yet. */
    WAITING,
    /** No row of them is left; files still hold what was deleted. */
    REWRITING,
    /** No file holds anything of them; on PostgreSQL the server has freed the deleted rows. */
    DONE;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** One erasure. */
  public record Erasure(
      String participantId,
      Status status,
      Instant requestedAt,
      @Nullable Instant erasedAt,
      @Nullable Instant doneAt) {}

  /**
   * Erasures, newest first.
   *
   * @param next where the next page starts, or {@code null} after the last
   */
  public record Page(List<Erasure> erasures, @Nullable Long next) {}

  /** Returns a page of at most this many before a place ({@link Long#MAX_VALUE} at first). */
  public Page list(long before, int most) {
    var found = transactions.read(() -> rows.newest(before, most + 1));
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(
        page.stream().map(Erasures::read).toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  /** Returns the erasure of this participant, or empty if they were never erased. */
  public Optional<Erasure> find(String participantId) {
    return transactions.read(() -> rows.find(participantId).map(Erasures::read));
  }

  /** Returns whose rows are gone while files may still hold what was deleted. */
  public List<String> rewriting() {
    return transactions.read(() -> rows.rewriting());
  }

  /** Commits something that says nothing, so that the database moves on by a version. */
  public void nudge(String participantId) {
    transactions.write(() -> rows.nudge(participantId));
  }

  /** No file holds anything of this participant any more; false if that was known before. */
  public boolean done(String participantId) {
    return transactions.write(() -> rows.done(participantId, systemClock.instant()) > 0);
  }

  /**
   * Writes down that an erasure was asked for, first outside the database; there it is withdrawn if
   * the running transaction is undone.
   *
   * @param hashes of the participant's senders
   */
  void asked(String participantId, boolean keepTranscript, List<String> hashes) {
    var now = systemClock.instant();
    var entry = new ErasureRecord.Entry(participantId, now, keepTranscript, hashes);
    transactions.afterRollback(() -> record.withdraw(entry));
    record.add(entry);
    rows.forget(participantId);
    rows.insert(participantId, keepTranscript, now);
  }

  /** The same of somebody whose erasure was written down before, here or on another node. */
  void askedBefore(String participantId, boolean keepTranscript) {
    rows.forget(participantId);
    rows.insert(participantId, keepTranscript, systemClock.instant());
  }

  /**
   * No row of this participant is left.
   *
   * @param hashes of their senders, whose texts from before {@code at} stay away
   */
  void erased(String participantId, boolean keepTranscript, List<String> hashes, Instant at) {
    if (rows.find(participantId).isEmpty()) {
      // Asked for before erasures were written down.
      asked(participantId, keepTranscript, hashes);
    }
    rows.erased(participantId, systemClock.instant());
    senders.note(hashes, at);
  }

  Instant now() {
    return systemClock.instant();
  }

  private static Erasure read(JdbcErasures.Row row) {
    return new Erasure(
        row.participantId(), row.status(), row.requestedAt(), row.erasedAt(), row.doneAt());
  }
}
