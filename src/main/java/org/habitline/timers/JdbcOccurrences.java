package org.habitline.timers;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of occurrences. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcOccurrences extends GenericRepository<JdbcOccurrences.Row, String> {

  String THIS =
      " WHERE participant_id = :participantId AND local_date = :localDate AND slot = :slot ";

  @Query(
      """
      INSERT INTO occurrence (participant_id, local_date, slot, schedule_id, wall_time, zone, due_at, status,
                              pending)
      VALUES (:participantId, :localDate, :slot, :scheduleId, :wallTime, :zone, :dueAt, 'planned', FALSE)
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String participantId,
      String localDate,
      int slot,
      String scheduleId,
      String wallTime,
      String zone,
      Instant dueAt);

  @Query(
      "UPDATE occurrence SET schedule_id = :scheduleId, wall_time = :wallTime, zone = :zone, due_at = :dueAt,"
          + " status = 'planned', reason = NULL"
          + THIS
          + "AND status IN ('planned', 'cancelled')")
  int planAgain(
      String participantId,
      String localDate,
      int slot,
      String scheduleId,
      String wallTime,
      String zone,
      Instant dueAt);

  @Query(
      """
      UPDATE occurrence SET status = 'cancelled', reason = :reason
      WHERE participant_id = :participantId AND slot = :slot AND status = 'planned' AND local_date <> :but\
      """)
  int cancelPlanned(String participantId, int slot, String but, String reason);

  /**
   * Marks a prompt as written.
   *
   * @param askedAt now if it asks about the outcome, else {@code null}
   */
  @Query(
      "UPDATE occurrence SET status = 'prompting', turn = :turn, prompted_at = :now, asked_at = :askedAt,"
          + " question_open = :questionOpen"
          + THIS
          + "AND status = 'planned'")
  int prompting(
      String participantId,
      String localDate,
      int slot,
      int turn,
      Instant now,
      @Nullable Instant askedAt,
      boolean questionOpen);

  @Query(
      "UPDATE occurrence SET status = :status, reason = :reason" + THIS + "AND status = 'planned'")
  int endPlanned(
      String participantId,
      String localDate,
      int slot,
      @StoredAsWord Occurrence.Status status,
      @Nullable String reason);

  /** Makes a date free again whose prompt ended without a message; returns 1 if it did. */
  @Query(
      "UPDATE occurrence SET status = 'cancelled', reason = NULL"
          + THIS
          + "AND status = :before AND turn IS NULL")
  int reopen(
      String participantId, String localDate, int slot, @StoredAsWord Occurrence.Status before);

  @Query(
      "UPDATE occurrence SET status = 'sent', reason = NULL, sent_at = :now, pending = :pending,"
          + " reminder_due_at = :reminderDueAt, follow_up = :followUp"
          + THIS
          + "AND status IN ('prompting', 'refused')")
  int sent(
      String participantId,
      String localDate,
      int slot,
      Instant now,
      boolean pending,
      @Nullable Instant reminderDueAt,
      @StoredAsWord @Nullable FollowUp followUp);

  @Query(
      "UPDATE occurrence SET status = :status, reason = :reason, pending = FALSE"
          + THIS
          + "AND status = :before")
  int endPrompt(
      String participantId,
      String localDate,
      int slot,
      @StoredAsWord Occurrence.Status status,
      @StoredAsWord Occurrence.Status before,
      String reason);

  /**
   * Records a reply; the first one counts. It ends the wait for a reminder, but not for a question
   * about the outcome that is still to be asked.
   */
  @Query(
      "UPDATE occurrence SET responded_at = COALESCE(responded_at, CAST(:at AS timestamp(6) with time zone)),"
          + " question_open = FALSE, pending = CASE WHEN asked_at IS NULL THEN pending ELSE FALSE END"
          + THIS)
  int responded(String participantId, String localDate, int slot, Instant at);

  /** Sets or removes the outcome of a prompt that was sent; unlike before only. */
  @Query(
      "UPDATE occurrence SET outcome = :said"
          + THIS
          + "AND status IN ('prompting', 'sent') AND COALESCE(outcome, '') <> COALESCE(:said, '')")
  int outcome(
      String participantId, String localDate, int slot, @StoredAsWord @Nullable PromptOutcome said);

  @Query("UPDATE occurrence SET reminder_due_at = :reminderDueAt" + THIS + "AND pending = TRUE")
  int remindLater(String participantId, String localDate, int slot, Instant reminderDueAt);

  /** Records that the question about the outcome was written, in place of a reminder. */
  @Query(
      "UPDATE occurrence SET pending = FALSE, asked_at = :now, question_open = TRUE"
          + THIS
          + "AND pending = TRUE")
  int asked(String participantId, String localDate, int slot, Instant now);

  /** Records that a question that was not part of the prompt did not arrive. */
  @Query(
      "UPDATE occurrence SET asked_at = NULL, question_open = FALSE"
          + THIS
          + "AND asked_at > prompted_at")
  int notAsked(String participantId, String localDate, int slot);

  @Query(
      "UPDATE occurrence SET question_open = FALSE WHERE participant_id = :participantId AND question_open = TRUE")
  int closeQuestions(String participantId);

  @Query("SELECT * FROM occurrence" + THIS)
  Optional<Row> find(String participantId, String localDate, int slot);

  /** Ends the wait for a reply; a follow-up that is still due becomes what is given. */
  @Query(
      "UPDATE occurrence SET pending = FALSE,"
          + " follow_up = CASE WHEN follow_up = 'due' THEN CAST(:followUp AS varchar(16)) ELSE follow_up END"
          + THIS
          + "AND pending = TRUE")
  int noMorePending(
      String participantId, String localDate, int slot, @StoredAsWord FollowUp followUp);

  /**
   * Ends the wait for every reply. A follow-up that is due after an instant becomes what is given;
   * one that should have been sent by then is lost.
   */
  @Query(
      """
      UPDATE occurrence SET pending = FALSE,
             follow_up = CASE WHEN follow_up = 'due' AND reminder_due_at <= :at THEN 'lost'
                              WHEN follow_up = 'due' THEN CAST(:followUp AS varchar(16)) ELSE follow_up END
      WHERE participant_id = :participantId AND pending = TRUE\
      """)
  int nonePending(String participantId, @StoredAsWord FollowUp followUp, Instant at);

  @Query(
      "UPDATE occurrence SET reminded_at = :now, follow_up = 'sent'"
          + THIS
          + "AND reminded_at IS NULL")
  int reminded(String participantId, String localDate, int slot, Instant now);

  @Query("SELECT * FROM occurrence WHERE participant_id = :participantId AND turn = :turn")
  Optional<Row> ofTurn(String participantId, int turn);

  @Query(
      """
      SELECT * FROM occurrence
      WHERE participant_id = :participantId
        AND (local_date < :beforeDate OR local_date = :beforeDate AND slot < :beforeSlot)
      ORDER BY local_date DESC, slot DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, String beforeDate, int beforeSlot, int most);

  /** Returns occurrences before a key that have a prompt, newest first. */
  @Query(
      """
      SELECT * FROM occurrence
      WHERE participant_id = :participantId AND status IN ('prompting', 'sent')
        AND (local_date < :beforeDate OR local_date = :beforeDate AND slot < :beforeSlot)
      ORDER BY local_date DESC, slot DESC LIMIT :most\
      """)
  List<Row> newestPrompted(String participantId, String beforeDate, int beforeSlot, int most);

  /** Returns prompts of a status that are due in a period, in the order of due time. */
  @Query(
      """
      SELECT * FROM occurrence WHERE status = :status AND due_at >= :begin AND due_at < :finish
      ORDER BY status, due_at LIMIT :most\
      """)
  List<Row> due(@StoredAsWord Occurrence.Status status, Instant begin, Instant finish, int most);

  /** Returns prompts of a status that are due in a period, newest first. */
  @Query(
      """
      SELECT * FROM occurrence WHERE status = :status AND due_at >= :begin AND due_at < :finish
      ORDER BY status DESC, due_at DESC LIMIT :most\
      """)
  List<Row> lately(@StoredAsWord Occurrence.Status status, Instant begin, Instant finish, int most);

  /**
   * Counts prompts due since an instant that were sent, and those of them with a reply; counts at
   * most {@code most}.
   */
  @Query(
      """
      SELECT COUNT(*) AS sent, COUNT(m.responded_at) AS answered
      FROM (SELECT responded_at FROM occurrence WHERE status = 'sent' AND due_at >= :since LIMIT :most) m\
      """)
  Prompted prompted(Instant since, int most);

  /** Counts missed prompts due since an instant; counts at most {@code most}. */
  @Query(
      """
      SELECT COUNT(*) FROM (SELECT due_at FROM occurrence WHERE status = 'missed' AND due_at >= :since LIMIT :most) m\
      """)
  int missedSince(Instant since, int most);

  @Query("DELETE FROM occurrence WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Counts of prompts. */
  @Introspected
  record Prompted(long sent, long answered) {}

  /** A row as stored. */
  @MappedEntity("occurrence")
  record Row(
      @Id String participantId,
      String localDate,
      int slot,
      String scheduleId,
      String wallTime,
      String zone,
      Instant dueAt,
      @StoredAsWord Occurrence.Status status,
      @Nullable String reason,
      @Nullable Integer turn,
      @Nullable Instant promptedAt,
      @Nullable Instant sentAt,
      boolean pending,
      @Nullable Instant reminderDueAt,
      @Nullable Instant remindedAt,
      @Nullable Instant respondedAt,
      @Nullable Instant askedAt,
      boolean questionOpen,
      @StoredAsWord @Nullable PromptOutcome outcome) {

    Occurrence occurrence() {
      var date = LocalDate.parse(localDate);
      return new Occurrence(
          new Occurrence.Key(date, slot),
          scheduleId,
          new Moment(date, LocalDateTime.parse(wallTime), ZoneId.of(zone), dueAt),
          status,
          reason,
          turn,
          promptedAt,
          sentAt,
          pending,
          reminderDueAt,
          remindedAt,
          respondedAt,
          askedAt,
          questionOpen,
          outcome);
    }
  }
}
