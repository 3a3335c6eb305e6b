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

  /**
   * Returns the urgent incidents that no one acknowledged, and of which no one was alerted since.
   */
  @Query(
      """
      SELECT i.id AS incident_id, COALESCE(MAX(a.round_no) + 1, 0) AS rounds
      FROM incident i LEFT JOIN alert a ON a.incident_id = i.id
      WHERE (i.level = 'crisis' OR i.urgent = TRUE) AND i.status = 'open' AND i.kind <> 'underage'
      GROUP BY i.id HAVING MAX(a.planned_at) IS NULL OR MAX(a.planned_at) <= :since
      ORDER BY i.id LIMIT :most\
      """)
  List<Due> due(Instant since, int most);

  /** Plans an alert, unless another node has. */
  @Query(
      """
      INSERT INTO alert (id, incident_id, round_no, channel, recipient, status, attempts, planned_at, next_at)
      VALUES (:newId, :incident, :roundNo, :by, :whom, 'planned', 0, :now, :now) ON CONFLICT DO NOTHING\
      """)
  int plan(
      String newId,
      String incident,
      int roundNo,
      @StoredAsWord AlertChannel by,
      String whom,
      Instant now);

  /** Returns who was alerted of an incident, once for each time. */
  @Query("SELECT recipient FROM alert WHERE incident_id = :incident GROUP BY round_no, recipient")
  List<String> recipients(String incident);

  @Query(
      "UPDATE alert SET status = 'dropped' WHERE incident_id = :incident AND status = 'planned' AND round_no < :roundNo")
  int dropBefore(String incident, int roundNo);

  @Query(
      "SELECT id FROM alert WHERE status = 'planned' AND next_at <= :now ORDER BY next_at LIMIT :most")
  List<String> waiting(Instant now, int most);

  /** Takes an alert to send it; until then, no other node does. */
  @Query(
      """
      UPDATE alert SET attempts = attempts + 1, next_at = :until
      WHERE id = :id AND status = 'planned' AND next_at <= :now\
      """)
  int take(String id, Instant until, Instant now);

  /** Holds an alert that this node is sending, in this attempt, until then. */
  @Query(
      "UPDATE alert SET next_at = :until WHERE id = :id AND attempts = :attempt AND status = 'planned'")
  int renew(String id, int attempt, Instant until);

  /** Records that the outbox has an alert. */
  @Query("UPDATE alert SET status = 'sending', fault = NULL WHERE id = :id AND status = 'planned'")
  int handedOver(String id);

  /** Records that an alert will not arrive. */
  @Query("UPDATE alert SET status = 'failed', fault = :why WHERE id = :id AND status <> 'dropped'")
  int ended(String id, @StoredAsWord AlertFault why);

  /** Returns the alert that a delivery carries. */
  @Query(
      "SELECT a.* FROM alert a JOIN outbox o ON o.message_id = a.id WHERE o.id = :deliveryId AND o.kind = 'alert'")
  Optional<Row> ofDelivery(String deliveryId);

  @Query("SELECT * FROM alert WHERE id = :id")
  Optional<Row> find(String id);

  @Query("SELECT COUNT(*) FROM incident WHERE id = :incident AND status = 'open'")
  int isOpen(String incident);

  /** Returns 1 if this is a test, and the newest one. */
  @Query(
      "SELECT COUNT(*) FROM alert_test WHERE id = :test AND started_at = (SELECT MAX(started_at) FROM alert_test)")
  int isNewestTest(String test);

  @Query("SELECT COUNT(*) FROM alert_test WHERE id = :id")
  int isTest(String id);

  /** Records that a server took an alert, whoever tries it by now. */
  @Query(
      "UPDATE alert SET status = 'sent', sent_at = :at, fault = NULL WHERE id = :id AND status <> 'sent'")
  int sent(String id, Instant at);

  @Query(
      """
      UPDATE alert SET fault = :why, next_at = :again
      WHERE id = :id AND attempts = :attempt AND status = 'planned'\
      """)
  int failed(String id, int attempt, @StoredAsWord AlertFault why, Instant again);

  @Query("UPDATE alert SET status = 'dropped' WHERE id = :id AND status = 'planned'")
  int drop(String id);

  /** Returns since when no alert of an open incident could be sent by one of its channels. */
  @Query(
      """
      SELECT MIN(a.planned_at) FROM alert a JOIN incident i ON i.id = a.incident_id
      WHERE i.status = 'open' AND a.status <> 'sent'
        AND NOT EXISTS (SELECT 1 FROM alert b
                        WHERE b.incident_id = a.incident_id AND b.channel = a.channel AND b.status = 'sent'
                          AND b.planned_at >= a.planned_at)\
      """)
  @Nullable Instant failingSince();

  @Query("SELECT * FROM alert WHERE incident_id = :incident ORDER BY planned_at, id")
  List<Row> of(String incident);

  /** A row as stored. */
  @MappedEntity("alert")
  record Row(
      @Id String id,
      String incidentId,
      int roundNo,
      @StoredAsWord AlertChannel channel,
      String recipient,
      @StoredAsWord AlertStatus status,
      int attempts,
      Instant plannedAt,
      Instant nextAt,
      @Nullable Instant sentAt,
      @StoredAsWord @Nullable AlertFault fault) {

    Alert alert() {
      return new Alert(
          id, incidentId, roundNo, channel, recipient, status, attempts, plannedAt, sentAt, fault);
    }
  }
}
