package org.habitline.messaging.simulator;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Rows of messages that arrived on simulated phones. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSimulatedPhones extends GenericRepository<JdbcSimulatedPhones.Row, Long> {

  @Query(
      """
      INSERT INTO simulated_phone_text (delivery_id, participant_id, body, arrived_at)
      VALUES (:deliveryId, :participantId, :body, :arrivedAt)
      ON CONFLICT DO NOTHING\
      """)
  int insert(String deliveryId, String participantId, String body, Instant arrivedAt);

  @Query("SELECT * FROM simulated_phone_text WHERE delivery_id = :deliveryId")
  Optional<Row> find(String deliveryId);

  @Query(
      """
      SELECT * FROM simulated_phone_text WHERE participant_id = :participantId
      ORDER BY participant_id DESC, seq DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, int most);

  @Query("DELETE FROM simulated_phone_text WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("simulated_phone_text")
  record Row(
      @Id long seq, String deliveryId, String participantId, String body, Instant arrivedAt) {}
}
