package org.habitline.budgets;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.habitline.protocol.Budgets.Kind;
import org.habitline.storage.StoredAsWord;

/** Rows of what was spent, and of the budgets that were nearly or wholly used. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSpending extends GenericRepository<JdbcSpending.Row, String> {

  /** Returns what a participant used on their local day, and what the study used on its day. */
  @Query(
      """
      SELECT COALESCE(p.tokens, 0) AS tokens, COALESCE(p.cost, 0) AS cost, COALESCE(p.segments, 0) AS segments,
             COALESCE(p.text_sent, FALSE) AS text_sent,
             s.tokens AS study_tokens, s.cost AS study_cost, s.segments AS study_segments
      FROM (SELECT COALESCE(SUM(tokens), 0) AS tokens, COALESCE(SUM(cost), 0) AS cost,
                   COALESCE(SUM(segments), 0) AS segments
            FROM study_spend WHERE local_date = :studyDay) s
           LEFT JOIN participant_spend p ON p.participant_id = :whose AND p.local_date = :day\
      """)
  Both of(String whose, String day, String studyDay);

  @Query(
      """
      SELECT COALESCE(SUM(tokens), 0) AS tokens, COALESCE(SUM(cost), 0) AS cost,
             COALESCE(SUM(segments), 0) AS segments
      FROM study_spend WHERE local_date = :day\
      """)
  Sum ofStudy(String day);

  @Query(
      """
      UPDATE participant_spend SET tokens = GREATEST(0, tokens + :moreTokens), cost = GREATEST(0, cost + :moreCost),
             segments = GREATEST(0, segments + :moreSegments)
      WHERE participant_id = :whose AND local_date = :day\
      """)
  int add(String whose, String day, long moreTokens, long moreCost, long moreSegments);

  /**
   * Begins a participant's day; does nothing if it has begun, or if there is no such participant.
   */
  @Query(
      """
      INSERT INTO participant_spend (participant_id, local_date, tokens, cost, segments, text_sent)
      SELECT id, CAST(:day AS varchar(10)), 0, 0, 0, FALSE FROM participant WHERE id = :whose
      ON CONFLICT DO NOTHING\
      """)
  int begin(String whose, String day);

  @Query(
      """
      UPDATE study_spend SET tokens = GREATEST(0, tokens + :moreTokens), cost = GREATEST(0, cost + :moreCost),
             segments = GREATEST(0, segments + :moreSegments)
      WHERE local_date = :day AND part = :part\
      """)
  int addToStudy(String day, int part, long moreTokens, long moreCost, long moreSegments);

  @Query(
      "INSERT INTO study_spend (local_date, part, tokens, cost, segments) VALUES (:day, :part, 0, 0, 0) ON CONFLICT DO NOTHING")
  int beginStudy(String day, int part);

  @Query(
      "UPDATE participant_spend SET text_sent = TRUE WHERE participant_id = :whose AND local_date = :day")
  int textSent(String whose, String day);

  /** Returns the participants who used one of these amounts, or more, on these dates. */
  @Query(
      """
      SELECT * FROM participant_spend WHERE local_date >= :first AND local_date <= :last
        AND (tokens >= :someTokens OR cost >= :someCost OR segments >= :someSegments)
      LIMIT :most\
      """)
  List<Row> above(
      String first, String last, long someTokens, long someCost, long someSegments, int most);

  /** Returns the most that a participant used of each kind on a date. */
  @Query(
      """
      SELECT COALESCE(MAX(tokens), 0) AS tokens, COALESCE(MAX(cost), 0) AS cost,
             COALESCE(MAX(segments), 0) AS segments
      FROM participant_spend WHERE local_date = :day\
      """)
  Sum highest(String day);

  @Query(
      """
      INSERT INTO budget_mark (participant_id, local_date, kind, percent, at)
      VALUES (:whose, :day, :what, :share, :now) ON CONFLICT DO NOTHING\
      """)
  int mark(String whose, String day, @StoredAsWord Kind what, int share, Instant now);

  /** Returns marks of participants since an instant, newest first. */
  @Query(
      """
      SELECT * FROM budget_mark WHERE at >= :since AND participant_id <> 'study' ORDER BY at DESC, percent DESC LIMIT :most\
      """)
  List<Mark> marks(Instant since, int most);

  @Query("DELETE FROM participant_spend WHERE participant_id = :whose")
  int erase(String whose);

  @Query("DELETE FROM budget_mark WHERE participant_id = :whose")
  int eraseMarks(String whose);

  @Query("DELETE FROM participant_spend WHERE local_date < :day")
  int forget(String day);

  @Query("DELETE FROM study_spend WHERE local_date < :day")
  int forgetStudy(String day);

  @Query("DELETE FROM budget_mark WHERE local_date < :day")
  int forgetMarks(String day);

  /** Deletes rows of participants who no longer exist. */
  @Query(
      """
      DELETE FROM participant_spend s
      WHERE NOT EXISTS (SELECT 1 AS found FROM participant p WHERE p.id = s.participant_id)\
      """)
  int eraseLeftOvers();

  /** Deletes marks of participants who no longer exist. */
  @Query(
      """
      DELETE FROM budget_mark s
      WHERE participant_id <> 'study'
        AND NOT EXISTS (SELECT 1 AS found FROM participant p WHERE p.id = s.participant_id)\
      """)
  int eraseMarksLeftOver();

  /** Amounts of each kind. */
  @Introspected
  record Sum(long tokens, long cost, long segments) {
    Spent spent() {
      return new Spent(tokens, cost, segments);
    }
  }

  /** What a participant used, and what the study used. */
  @Introspected
  record Both(
      long tokens,
      long cost,
      long segments,
      boolean textSent,
      long studyTokens,
      long studyCost,
      long studySegments) {
    Spent own() {
      return new Spent(tokens, cost, segments);
    }

    Spent study() {
      return new Spent(studyTokens, studyCost, studySegments);
    }
  }

  /** A mark as stored. */
  @Introspected
  record Mark(
      String participantId, String localDate, @StoredAsWord Kind kind, int percent, Instant at) {}

  /** A participant's day as stored. */
  @MappedEntity("participant_spend")
  record Row(
      @Id String participantId,
      String localDate,
      long tokens,
      long cost,
      long segments,
      boolean textSent) {
    Spent spent() {
      return new Spent(tokens, cost, segments);
    }
  }
}
