package org.habitline.safety.incidents;

import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of what happened in incidents. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcIncidentEntries extends GenericRepository<JdbcIncidentEntries.Row, Long> {

  Row save(Row entry);

  @Query("SELECT * FROM incident_entry WHERE incident_id = :incidentId ORDER BY seq")
  List<Row> of(String incidentId);

  /** Returns those of a provider's ids whose texts are in a crisis. */
  @Query(
      """
      SELECT e.text_id FROM incident_entry e JOIN incident i ON i.id = e.incident_id
      WHERE i.level = 'crisis' AND e.text_id IN (:textIds)\
      """)
  List<String> inCrises(List<String> textIds);

  /** Removes what names an erased participant or may be about them in words. */
  @Query(
      """
      UPDATE incident_entry SET note = NULL, text_id = NULL, message_id = NULL
      WHERE incident_id IN (SELECT id FROM incident WHERE participant_id = :participantId)\
      """)
  int forget(String participantId);

  /** A row as stored. */
  @MappedEntity("incident_entry")
  record Row(
      @Id @GeneratedValue @Nullable Long seq,
      String incidentId,
      @StoredAsWord EntryKind kind,
      Instant at,
      @Nullable String madeBy,
      @Nullable String rule,
      @Nullable String textId,
      @Nullable String messageId,
      @Nullable String note) {

    IncidentEntry entry() {
      return new IncidentEntry(incidentId, kind, at, madeBy, rule, textId, messageId, note);
    }
  }
}
