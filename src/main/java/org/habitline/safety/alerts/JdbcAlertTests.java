package org.habitline.safety.alerts;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.MappedProperty;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of test alerts. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcAlertTests extends GenericRepository<JdbcAlertTests.Row, String> {

  /** Inserts a test, unless there is one for its slot. */
  @Query(
      """
      INSERT INTO alert_test (id, started_at, started_by, slot, roads)
      VALUES (:newId, :now, :by, :forSlot, :forMethods) ON CONFLICT DO NOTHING\
      """)
  int insert(String newId, Instant now, String by, @Nullable Instant forSlot, String forMethods);

  @Query("SELECT * FROM alert_test WHERE id = :id")
  Optional<Row> find(String id);

  @Query("SELECT * FROM alert_test ORDER BY started_at DESC, id DESC LIMIT 1")
  Optional<Row> newest();

  /** Returns when the newest test began that was acknowledged and sent by two of these methods. */
  @Query(
      """
      SELECT MAX(t.started_at) FROM alert_test t
      WHERE t.roads = :forMethods AND t.acknowledged_at IS NOT NULL
        AND (t.passed_at IS NOT NULL
             OR (SELECT COUNT(DISTINCT a.channel) FROM alert a WHERE a.incident_id = t.id AND a.status = 'sent') > 1)\
      """)
  @Nullable Instant lastPassed(String forMethods);

  @Query("SELECT COUNT(*) FROM alert_test WHERE roads = :forMethods AND passed_at IS NOT NULL")
  int passed(String forMethods);

  @Query(
      "UPDATE alert_test SET acknowledged_at = :now, acknowledged_by = :by WHERE id = :id AND acknowledged_at IS NULL")
  int acknowledge(String id, Instant now, String by);

  /** Returns a test that was acknowledged and sent by two methods, and has not passed yet. */
  @Query(
      """
      SELECT t.id FROM alert_test t
      WHERE t.acknowledged_at IS NOT NULL AND t.passed_at IS NULL
        AND (SELECT COUNT(DISTINCT a.channel) FROM alert a WHERE a.incident_id = t.id AND a.status = 'sent') > 1
      LIMIT 1\
      """)
  Optional<String> passing();

  @Query("UPDATE alert_test SET passed_at = :now WHERE id = :id AND passed_at IS NULL")
  int pass(String id, Instant now);

  /**
   * A row as stored.
   *
   * @param methods a hash of the methods that were tested
   */
  @MappedEntity("alert_test")
  record Row(
      @Id String id,
      Instant startedAt,
      String startedBy,
      @Nullable Instant slot,
      @MappedProperty("roads") String methods,
      @Nullable Instant acknowledgedAt,
      @Nullable String acknowledgedBy,
      @Nullable Instant passedAt) {

    AlertTest test() {
      return new AlertTest(id, startedAt, startedBy, acknowledgedAt, acknowledgedBy, passedAt);
    }
  }
}
