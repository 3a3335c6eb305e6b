package org.habitline.participants;

import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of what happened on the way to consent: added, and erased with the participant. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcConsents extends GenericRepository<JdbcConsents.Row, Long> {

  Row save(Row entry);

  @Query("DELETE FROM consent_event WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("consent_event")
  record Row(
      @Id @GeneratedValue @Nullable Long seq,
      String participantId,
      @StoredAsWord ConsentStep step,
      @Nullable String version,
      @Nullable String words,
      @Nullable String messageId,
      Instant at) {}
}
