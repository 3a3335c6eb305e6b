package org.habitline.participants;

import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of moves to another flow: added, and erased with the participant. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcFlowChanges extends GenericRepository<JdbcFlowChanges.Row, Long> {

  Row save(Row change);

  @Query(
      """
      SELECT * FROM flow_change WHERE participant_id = :participantId
      ORDER BY participant_id DESC, seq DESC LIMIT 1\
      """)
  Optional<Row> last(String participantId);

  @Query("DELETE FROM flow_change WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("flow_change")
  record Row(
      @Id @GeneratedValue @Nullable Long seq,
      String participantId,
      String oldFlow,
      String newFlow,
      Instant changedAt,
      String changedBy) {}
}
