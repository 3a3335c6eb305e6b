package org.habitline.study.figures;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.habitline.budgets.Charge;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.participants.ParticipantStatus;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/**
 * Reads the study's figures by day. Participants who were erased or are being erased are not
 * counted, nor are contacts who are not enrolled. Days are UTC days as {@code yyyy-mm-dd}; prompts
 * have the local date of their participant.
 */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcFigures extends GenericRepository<JdbcFigures.Enrolled, String> {

  /** Returns the number of participants by day of enrolment and present status. */
  @Query(
      """
      SELECT CAST(CAST(p.enrolled_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, p.status AS status,
             COUNT(*) AS people
      FROM participant p WHERE p.erasing = 'no' AND p.contact = FALSE
      GROUP BY CAST(CAST(p.enrolled_at AT TIME ZONE 'UTC' AS date) AS varchar), p.status\
      """)
  List<Enrolled> enrolled();

  /**
   * Returns how many participants take part in each way.
   *
   * @param version the version of the consent text that counts, or empty if the study asks nobody
   */
  @Query(
      "SELECT c.taking_part AS taking_part, COUNT(*) AS people FROM (SELECT "
          + Participation.OF_PARTICIPANT
          + " AS taking_part FROM participant p JOIN address a ON a.id = p.address_id"
          + " WHERE p.erasing = 'no' AND p.contact = FALSE) c GROUP BY c.taking_part")
  List<TakingPart> participation(String version);

  @Query(
      """
      SELECT COUNT(*) FROM participant p JOIN address a ON a.id = p.address_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND a.opted_out = TRUE\
      """)
  int optedOut();

  /**
   * Returns the participants in the order of their enrolment, with what says how long they took
   * part and when they last sent a text. The newest text is found from the end of the transcript.
   */
  @Query(
      """
      SELECT p.flow AS flow, p.timezone AS zone, p.enrolled_at AS enrolled_at, p.status AS status,
             CASE WHEN p.status IN ('completed', 'withdrawn') THEN p.ended_at
                  WHEN a.opted_out = TRUE THEN a.opted_out_at END AS ended_at,
             (SELECT m.created_at FROM message m
              WHERE m.participant_id = p.id AND m.author = 'participant'
              ORDER BY m.participant_id DESC, m.seq DESC LIMIT 1) AS last_text_at
      FROM participant p JOIN address a ON a.id = p.address_id
      WHERE p.erasing = 'no' AND p.contact = FALSE ORDER BY p.seq LIMIT :most\
      """)
  List<TookPart> tookPart(int most);

  /** Returns the daily prompts by local date, flow and local date of enrolment. */
  @Query(
      """
      SELECT d.on_day AS on_day, d.flow AS flow, d.enrolled_on AS enrolled_on,
             COUNT(*) AS planned,
             SUM(CASE WHEN d.status = 'sent' THEN 1 ELSE 0 END) AS sent,
             SUM(CASE WHEN d.status = 'sent' AND d.responded_at IS NOT NULL THEN 1 ELSE 0 END) AS answered,
             SUM(CASE WHEN d.status = 'sent' AND d.outcome = 'done' THEN 1 ELSE 0 END) AS done,
             SUM(CASE WHEN d.status = 'sent' AND d.outcome = 'partly' THEN 1 ELSE 0 END) AS partly,
             SUM(CASE WHEN d.status = 'sent' AND d.outcome = 'not_done' THEN 1 ELSE 0 END) AS not_done,
             SUM(CASE WHEN d.status = 'sent' AND d.outcome IS NULL AND d.responded_at IS NOT NULL THEN 1 ELSE 0 END) AS only_answered,
             COUNT(DISTINCT CASE WHEN d.status = 'sent' THEN d.participant_id END) AS sent_to,
             SUM(CASE WHEN d.status IN ('missed', 'refused') THEN 1 ELSE 0 END) AS missed
      FROM (SELECT o.participant_id AS participant_id, o.local_date AS on_day, o.status AS status, o.responded_at AS responded_at, o.outcome AS outcome,
                   p.flow AS flow, p.enrolled_on AS enrolled_on
            FROM occurrence o JOIN participant p ON p.id = o.participant_id
            WHERE p.erasing = 'no' AND p.contact = FALSE AND o.local_date >= :first AND o.local_date <= :last
              AND o.status IN ('planned', 'prompting', 'sent', 'missed', 'refused')) d
      GROUP BY d.on_day, d.flow, d.enrolled_on\
      """)
  List<Prompted> prompted(String first, String last);

  /**
   * Counts the sent prompts without an outcome and an answer that are the newest of their
   * participant.
   *
   * @param since the first date whose prompts can still be answered
   */
  @Query(
      """
      SELECT COUNT(*) FROM occurrence o JOIN participant p ON p.id = o.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND o.local_date >= :first AND o.local_date <= :last
        AND o.local_date >= :since AND o.status = 'sent' AND o.responded_at IS NULL AND o.outcome IS NULL
        AND NOT EXISTS (SELECT 1 AS found FROM occurrence n WHERE n.participant_id = o.participant_id
                           AND n.status = 'sent' AND n.due_at > o.due_at)\
      """)
  long stillOpen(String first, String last, String since);

  /** Counts the participants who were erased; nothing else is known of them. */
  @Query("SELECT COUNT(*) FROM erased_count")
  long erased();

  /** Returns when the newest answered prompts were sent and answered. */
  @Query(
      """
      SELECT o.local_date AS on_day, o.sent_at AS since, o.responded_at AS at
      FROM occurrence o JOIN participant p ON p.id = o.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND o.local_date >= :first AND o.local_date <= :last
        AND o.status = 'sent' AND o.sent_at IS NOT NULL AND o.responded_at IS NOT NULL
      ORDER BY o.local_date DESC LIMIT :most\
      """)
  List<Waited> answers(String first, String last, int most);

  @Query(
      """
      SELECT CAST(CAST(m.created_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, COUNT(*) AS texts
      FROM message m JOIN participant p ON p.id = m.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND m.created_at >= :begin AND m.created_at < :finish AND m.author = 'participant'
      GROUP BY CAST(CAST(m.created_at AT TIME ZONE 'UTC' AS date) AS varchar)\
      """)
  List<Texts> received(Instant begin, Instant finish);

  /** Returns the messages with one status, and how many of them a provider accepted. */
  @Query(
      """
      SELECT CAST(CAST(o.said_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, COUNT(*) AS texts,
             SUM(CASE WHEN o.provider_id IS NULL THEN 0 ELSE 1 END) AS taken,
             SUM(CASE WHEN o.provider_id IS NULL THEN 0 ELSE o.segments END) AS segments
      FROM outbox o JOIN participant p ON p.id = o.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND o.status = :reached AND o.said_at >= :begin AND o.said_at < :finish
      GROUP BY CAST(CAST(o.said_at AT TIME ZONE 'UTC' AS date) AS varchar)\
      """)
  List<Delivered> deliveries(@StoredAsWord DeliveryStatus reached, Instant begin, Instant finish);

  /**
   * Returns the newest replies with one status that a provider accepted, in the order of the index,
   * each with the time when the first text it replies to was stored, and how long the turn's model
   * calls took, alone and with their tools. All times are system time but those of the calls.
   */
  @Query(
      """
      SELECT CAST(CAST(o.said_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, o.participant_id AS participant_id,
             o.turn AS turn, o.ended_at AS at,
             (SELECT MIN(i.stored_at) FROM inbox i
              WHERE i.participant_id = o.participant_id AND i.turn = o.turn AND i.kind = 'said') AS since,
             t.begun_at AS begun_at, o.planned_at AS planned_at, o.sending_at AS sending_at,
             (SELECT CAST(SUM(i.model_ms) AS bigint) FROM iteration i
              WHERE i.participant_id = o.participant_id AND i.turn = o.turn) AS model_millis,
             (SELECT CAST(SUM(EXTRACT(EPOCH FROM (i.completed_at - i.started_at))) AS double precision) FROM iteration i
              WHERE i.participant_id = o.participant_id AND i.turn = o.turn AND i.child = 0) AS call_seconds
      FROM outbox o JOIN participant p ON p.id = o.participant_id
        JOIN turn t ON t.participant_id = o.participant_id AND t.number = o.turn
      WHERE p.erasing = 'no' AND p.contact = FALSE AND o.status = :reached AND o.said_at >= :begin AND o.said_at < :finish
        AND o.kind IN ('reply', 'prompt_now') AND o.provider_id IS NOT NULL
      ORDER BY o.status DESC, o.said_at DESC LIMIT :most\
      """)
  List<Replied> replies(
      @StoredAsWord DeliveryStatus reached, Instant begin, Instant finish, int most);

  @Query(
      """
      SELECT CAST(CAST(i.started_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, i.model AS model,
             COUNT(*) AS calls, SUM(i.prompt_tokens) AS prompt_tokens, SUM(i.completion_tokens) AS completion_tokens
      FROM iteration i JOIN participant p ON p.id = i.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND i.started_at >= :begin AND i.started_at < :finish
      GROUP BY CAST(CAST(i.started_at AT TIME ZONE 'UTC' AS date) AS varchar), i.model\
      """)
  List<Tokens> tokens(Instant begin, Instant finish);

  /**
   * Returns the cached tokens of the calls that {@link #tokens} counts, by the same names of
   * models: a charge names the model whose price holds. A call that a crash repeated has several
   * charges; the one with the recorded tokens counts, once.
   *
   * @param charged until when calls that began before the end may have been charged
   */
  @Query(
      """
      SELECT CAST(CAST(k.started_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, k.model AS model,
             CAST(SUM(k.cached) AS bigint) AS tokens
      FROM (SELECT i.started_at AS started_at, i.model AS model, MAX(c.units_cached) AS cached
            FROM charge c
              JOIN iteration i ON i.participant_id = c.participant_id AND i.turn = c.turn
                AND i.number = c.iteration AND i.child = c.child
                AND i.prompt_tokens = c.units_in AND i.completion_tokens = c.units_out
              JOIN participant p ON p.id = c.participant_id
            WHERE p.erasing = 'no' AND p.contact = FALSE AND c.at >= :begin AND c.at < :charged
              AND c.kind = 'model' AND c.units_cached IS NOT NULL
              AND i.started_at >= :begin AND i.started_at < :finish
            GROUP BY i.participant_id, i.turn, i.number, i.child, i.started_at, i.model) k
      GROUP BY CAST(CAST(k.started_at AT TIME ZONE 'UTC' AS date) AS varchar), k.model\
      """)
  List<Cached> cached(Instant begin, Instant finish, Instant charged);

  /** Returns what model calls and messages cost, by how well that is known. */
  @Query(
      """
      SELECT CAST(CAST(c.at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, c.kind AS kind, c.item AS item,
             c.confidence AS confidence, c.currency AS currency, COUNT(*) AS charges, SUM(c.cost) AS cost
      FROM charge c JOIN participant p ON p.id = c.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND c.at >= :begin AND c.at < :finish
      GROUP BY CAST(CAST(c.at AT TIME ZONE 'UTC' AS date) AS varchar), c.kind, c.item, c.confidence, c.currency\
      """)
  List<Charged> charges(Instant begin, Instant finish);

  /** A number of participants. */
  @MappedEntity("participant")
  record Enrolled(@Id String onDay, String status, long people) {}

  /** How many participants take part in one way; see {@link Participation}. */
  @Introspected
  record TakingPart(String takingPart, long people) {}

  /**
   * How long somebody took part.
   *
   * @param endedAt when they completed, were withdrawn or opted out; {@code null} if they did not
   */
  @Introspected
  record TookPart(
      String flow,
      String zone,
      Instant enrolledAt,
      @StoredAsWord ParticipantStatus status,
      @Nullable Instant endedAt,
      @Nullable Instant lastTextAt) {}

  /**
   * Results of the prompts of one local date, for those who enrolled on the same day.
   *
   * @param enrolledOn the local date of enrolment
   * @param onlyAnswered sent prompts that were answered and have no outcome
   * @param sentTo how many participants prompts were sent to
   */
  @Introspected
  record Prompted(
      String onDay,
      String flow,
      String enrolledOn,
      long planned,
      long sent,
      long answered,
      long done,
      long partly,
      long notDone,
      long onlyAnswered,
      long sentTo,
      long missed) {

    LocalDate enrolled() {
      return LocalDate.parse(enrolledOn);
    }
  }

  /** When a prompt was sent and when it was answered. */
  @Introspected
  record Waited(String onDay, Instant since, Instant at) {}

  /** A number of texts. */
  @Introspected
  record Texts(String onDay, long texts) {}

  /**
   * A number of messages.
   *
   * @param taken those of them that a provider accepted
   * @param segments of those
   */
  @Introspected
  record Delivered(String onDay, long texts, long taken, long segments) {}

  /**
   * A reply that was sent, and when its turn's first text was stored.
   *
   * @param begunAt {@code null} if the turn was not for texts
   * @param modelMillis {@code null} if the turn asked no model
   * @param callSeconds how long its calls took with their tools; {@code null} without calls
   */
  @Introspected
  record Replied(
      String onDay,
      String participantId,
      int turn,
      @Nullable Instant since,
      @Nullable Instant at,
      @Nullable Instant begunAt,
      Instant plannedAt,
      @Nullable Instant sendingAt,
      @Nullable Long modelMillis,
      @Nullable Double callSeconds) {}

  /** Calls and tokens of one model. */
  @Introspected
  record Tokens(String onDay, String model, long calls, long promptTokens, long completionTokens) {}

  /** Tokens of one model that its provider had cached. */
  @Introspected
  record Cached(String onDay, String model, long tokens) {}

  /**
   * What calls of a model, or messages of a channel, cost.
   *
   * @param item the model, or the channel
   * @param currency {@code null} if it cost nothing or is unknown
   * @param cost {@code null} if no price is known
   */
  @Introspected
  record Charged(
      String onDay,
      @StoredAsWord Charge.Kind kind,
      String item,
      @StoredAsWord Charge.Confidence confidence,
      @Nullable String currency,
      long charges,
      @Nullable BigDecimal cost) {}
}
