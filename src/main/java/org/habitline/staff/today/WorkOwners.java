package org.habitline.staff.today;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Keeps which staff member is on which row of Today. A row's key says what it is about and when
 * that began, so that an owner does not pass on to a later row. Owners of rows that no list shows
 * are never read, and are deleted after a month.
 */
@Singleton
final class WorkOwners implements ParticipantListener {

  private static final Duration KEPT = Duration.ofDays(31);

  private final JdbcWorkOwners rows;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;

  WorkOwners(
      JdbcWorkOwners rows,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /**
   * The staff member who is on a row.
   *
   * @param participantId whom the row is about; {@code null} for an unmatched text
   * @param takenAt system time
   * @param studyAt the same in study time
   * @param replied whether the participant got a reply since
   */
  record Owner(
      String name,
      @Nullable String participantId,
      Instant takenAt,
      Instant studyAt,
      boolean replied) {}

  /** Returns who is on these rows, in one statement. */
  Map<String, Owner> of(Collection<String> keys) {
    if (keys.isEmpty()) {
      return Map.of();
    }
    return transactions.read(() -> rows.of(keys)).stream()
        .collect(
            Collectors.toMap(JdbcWorkOwners.Owned::rowKey, WorkOwners::owner, (one, same) -> one));
  }

  private static Owner owner(JdbcWorkOwners.Owned row) {
    return new Owner(
        row.owner(), row.participantId(), row.takenAt(), row.studyAt(), row.replies() > 0);
  }

  /**
   * Records that a staff member is on a row that nobody is on; returns whether that was so. Joins
   * the running transaction.
   */
  boolean take(String key, @Nullable String participantId, String by) {
    var now = systemClock.instant();
    rows.deleteOld(now.minus(KEPT));
    return rows.insert(key, participantId, by, now, clock.instant()) > 0;
  }

  /**
   * Removes this owner from a row; returns whether they owned it. Joins the running transaction.
   */
  boolean giveBack(String key, String by) {
    return rows.delete(key, by) > 0;
  }

  /** Removes any owner from a row, because it is about something new. */
  void forget(String key) {
    rows.forget(key);
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
