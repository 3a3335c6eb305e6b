package org.habitline.messaging.outbox;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;

/** The single row that exists while all sending is stopped. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSendingStop extends GenericRepository<JdbcSendingStop.Row, Integer> {

  @Query(
      """
      INSERT INTO sending_stop (id, stopped_at, stopped_by, reason) VALUES (1, :at, :by, :reason)
      ON CONFLICT DO NOTHING\
      """)
  int insert(Instant at, String by, String reason);

  @Query("SELECT * FROM sending_stop WHERE id = 1")
  Optional<Row> find();

  @Query("DELETE FROM sending_stop WHERE id = 1")
  int delete();

  /** A row as stored. */
  @MappedEntity("sending_stop")
  record Row(@Id int id, Instant stoppedAt, String stoppedBy, String reason) {}
}
