package org.habitline.study.fidelity;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.conversation.stored.Outcome;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.storage.StoredAsWord;
import org.habitline.timers.FollowUp;
import org.habitline.timers.Occurrence;
import org.jspecify.annotations.Nullable;

/**
 * Reads what happened on a day, and keeps the counts of each day. Participants who were erased or
 * are being erased are not counted, nor are contacts who are not enrolled. Only {@link Fidelity}
 * uses it; others use its {@link Day}.
 */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcFidelity extends GenericRepository<JdbcFidelity.Day, String> {

  /** Returns the daily prompts of a local date that were neither cancelled nor skipped. */
  @Query(
      """
      SELECT o.participant_id AS participant_id, o.slot AS slot, o.turn AS turn, o.status AS status,
             o.reason AS reason, o.due_at AS due_at, o.sent_at AS sent_at, o.reminder_due_at AS reminder_due_at,
             o.reminded_at AS reminded_at, o.responded_at AS responded_at, o.prompted_at AS prompted_at,
             o.asked_at AS asked_at, o.outcome AS outcome, o.follow_up AS follow_up
      FROM occurrence o JOIN participant p ON p.id = o.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND o.local_date = :first AND o.status NOT IN ('cancelled', 'skipped')
      ORDER BY o.participant_id, o.slot LIMIT :most\
      """)
  List<Prompt> prompts(String first, int most);

  /** Returns why the reminder of a prompt was not sent; {@code guard} is the key of the prompt. */
  @Query(
      """
      SELECT MAX(w.reason) FROM wakeup w
      WHERE w.participant_id = :participantId AND w.kind = 'reminder' AND w.guard = :guard
        AND (w.status = 'dropped' OR w.status = 'cancelled')\
      """)
  Optional<String> whyNoReminder(String participantId, String guard);

  /** Counts the turns with an outcome. */
  @Query(
      """
      SELECT COUNT(*) FROM turn t JOIN participant p ON p.id = t.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND t.outcome = :outcome
        AND t.completed_at >= :begin AND t.completed_at < :finish\
      """)
  long turns(@StoredAsWord Outcome outcome, Instant begin, Instant finish);

  /** Returns the turns with an outcome. */
  @Query(
      """
      SELECT t.participant_id AS participant_id, t.number AS turn, t.outcome AS reason
      FROM turn t JOIN participant p ON p.id = t.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND t.outcome = :outcome
        AND t.completed_at >= :begin AND t.completed_at < :finish
      ORDER BY t.completed_at LIMIT :most\
      """)
  List<Turn> ended(@StoredAsWord Outcome outcome, Instant begin, Instant finish, int most);

  @Query(
      """
      SELECT COUNT(*) FROM iteration i JOIN participant p ON p.id = i.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND i.started_at >= :begin AND i.started_at < :finish\
      """)
  long calls(Instant begin, Instant finish);

  /**
   * Returns the model calls that were answered under another name than was asked, with the part of
   * the stored answer that begins with the name asked. A name in someone's words would have its
   * quotation marks escaped.
   */
  @Query(
      """
      SELECT i.participant_id AS participant_id, i.turn AS turn, i.model AS returned,
             SUBSTRING(i.answer FROM POSITION('"modelAsked":"' IN i.answer) FOR 220) AS asked
      FROM iteration i JOIN participant p ON p.id = i.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND i.started_at >= :begin AND i.started_at < :finish
        AND POSITION('"modelAsked":"' IN i.answer) > 0
        AND POSITION('"modelAsked":"' || i.model || '"' IN i.answer) = 0
      ORDER BY i.started_at LIMIT :most\
      """)
  List<Called> otherNames(Instant begin, Instant finish, int most);

  /**
   * Counts the turns with a text, of which {@link #unanswered} returns those without a reply: texts
   * of incidents and of participants who opted out are left out here too.
   */
  @Query(
      """
      SELECT COUNT(*) FROM (
        SELECT DISTINCT m.participant_id AS participant_id, m.turn AS turn
        FROM message m JOIN participant p ON p.id = m.participant_id JOIN address a ON a.id = p.address_id
        WHERE p.erasing = 'no' AND p.contact = FALSE AND a.opted_out = FALSE
          AND m.created_at >= :begin AND m.created_at < :finish
          AND m.author = 'participant' AND m.incident_id IS NULL) t\
      """)
  long texts(Instant begin, Instant finish);

  /**
   * Returns turns with a text after which the participant got no message but those that come by
   * themselves. A message that was sent again answers what its first delivery answered: the texts
   * before the message was written. Texts of incidents and of participants who opted out are left
   * out.
   */
  @Query(
      """
      SELECT DISTINCT m.participant_id AS participant_id, m.turn AS turn,
             (SELECT t.outcome FROM turn t WHERE t.participant_id = m.participant_id AND t.number = m.turn) AS reason
      FROM message m JOIN participant p ON p.id = m.participant_id JOIN address a ON a.id = p.address_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND a.opted_out = FALSE
        AND m.created_at >= :begin AND m.created_at < :finish
        AND m.author = 'participant' AND m.incident_id IS NULL
        AND NOT EXISTS (SELECT 1 AS found FROM outbox o
                        WHERE o.participant_id = m.participant_id AND o.said_at >= m.created_at
                          AND (o.retry_of IS NULL
                               OR COALESCE((SELECT w.created_at FROM message w WHERE w.id = o.message_id), o.said_at)
                                  >= m.created_at)
                          AND o.provider_id IS NOT NULL
                          AND o.kind IN ('reply', 'prompt_now', 'staff', 'chosen', 'status', 'help', 'confirmation',
                                         'notice', 'crisis', 'consent')
                          AND \
      """
          + Outbox.TO_ONE
          + ") LIMIT :most")
  List<Turn> unanswered(Instant begin, Instant finish, int most);

  /**
   * Returns texts that came before an instant and have had no turn; not those of incidents and of
   * participants who opted out.
   */
  @Query(
      """
      SELECT i.participant_id AS participant_id, i.seq AS seq
      FROM inbox i JOIN participant p ON p.id = i.participant_id JOIN address a ON a.id = p.address_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND a.opted_out = FALSE AND i.status = 'waiting' AND i.kind = 'said'
        AND i.received_at < :finish AND i.incident_id IS NULL
      LIMIT :most\
      """)
  List<Waiting> waiting(Instant finish, int most);

  /** Counts the active participants who were enrolled before an instant. */
  @Query(
      """
      SELECT COUNT(*) FROM participant p JOIN address a ON a.id = p.address_id
      WHERE p.status = 'active' AND p.erasing = 'no' AND p.contact = FALSE AND a.opted_out = FALSE
        AND p.enrolled_at < :enrolledBefore\
      """)
  long active(Instant enrolledBefore);

  /** Returns those of them who sent no text in a period, with the time of their last text. */
  @Query(
      """
      SELECT p.id AS participant_id,
             (SELECT MAX(m.created_at) FROM message m
              WHERE m.participant_id = p.id AND m.author = 'participant' AND m.created_at < :since) AS last_text_at
      FROM participant p JOIN address a ON a.id = p.address_id
      WHERE p.status = 'active' AND p.erasing = 'no' AND p.contact = FALSE AND a.opted_out = FALSE
        AND p.enrolled_at < :enrolledBefore
        AND p.id NOT IN (SELECT m.participant_id FROM message m
                         WHERE m.created_at >= :since AND m.created_at < :finish AND m.author = 'participant')
      ORDER BY p.id LIMIT :most\
      """)
  List<Silent> silent(Instant enrolledBefore, Instant since, Instant finish, int most);

  /** Returns the prompt files of which another text was first used in a period. */
  @Query(
      """
      SELECT n.file AS file, n.sha256 AS sha256 FROM prompt_text n
      WHERE n.first_seen >= :begin AND n.first_seen < :finish
        AND EXISTS (SELECT 1 AS found FROM prompt_text o WHERE o.file = n.file AND o.first_seen < n.first_seen)
      ORDER BY n.file, n.sha256 LIMIT :most\
      """)
  List<File> changedFiles(Instant begin, Instant finish, int most);

  @Query("SELECT MAX(local_date) FROM fidelity_day")
  Optional<String> newest();

  /** Returns when the first participant was enrolled, or empty if nobody is. */
  @Query("SELECT enrolled_at FROM participant WHERE contact = FALSE ORDER BY enrolled_at LIMIT 1")
  Optional<Instant> begun();

  @Query(
      """
      SELECT * FROM fidelity_day WHERE local_date >= :first AND local_date <= :last ORDER BY local_date\
      """)
  List<Day> days(String first, String last);

  @Query(
      """
      INSERT INTO fidelity_day (local_date, prompts_planned, prompts_sent, prompts_late, prompts_missed,
             follow_ups_due, follow_ups_sent, turns, fallbacks, texts, unanswered, model_calls, other_models,
             participants, silent, looked_at)
      VALUES (:day, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, :now) ON CONFLICT DO NOTHING\
      """)
  int begin(String day, Instant now);

  Day update(Day day);

  /**
   * What was expected of a day and what happened.
   *
   * @param promptsPlanned daily prompts of this local date that were neither cancelled nor skipped
   * @param promptsLate those of the sent ones that were late
   * @param followUpsDue reminders, and later questions about the outcome, that should have been
   *     sent
   * @param turns turns in which the coach was to write
   * @param fallbacks those of them that ended without a text of the model
   * @param texts turns with a text, and texts without a turn; not those of incidents and of
   *     participants who opted out
   * @param unanswered those of them that got no reply
   * @param otherModels model calls that another model answered
   * @param participants active participants for as long as makes a participant silent
   * @param silent those of them who have been silent since
   */
  @MappedEntity("fidelity_day")
  @Schema(name = "FidelityDay")
  record Day(
      @Id @Schema(format = "date") String localDate,
      long promptsPlanned,
      long promptsSent,
      long promptsLate,
      long promptsMissed,
      long followUpsDue,
      long followUpsSent,
      long turns,
      long fallbacks,
      long texts,
      long unanswered,
      long modelCalls,
      long otherModels,
      long participants,
      long silent,
      Instant lookedAt) {}

  /** A daily prompt. */
  @Introspected
  record Prompt(
      String participantId,
      int slot,
      @Nullable Integer turn,
      @StoredAsWord Occurrence.Status status,
      @Nullable String reason,
      Instant dueAt,
      @Nullable Instant sentAt,
      @Nullable Instant reminderDueAt,
      @Nullable Instant remindedAt,
      @Nullable Instant respondedAt,
      @Nullable Instant promptedAt,
      @Nullable Instant askedAt,
      @Nullable String outcome,
      @StoredAsWord @Nullable FollowUp followUp) {}

  /** A turn, and the word of its outcome. */
  @Introspected
  record Turn(String participantId, int turn, @Nullable String reason) {}

  /** A model call, and the names of the models. */
  @Introspected
  record Called(String participantId, int turn, String returned, String asked) {}

  /** A text without a turn. */
  @Introspected
  record Waiting(String participantId, long seq) {}

  /** A participant who has been silent, and when they last wrote. */
  @Introspected
  record Silent(String participantId, @Nullable Instant lastTextAt) {}

  /** A version of a prompt file. */
  @Introspected
  record File(String file, String sha256) {}
}
