package org.habitline.participants;

import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Rows of changes of time zones: added, and erased with the participant. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcZoneChanges extends GenericRepository<JdbcZoneChanges.Row, Long> {

  Row save(Row change);

  @Query("DELETE FROM zone_change WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("zone_change")
  record Row(
      @Id @GeneratedValue @Nullable Long seq,
      String participantId,
      String oldZone,
      String newZone,
      Instant changedAt) {}
}
