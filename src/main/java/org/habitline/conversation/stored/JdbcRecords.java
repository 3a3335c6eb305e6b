package org.habitline.conversation.stored;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;

/** Rows of what tools keep of participants. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcRecords extends GenericRepository<JdbcRecords.Row, String> {

  @Query(
      """
      SELECT kind, record_id, content, created_at, updated_at FROM record
      WHERE participant_id = :participantId\
      """)
  List<Row> of(String participantId);

  @Query(
      """
      INSERT INTO record (participant_id, kind, record_id, content, created_at, updated_at)
      VALUES (:participantId, :kind, :recordId, :content, :now, :now)\
      """)
  void insert(String participantId, String kind, String recordId, String content, Instant now);

  @Query(
      """
      UPDATE record SET content = :content, updated_at = :updatedAt
      WHERE participant_id = :participantId AND kind = :kind AND record_id = :recordId\
      """)
  int update(String participantId, String kind, String recordId, String content, Instant updatedAt);

  @Query(
      """
      DELETE FROM record
      WHERE participant_id = :participantId AND kind = :kind AND record_id = :recordId\
      """)
  int delete(String participantId, String kind, String recordId);

  @Query("DELETE FROM record WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row of one participant. */
  @MappedEntity("record")
  record Row(
      String kind, @Id String recordId, String content, Instant createdAt, Instant updatedAt) {}
}
