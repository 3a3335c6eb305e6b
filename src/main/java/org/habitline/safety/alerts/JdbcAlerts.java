package org.habitline.safety.alerts;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Rows of alerts. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcAlerts extends GenericRepository<JdbcAlerts.Row, String> {

  /** A crisis of which somebody must be alerted, and how often somebody was. */
  @MappedEntity
  record Due(String incidentId, int rounds) {}

  /** Returns the crises that no one acknowledged, and of which no one was alerted since then. */
  @Query(
      """
      SELECT i.id AS incident_id, COALESCE(MAX(a.round_no) + 1, 0) AS rounds
      FROM incident i LEFT JOIN alert a ON a.incident_id = i.id
      WHERE i.level = 'crisis' AND i.status = 'open'
      GROUP BY i.id HAVING MAX(a.planned_at) IS NULL OR MAX(a.planned_at) <= :since
      ORDER BY i.id LIMIT :most\
      """)
  List<Due> due(Instant since, int most);

  /** Plans an alert, unless another node has. */
  @Query(
      """
      INSERT INTO alert (id, incident_id, round_no, road, recipient, status, attempts, planned_at, next_at)
      VALUES (:newId, :incident, :roundNo, :by, :whom, 'planned', 0, :now, :now) ON CONFLICT DO NOTHING\
      """)
  int plan(
      String newId,
      String incident,
      int roundNo,
      @StoredAsWord AlertRoad by,
      String whom,
      Instant now);

  @Query("SELECT id FROM alert WHERE status = 'planned' AND next_at <= :now LIMIT :most")
  List<String> waiting(Instant now, int most);

  /** Takes an alert to send it; until then, no other node does. */
  @Query(
      """
      UPDATE alert SET attempts = attempts + 1, next_at = :until
      WHERE id = :id AND status = 'planned' AND next_at <= :now\
      """)
  int take(String id, Instant until, Instant now);

  @Query("SELECT * FROM alert WHERE id = :id")
  Optional<Row> find(String id);

  @Query("SELECT COUNT(*) FROM incident WHERE id = :incident AND status = 'open'")
  int isOpen(String incident);

  @Query(
      "UPDATE alert SET status = 'sent', sent_at = :at, fault = NULL WHERE id = :id AND attempts = :attempt")
  int sent(String id, int attempt, Instant at);

  @Query(
      """
      UPDATE alert SET fault = :why, next_at = :again
      WHERE id = :id AND attempts = :attempt AND status = 'planned'\
      """)
  int failed(String id, int attempt, @StoredAsWord AlertFault why, Instant again);

  @Query("UPDATE alert SET status = 'dropped' WHERE id = :id AND status = 'planned'")
  int drop(String id);

  /** Returns since when the oldest alert waits that was tried without success. */
  @Query("SELECT MIN(planned_at) FROM alert WHERE status = 'planned' AND attempts > 0")
  @Nullable Instant failingSince();

  @Query("SELECT * FROM alert WHERE incident_id = :incident ORDER BY planned_at, id")
  List<Row> of(String incident);

  /** A row as stored. */
  @MappedEntity("alert")
  record Row(
      @Id String id,
      String incidentId,
      int roundNo,
      @StoredAsWord AlertRoad road,
      String recipient,
      @StoredAsWord AlertStatus status,
      int attempts,
      Instant plannedAt,
      Instant nextAt,
      @Nullable Instant sentAt,
      @StoredAsWord @Nullable AlertFault fault) {

    Alert alert() {
      return new Alert(
          id, incidentId, roundNo, road, recipient, status, attempts, plannedAt, sentAt, fault);
    }
  }
}
