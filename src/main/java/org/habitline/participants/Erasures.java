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
 * Keeps the requested erasures and their progress. An erasure is requested, waits for the
 * participant's last message to be sent, deletes all of their rows, and is done once the space of
 * the deleted rows is freed as well. All of this survives a crash: the next start continues where
 * the last one stopped.
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

  /** The progress of an erasure. */
  public enum Status {
    /** The participant's last message has not been sent yet. */
    WAITING,
    /** All of their rows are deleted; files may still hold the deleted data. */
    REWRITING,
    /** No file holds their data any more; on PostgreSQL the server has freed the deleted rows. */
    DONE;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public record Erasure(
      String participantId,
      Status status,
      Instant requestedAt,
      @Nullable Instant erasedAt,
      @Nullable Instant doneAt) {}

  /**
   * One page of erasures, newest first.
   *
   * @param next where the next page starts, or {@code null} on the last page
   */
  public record Page(List<Erasure> erasures, @Nullable Long next) {}

  /**
   * Returns a page of at most {@code most} erasures before a position ({@link Long#MAX_VALUE} for
   * the first page).
   */
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

  /** Returns the ids of participants whose rows are deleted while files may still hold the data. */
  public List<String> rewriting() {
    return transactions.read(() -> rows.rewriting());
  }

  /** Commits a change without meaning, so that the database file moves on by a version. */
  public void nudge(String participantId) {
    transactions.write(() -> rows.nudge(participantId));
  }

  /**
   * Marks an erasure as done: no file holds this participant's data any more. Returns false if it
   * was not waiting for that.
   */
  public boolean done(String participantId) {
    return transactions.write(() -> rows.done(participantId, systemClock.instant()) > 0);
  }

  /**
   * Records a requested erasure, first outside the database; that entry is withdrawn if the running
   * transaction is rolled back.
   *
   * @param hashes hashes of the participant's senders
   */
  void asked(String participantId, boolean keepTranscript, List<String> hashes) {
    var now = systemClock.instant();
    var entry = new ErasureRecord.Entry(participantId, now, keepTranscript, hashes);
    transactions.afterRollback(() -> record.withdraw(entry));
    record.add(entry);
    rows.forget(participantId);
    rows.insert(participantId, keepTranscript, now);
  }

  /**
   * Records an erasure in the database only, because its entry outside was written before, here or
   * on another node.
   */
  void askedBefore(String participantId, boolean keepTranscript) {
    rows.forget(participantId);
    rows.insert(participantId, keepTranscript, systemClock.instant());
  }

  /**
   * Records that all of the participant's rows are deleted.
   *
   * @param hashes hashes of their senders, whose texts from before {@code at} stay ignored
   */
  void erased(String participantId, List<String> hashes, Instant at) {
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
