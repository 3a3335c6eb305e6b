package org.habitline.conversation;

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

/** Rows of turns. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcTurns extends GenericRepository<JdbcTurns.Row, String> {

  @Query(
      """
      SELECT s.next_turn AS next_turn, s.version AS version, t.number AS running, t.attempts AS attempts,
             t.pinned AS pinned, t.started_at AS started_at
      FROM participant_state s
      LEFT JOIN turn t ON t.participant_id = s.participant_id AND t.status = 'running'
      WHERE s.participant_id = :participantId\
      """)
  Optional<Situation> situation(String participantId);

  @Query(
      """
      INSERT INTO turn (participant_id, number, status, kind, module, attempts, token, pinned, started_at)
      VALUES (:participantId, :number, 'running', :kind, :module, 1, :token, :pinned, :startedAt)\
      """)
  void begin(
      String participantId,
      int number,
      String kind,
      @Nullable String module,
      long token,
      String pinned,
      Instant startedAt);

  @Query(
      """
      UPDATE turn SET attempts = attempts + 1, token = :token
      WHERE participant_id = :participantId AND number = :number AND status = 'running'\
      """)
  int resume(String participantId, int number, long token);

  @Query(
      """
      UPDATE turn SET status = :status, outcome = :outcome, reason = :reason, completed_at = :completedAt
      WHERE participant_id = :participantId AND number = :number AND status = 'running'\
      """)
  int close(
      String participantId,
      int number,
      String status,
      String outcome,
      @Nullable String reason,
      Instant completedAt);

  @Query(
      """
      UPDATE turn SET status = 'failed', outcome = 'cancelled', reason = :reason, completed_at = :now
      WHERE participant_id = :participantId AND status = 'running'\
      """)
  int cancel(String participantId, String reason, Instant now);

  @Query(
      """
      SELECT * FROM turn WHERE participant_id = :participantId AND number < :before
      ORDER BY number DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, int before, int most);

  @Query("SELECT * FROM turn WHERE participant_id = :participantId AND number = :number")
  Optional<Row> find(String participantId, int number);

  @Query("DELETE FROM turn WHERE participant_id = :participantId")
  int erase(String participantId);

  /** What a claim needs to know first. */
  @Introspected
  record Situation(
      int nextTurn,
      long version,
      @Nullable Integer running,
      @Nullable Integer attempts,
      @Nullable String pinned,
      @Nullable Instant startedAt) {}

  /** A row as stored. */
  @MappedEntity("turn")
  record Row(
      @Id String participantId,
      int number,
      String status,
      String kind,
      @Nullable String module,
      int attempts,
      String pinned,
      @Nullable String outcome,
      @Nullable String reason,
      Instant startedAt,
      @Nullable Instant completedAt) {}
}
