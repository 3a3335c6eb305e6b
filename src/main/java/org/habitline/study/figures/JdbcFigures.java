package org.habitline.study.figures;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.habitline.messaging.DeliveryStatus;
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

  @Query(
      """
      SELECT o.local_date AS on_day,
             SUM(CASE WHEN o.status = 'sent' THEN 1 ELSE 0 END) AS sent,
             SUM(CASE WHEN o.status = 'sent' AND o.responded_at IS NOT NULL THEN 1 ELSE 0 END) AS answered,
             SUM(CASE WHEN o.status = 'sent' AND o.outcome = 'done' THEN 1 ELSE 0 END) AS done,
             SUM(CASE WHEN o.status IN ('missed', 'refused') THEN 1 ELSE 0 END) AS missed
      FROM occurrence o JOIN participant p ON p.id = o.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND o.local_date >= :first AND o.local_date <= :last
        AND o.status IN ('sent', 'missed', 'refused')
      GROUP BY o.local_date\
      """)
  List<Prompted> prompted(String first, String last);

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
      SELECT CAST(CAST(m.created_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, COUNT(*) AS texts, 0 AS segments
      FROM message m JOIN participant p ON p.id = m.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND m.created_at >= :begin AND m.created_at < :finish AND m.author = 'participant'
      GROUP BY CAST(CAST(m.created_at AT TIME ZONE 'UTC' AS date) AS varchar)\
      """)
  List<Texts> received(Instant begin, Instant finish);

  /** Returns the messages with one status that a provider accepted. */
  @Query(
      """
      SELECT CAST(CAST(o.said_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, COUNT(*) AS texts,
             SUM(o.segments) AS segments
      FROM outbox o JOIN participant p ON p.id = o.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND o.status = :reached AND o.said_at >= :begin AND o.said_at < :finish
        AND o.provider_id IS NOT NULL
      GROUP BY CAST(CAST(o.said_at AT TIME ZONE 'UTC' AS date) AS varchar)\
      """)
  List<Texts> sent(@StoredAsWord DeliveryStatus reached, Instant begin, Instant finish);

  /**
   * Returns the newest replies with one status that a provider accepted, in the order of the index,
   * each with the time when the first text it replies to was stored.
   */
  @Query(
      """
      SELECT CAST(CAST(o.said_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, o.participant_id AS participant_id,
             o.turn AS turn, o.ended_at AS at,
             (SELECT MIN(i.stored_at) FROM inbox i
              WHERE i.participant_id = o.participant_id AND i.turn = o.turn AND i.kind = 'said') AS since
      FROM outbox o JOIN participant p ON p.id = o.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND o.status = :reached AND o.said_at >= :begin AND o.said_at < :finish
        AND o.kind IN ('reply', 'prompt_now') AND o.turn IS NOT NULL AND o.provider_id IS NOT NULL
      ORDER BY o.status DESC, o.said_at DESC LIMIT :most\
      """)
  List<Replied> replies(
      @StoredAsWord DeliveryStatus reached, Instant begin, Instant finish, int most);

  @Query(
      """
      SELECT CAST(CAST(i.started_at AT TIME ZONE 'UTC' AS date) AS varchar) AS on_day, i.model AS model,
             COUNT(*) AS calls, SUM(i.prompt_tokens) AS prompt_tokens, SUM(i.completion_tokens) AS completion_tokens
      FROM iteration i JOIN participant p ON p.id = i.participant_id
      WHERE p.erasing = 'no' AND p.contact = FALSE AND i.started_at >= :begin AND i.started_at < :finish AND i.model IS NOT NULL
      GROUP BY CAST(CAST(i.started_at AT TIME ZONE 'UTC' AS date) AS varchar), i.model\
      """)
  List<Tokens> tokens(Instant begin, Instant finish);

  /** A number of participants. */
  @MappedEntity("participant")
  record Enrolled(@Id String onDay, String status, long people) {}

  /** How many participants take part in one way; see {@link Participation}. */
  @Introspected
  record TakingPart(String takingPart, long people) {}

  /** Results of the prompts of one local date. */
  @Introspected
  record Prompted(String onDay, long sent, long answered, long done, long missed) {}

  /** When a prompt was sent and when it was answered. */
  @Introspected
  record Waited(String onDay, Instant since, Instant at) {}

  /** A number of messages, and of the segments charged for them. */
  @Introspected
  record Texts(String onDay, long texts, long segments) {}

  /** A reply that was sent, and when its turn's first text was stored. */
  @Introspected
  record Replied(
      String onDay,
      String participantId,
      int turn,
      @Nullable Instant since,
      @Nullable Instant at) {}

  /** Calls and tokens of one model. */
  @Introspected
  record Tokens(String onDay, String model, long calls, long promptTokens, long completionTokens) {}
}
