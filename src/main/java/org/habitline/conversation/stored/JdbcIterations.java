package org.habitline.conversation.stored;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of iterations. */
@JdbcRepository(dialect = Dialect.POSTGRES)
public interface JdbcIterations extends GenericRepository<JdbcIterations.Row, String> {

  @Query(
      """
      INSERT INTO iteration (participant_id, turn, number, child, request_hash, request, messages, answer, tool_calls,
                             metadata, model, prompt_tokens, completion_tokens, model_ms, started_at,
                             completed_at)
      VALUES (:participantId, :turn, :number, :child, :requestHash, :request, :messages, :answer, :toolCalls,
              :metadata, :model, :promptTokens, :completionTokens, :modelMillis, :startedAt, :completedAt)\
      """)
  void insert(
      String participantId,
      int turn,
      int number,
      int child,
      String requestHash,
      String request,
      String messages,
      String answer,
      String toolCalls,
      String metadata,
      String model,
      long promptTokens,
      long completionTokens,
      long modelMillis,
      Instant startedAt,
      @Nullable Instant completedAt);

  @Query(
      """
      UPDATE iteration SET tool_calls = :toolCalls, completed_at = :completedAt
      WHERE participant_id = :participantId AND turn = :turn AND number = :number AND child = 0\
      """)
  int complete(
      String participantId, int turn, int number, String toolCalls, @Nullable Instant completedAt);

  @Query(
      """
      DELETE FROM iteration
      WHERE participant_id = :participantId AND turn = :turn
        AND (number > :number OR (number = :number AND child >= :child))\
      """)
  int forgetFrom(String participantId, int turn, int number, int child);

  @Query(
      """
      SELECT * FROM iteration WHERE participant_id = :participantId AND turn = :turn ORDER BY number, child\
      """)
  List<Row> of(String participantId, int turn);

  @Query("DELETE FROM iteration WHERE participant_id = :participantId")
  int erase(String participantId);

  /**
   * A row as stored.
   *
   * @param clearedAt when retention removed its words, or {@code null}
   */
  @MappedEntity("iteration")
  record Row(
      @Id String participantId,
      int turn,
      int number,
      int child,
      String requestHash,
      String request,
      String messages,
      @Nullable String answer,
      String toolCalls,
      String metadata,
      Instant startedAt,
      @Nullable Instant completedAt,
      @Nullable Instant clearedAt) {}
}
