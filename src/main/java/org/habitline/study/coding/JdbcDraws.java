package org.habitline.study.coding;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The random order of the daily prompts that got a reply. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcDraws extends GenericRepository<JdbcDraws.Row, String> {

  String SAMPLED =
      """
      FROM occurrence o JOIN participant p ON p.id = o.participant_id
      WHERE o.coding_token > :place AND o.coding_token < :limit AND o.status = 'sent' AND o.sent_at <= :over
        AND p.erasing = 'no' AND p.contact = FALSE
        AND NOT EXISTS (SELECT 1 AS found FROM outcome_code c
                        WHERE c.participant_id = o.participant_id AND c.local_date = o.local_date
                          AND c.slot = o.slot AND c.coded_by = :who)\
      """;

  /** Returns prompts with a reply that have no place yet, in any order. */
  @Query(
      """
      SELECT participant_id, local_date, slot, coding_token FROM occurrence
      WHERE coding_token IS NULL AND responded_at >= :epoch LIMIT :most\
      """)
  List<Row> undrawn(Instant epoch, int most);

  @Query(
      """
      UPDATE occurrence SET coding_token = :codingToken
      WHERE participant_id = :participantId AND local_date = :localDate AND slot = :slot\
      """)
  int draw(String participantId, String localDate, int slot, String codingToken);

  /** Returns the prompt that comes first. */
  @Query(
      """
      SELECT participant_id, local_date, slot, coding_token FROM occurrence
      WHERE coding_token > '' ORDER BY coding_token LIMIT 1\
      """)
  Optional<Row> first();

  @Query("UPDATE occurrence SET coding_token = NULL WHERE coding_token > ''")
  int forget();

  @Query(
      """
      SELECT participant_id, local_date, slot, coding_token FROM occurrence
      WHERE coding_token = :codingToken AND coding_token < :limit LIMIT 1\
      """)
  Optional<Row> find(String codingToken, String limit);

  /** Counts the prompts that got a reply, and those of them before a place. */
  @Query(
      """
      SELECT COUNT(*) AS answered, SUM(CASE WHEN o.coding_token < :limit THEN 1 ELSE 0 END) AS sampled
      FROM occurrence o JOIN participant p ON p.id = o.participant_id
      WHERE o.coding_token > '' AND o.status = 'sent' AND o.sent_at <= :over
        AND p.erasing = 'no' AND p.contact = FALSE\
      """)
  Frame frame(String limit, Instant over);

  /** Counts the prompts before a place that a member of staff has not coded. */
  @Query("SELECT COUNT(*) " + SAMPLED)
  int left(String place, String limit, Instant over, String who);

  /**
   * Returns the next prompts that a member of staff has not coded, but for those from before a
   * message whose words were cleared.
   */
  @Query(
      "SELECT o.participant_id, o.local_date, o.slot, o.coding_token "
          + SAMPLED
          + """
           AND NOT EXISTS (SELECT 1 AS found FROM message m
                           WHERE m.participant_id = o.participant_id AND m.cleared_at IS NOT NULL
                             AND m.created_at >= o.sent_at)
          ORDER BY o.coding_token LIMIT :most\
          """)
  List<Row> next(String place, String limit, Instant over, String who, int most);

  /** How many prompts got a reply, and how many of them staff code. */
  @Introspected
  record Frame(long answered, @Nullable Long sampled) {}

  /** A daily prompt with its place, if it has one. */
  @MappedEntity("occurrence")
  record Row(@Id String participantId, String localDate, int slot, @Nullable String codingToken) {}
}
