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
import org.habitline.safety.rules.RiskKind;
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

  /** Returns when a fixed text about this kind was last planned, unless it did not arrive. */
  @Query(
      "SELECT MAX(at) FROM incident_entry WHERE incident_id = :incidentId AND kind = 'sent' AND about = :what")
  @Nullable Instant answeredAt(String incidentId, @StoredAsWord RiskKind what);

  /** Records the first message that staff wrote at the release. */
  @Query(
      "UPDATE incident_entry SET message_id = :messageId WHERE incident_id = :incidentId AND kind = 'released'")
  int firstMessage(String incidentId, String messageId);

  /** Records that a fixed text did not arrive, so that the next text of the person gets one. */
  @Query(
      """
      UPDATE incident_entry SET about = NULL
      WHERE kind = 'sent' AND message_id = (SELECT o.message_id FROM outbox o WHERE o.id = :deliveryId)\
      """)
  int notAnswered(String deliveryId);

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
      @Nullable String note,
      @StoredAsWord @Nullable RiskKind about) {

    Row ofText(@Nullable String id, String foundBy) {
      return new Row(seq, incidentId, kind, at, madeBy, foundBy, id, messageId, note, about);
    }

    Row withMessage(String id, RiskKind what) {
      return new Row(seq, incidentId, kind, at, madeBy, rule, textId, id, note, what);
    }

    Row noted(@Nullable String words) {
      return new Row(seq, incidentId, kind, at, madeBy, rule, textId, messageId, words, about);
    }

    IncidentEntry entry() {
      return new IncidentEntry(incidentId, kind, at, madeBy, rule, textId, messageId, note);
    }
  }
}
