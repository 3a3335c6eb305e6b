package org.habitline.participants;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.Collection;
import java.util.List;

/** Values of the study's own fields, one row for each participant and field. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcFields extends GenericRepository<JdbcParticipants.Row, String> {

  @Query(
      """
      INSERT INTO participant_field (participant_id, name, field_value)
      VALUES (:participantId, :name, :fieldValue)\
      """)
  int insert(String participantId, String name, String fieldValue);

  @Query("DELETE FROM participant_field WHERE participant_id = :participantId AND name = :name")
  int delete(String participantId, String name);

  @Query("DELETE FROM participant_field WHERE participant_id = :participantId")
  int erase(String participantId);

  /** Returns the values of these participants; a study has a few dozen fields at most. */
  @Query(
      """
      SELECT participant_id, name, field_value FROM participant_field
      WHERE participant_id IN (:participantIds) ORDER BY participant_id, name\
      """)
  List<FieldValue> of(Collection<String> participantIds);

  /** A value as stored. */
  @Introspected
  record FieldValue(String participantId, String name, String fieldValue) {}
}
