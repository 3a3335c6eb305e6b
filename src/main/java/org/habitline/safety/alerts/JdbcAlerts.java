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

  /**
   * An incident of which somebody must be alerted.
   *
   * @param opening when it was opened, or opened again
   * @param rounds how often somebody was alerted of it, earlier openings included
   */
  @MappedEntity
  record Due(String incidentId, Instant opening, int rounds) {}

  /**
   * Returns the urgent incidents that no one acknowledged, and of which no one was alerted after
   * this time; one that was opened again counts at once.
   */
  @Query(
      """
      SELECT i.id AS incident_id, COALESCE(i.reopened_at, i.opened_at) AS opening,
             COALESCE(MAX(a.round_no) + 1, 0) AS rounds
      FROM incident i LEFT JOIN alert a ON a.incident_id = i.id
      WHERE (i.level = 'crisis' OR i.urgent = TRUE) AND i.status = 'open' AND i.kind <> 'underage'
      GROUP BY i.id, i.reopened_at, i.opened_at
      HAVING COUNT(CASE WHEN a.opening = COALESCE(i.reopened_at, i.opened_at) AND a.planned_at > :since
                        THEN 1 END) = 0
      ORDER BY i.id LIMIT :most\
      """)
  List<Due> due(Instant since, int most);

  /** Plans an alert, unless another node has. */
  @Query(
      """
      INSERT INTO alert (id, incident_id, opening, round_no, channel, recipient, status, attempts, planned_at, next_at)
      VALUES (:newId, :incident, :opening, :roundNo, :by, :whom, 'planned', 0, :now, :now) ON CONFLICT DO NOTHING\
      """)
  int plan(
      String newId,
      String incident,
      @Nullable Instant opening,
      int roundNo,
      @StoredAsWord AlertChannel by,
      String whom,
      Instant now);

  /** A grant of the role safety. */
  @MappedEntity("alert_grant")
  record Grant(@Id String id, String grantedBy, String grantedTo, Instant grantedAt) {}

  @Query(
      """
      INSERT INTO alert_grant (id, granted_by, granted_to, granted_at)
      VALUES (:id, :grantedBy, :grantedTo, :now)\
      """)
  void insertGrant(String id, String grantedBy, String grantedTo, Instant now);

  @Query("SELECT * FROM alert_grant WHERE id = :id")
  Optional<Grant> grant(String id);

  /** Returns the newest alert of an incident since it was opened, or opened again. */
  @Query(
      """
      SELECT a.* FROM alert a JOIN incident i ON i.id = a.incident_id
      WHERE i.id = :incident AND a.opening = COALESCE(i.reopened_at, i.opened_at)
      ORDER BY a.planned_at DESC, a.id LIMIT 1\
      """)
  Optional<Row> lastPlanned(String incident);

  /** Returns who was alerted of an incident, once for each time. */
  @Query("SELECT recipient FROM alert WHERE incident_id = :incident GROUP BY round_no, recipient")
  List<String> recipients(String incident);

  /** Ends the alerts of earlier rounds: failed if a try failed, and dropped otherwise. */
  @Query(
      """
      UPDATE alert SET status = CASE WHEN fault IS NULL THEN 'dropped' ELSE 'failed' END
      WHERE incident_id = :incident AND status = 'planned' AND round_no < :roundNo\
      """)
  int endBefore(String incident, int roundNo);

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

  /** Returns 1 if an incident is a crisis, and 0 if it is about an urgent flag. */
  @Query("SELECT COUNT(*) FROM incident WHERE id = :incident AND level = 'crisis'")
  int isCrisis(String incident);

  /** Records that a server took an alert, whoever tries it by now. */
  @Query(
      """
      UPDATE alert SET status = 'sent', sent_at = :at, tried_at = :at, fault = NULL, http_status = NULL
      WHERE id = :id AND status <> 'sent'\
      """)
  int sent(String id, Instant at);

  /** Records that a try failed; the alert is tried again unless it ended meanwhile. */
  @Query(
      """
      UPDATE alert SET fault = :why, http_status = :answer, tried_at = :at, next_at = :again,
                       status = CASE WHEN status = 'planned' THEN 'planned' ELSE 'failed' END
      WHERE id = :id AND attempts = :attempt AND status <> 'sent'\
      """)
  int failed(
      String id,
      int attempt,
      @StoredAsWord AlertFault why,
      @Nullable Integer answer,
      Instant at,
      Instant again);

  /**
   * Ends an alert that this node took and nobody needs any more, without a try: failed if an
   * earlier try failed, and dropped otherwise.
   */
  @Query(
      """
      UPDATE alert SET attempts = attempts - 1,
                       status = CASE WHEN fault IS NULL THEN 'dropped' ELSE 'failed' END
      WHERE id = :id AND status = 'planned'\
      """)
  int end(String id);

  /**
   * Returns the alerts of open incidents that failed for good, or were planned before this time and
   * not sent, where no later one was sent by the same method; newest first.
   */
  @Query(
      """
      SELECT a.* FROM alert a JOIN incident i ON i.id = a.incident_id
      WHERE i.status = 'open' AND a.status <> 'sent' AND (a.status = 'failed' OR a.planned_at < :late)
        AND NOT EXISTS (SELECT 1 FROM alert b
                        WHERE b.incident_id = a.incident_id AND b.channel = a.channel AND b.status = 'sent'
                          AND b.planned_at >= a.planned_at)
      ORDER BY a.planned_at DESC, a.id LIMIT :most\
      """)
  List<Row> failing(Instant late, int most);

  /** How often the outbox tried an alert by SMS, and when last. */
  @MappedEntity
  record Tries(int attempts, @Nullable Instant triedAt) {}

  @Query(
      """
      SELECT CAST(COALESCE(SUM(attempts), 0) AS integer) AS attempts, MAX(attempted_at) AS tried_at
      FROM outbox WHERE message_id = :id AND kind = 'alert'\
      """)
  Tries bySms(String id);

  @Query("SELECT * FROM alert WHERE incident_id = :incident ORDER BY planned_at, id")
  List<Row> of(String incident);

  /** A row as stored. */
  @MappedEntity("alert")
  record Row(
      @Id String id,
      String incidentId,
      @Nullable Instant opening,
      int roundNo,
      @StoredAsWord AlertChannel channel,
      String recipient,
      @StoredAsWord AlertStatus status,
      int attempts,
      Instant plannedAt,
      Instant nextAt,
      @Nullable Instant triedAt,
      @Nullable Instant sentAt,
      @StoredAsWord @Nullable AlertFault fault,
      @Nullable Integer httpStatus) {

    Alert alert() {
      return alert(new Tries(attempts, triedAt));
    }

    Alert alert(Tries tries) {
      return new Alert(
          id,
          incidentId,
          roundNo,
          channel,
          recipient,
          status,
          tries.attempts(),
          plannedAt,
          tries.triedAt(),
          sentAt,
          fault,
          httpStatus);
    }
  }
}
