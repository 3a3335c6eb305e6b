package org.habitline.messaging.simulator;

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

/** Rows of faults to simulate on the way to simulated phones. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSimulatedFaults extends GenericRepository<JdbcSimulatedFaults.Row, Long> {

  @Query(
      """
      INSERT INTO simulated_fault (participant_id, kind, seconds, created_at)
      VALUES (:participantId, :kind, :seconds, :now)\
      """)
  void insert(String participantId, @StoredAsWord Kind kind, int seconds, Instant now);

  /** Returns the faults that no message has met yet, in the order they will be met. */
  @Query(
      """
      SELECT * FROM simulated_fault WHERE participant_id = :participantId AND delivery_id IS NULL
      ORDER BY seq\
      """)
  List<Row> pending(String participantId);

  @Query(
      "UPDATE simulated_fault SET delivery_id = :deliveryId WHERE seq = :seq AND delivery_id IS NULL")
  int take(long seq, String deliveryId);

  /** Returns the pending faults and the one that this message met before, if it did. */
  @Query(
      """
      SELECT * FROM simulated_fault
      WHERE participant_id = :participantId AND (delivery_id IS NULL OR delivery_id = :deliveryId)
      ORDER BY seq\
      """)
  List<Row> inTheWayOf(String deliveryId, String participantId);

  @Query("DELETE FROM simulated_fault WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("simulated_fault")
  record Row(
      @Id long seq,
      String participantId,
      @StoredAsWord Kind kind,
      int seconds,
      @Nullable String deliveryId,
      Instant createdAt) {}

  /** The kinds of simulated fault. */
  enum Kind {
    DELAY,
    FAILURE
  }
}
