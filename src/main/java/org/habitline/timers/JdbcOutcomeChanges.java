package org.habitline.timers;

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

/** The change log of prompts' outcomes. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcOutcomeChanges extends GenericRepository<JdbcOutcomeChanges.Row, Long> {

  Row save(Row row);

  @Query("DELETE FROM outcome_change WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored; an outcome is {@code null} while it is unknown. */
  @MappedEntity("outcome_change")
  record Row(
      @Id @GeneratedValue @Nullable Long seq,
      String participantId,
      String localDate,
      int slot,
      @StoredAsWord @Nullable PromptOutcome oldOutcome,
      @StoredAsWord @Nullable PromptOutcome newOutcome,
      @StoredAsWord OutcomeEntry.By recordedBy,
      @Nullable Integer turn,
      @Nullable String staffName,
      @Nullable String note,
      Instant recordedAt) {}
}
