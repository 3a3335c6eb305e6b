package org.habitline.safety.incidents;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of incidents. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcIncidents extends GenericRepository<JdbcIncidents.Row, String> {

  /** Inserts an incident with its first text. */
  @Query(
      """
      INSERT INTO incident (id, participant_id, level, kind, status, rule, rules_version, opened_at, last_text_at, texts)
      VALUES (:newId, :whose, :atLevel, :what, 'open', :foundBy, :version, :at, :at, 1)\
      """)
  void open(
      String newId,
      @Nullable String whose,
      @StoredAsWord Level atLevel,
      @StoredAsWord RiskKind what,
      String foundBy,
      String version,
      Instant at);

  @Query("SELECT * FROM incident WHERE id = :id")
  Optional<Row> find(String id);

  /** Returns a participant's incident of a level that is not released, the newest if several. */
  @Query(
      """
      SELECT * FROM incident WHERE participant_id = :participantId AND level = :atLevel AND status <> 'released'
      ORDER BY opened_at DESC, id DESC LIMIT 1\
      """)
  Optional<Row> current(String participantId, @StoredAsWord Level atLevel);

  @Query(
      "SELECT COUNT(*) FROM incident i WHERE i.participant_id = :participantId AND "
          + Incident.PAUSES_COACHING)
  int pausing(String participantId);

  /** Returns incidents that are not released: crises first, then the longest open. */
  @Query(
      """
      SELECT * FROM incident WHERE status = ANY (ARRAY['open', 'acknowledged'])
      ORDER BY CASE WHEN level = 'crisis' THEN 0 ELSE 1 END, opened_at, id LIMIT :most\
      """)
  List<Row> unreleased(int most);

  @Query(
      "SELECT * FROM incident WHERE status = 'released' ORDER BY opened_at DESC, id DESC LIMIT :most")
  List<Row> released(int most);

  /** Counts a later text; the incident's kind is the most urgent one of its texts. */
  @Query(
      "UPDATE incident SET texts = texts + 1, last_text_at = :at, kind = :mostUrgent WHERE id = :id")
  int joined(String id, Instant at, @StoredAsWord RiskKind mostUrgent);

  /** Opens a crisis again that was acknowledged at this time or before. */
  @Query(
      """
      UPDATE incident SET status = 'open', acknowledged_at = NULL, acknowledged_by = NULL, reopened_at = :now
      WHERE id = :id AND level = 'crisis' AND status = 'acknowledged' AND acknowledged_at <= :before\
      """)
  int openAgain(String id, Instant before, Instant now);

  /**
   * Lets an incident that is no crisis alert staff: for the first time, or again if it was
   * acknowledged at this time or before.
   */
  @Query(
      """
      UPDATE incident SET urgent = TRUE, status = 'open', acknowledged_at = NULL, acknowledged_by = NULL, reopened_at = :now
      WHERE id = :id AND level = 'concern' AND status <> 'released'
        AND (urgent = FALSE OR (status = 'acknowledged' AND acknowledged_at <= :before))\
      """)
  int alertAgain(String id, Instant before, Instant now);

  /** Records that a fixed text for this kind was planned. */
  @Query("UPDATE incident SET answered_at = :at, answered_for = :about WHERE id = :id")
  int answered(String id, Instant at, @StoredAsWord RiskKind about);

  /**
   * Returns the incident of a level that a sender without a number is in, the newest if several.
   */
  @Query(
      """
      SELECT * FROM incident WHERE participant_id IS NULL AND level = :atLevel AND status <> 'released'
        AND id IN (SELECT e.incident_id FROM incident_entry e JOIN unclaimed_text u ON u.provider_id = e.text_id
                   WHERE u.sender = :sender AND u.channel = :by)
      ORDER BY opened_at DESC, id DESC LIMIT 1\
      """)
  Optional<Row> currentOfUnknown(
      String sender, @StoredAsWord ChannelKind by, @StoredAsWord Level atLevel);

  /** Returns the incident of a text that came before anybody knew its sender. */
  @Query(
      """
      SELECT i.* FROM incident i JOIN incident_entry e ON e.incident_id = i.id WHERE e.text_id = :textId\
      """)
  Optional<Row> ofText(String textId);

  /** Gives an incident of an unknown sender to a participant. */
  @Query("UPDATE incident SET participant_id = :to WHERE id = :id AND participant_id IS NULL")
  int adopt(String id, String to);

  /** Acknowledges an open incident, or one that a text has joined since its acknowledgement. */
  @Query(
      """
      UPDATE incident SET status = 'acknowledged', acknowledged_at = :at, acknowledged_by = :by
      WHERE id = :id AND (status = 'open' OR (status = 'acknowledged' AND last_text_at > acknowledged_at))\
      """)
  int acknowledge(String id, Instant at, String by);

  @Query(
      """
      UPDATE incident SET status = 'released', released_at = :at, released_by = :by, outcome = :how
      WHERE id = :id AND status <> 'released'\
      """)
  int release(String id, Instant at, String by, @StoredAsWord IncidentOutcome how);

  /** Ends the incidents of an erased participant; the rows stay without the person. */
  @Query(
      """
      UPDATE incident SET participant_id = NULL, status = 'released',
             released_at = COALESCE(released_at, :at), outcome = COALESCE(outcome, 'erased')
      WHERE participant_id = :participantId\
      """)
  int forget(String participantId, Instant at);

  /** Moves the incidents of a contact to the participant who has the number now. */
  @Query("UPDATE incident SET participant_id = :to WHERE participant_id = :participantId")
  int move(String participantId, String to);

  /** A row as stored. */
  @MappedEntity("incident")
  record Row(
      @Id String id,
      @Nullable String participantId,
      @StoredAsWord Level level,
      @StoredAsWord RiskKind kind,
      boolean urgent,
      @StoredAsWord IncidentStatus status,
      String rule,
      String rulesVersion,
      Instant openedAt,
      @Nullable Instant reopenedAt,
      Instant lastTextAt,
      int texts,
      @Nullable Instant answeredAt,
      @StoredAsWord @Nullable RiskKind answeredFor,
      @Nullable Instant acknowledgedAt,
      @Nullable String acknowledgedBy,
      @Nullable Instant releasedAt,
      @Nullable String releasedBy,
      @StoredAsWord @Nullable IncidentOutcome outcome) {

    Incident incident() {
      return new Incident(
          id,
          participantId,
          level,
          kind,
          urgent,
          status,
          rule,
          rulesVersion,
          openedAt,
          reopenedAt,
          lastTextAt,
          texts,
          answeredAt,
          answeredFor,
          acknowledgedAt,
          acknowledgedBy,
          releasedAt,
          releasedBy,
          outcome);
    }
  }
}
