package org.habitline.staff.web;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;

/** Keeps the guided tour. Only {@link Tours} uses it. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcTours extends GenericRepository<JdbcTours.Row, String> {

  Row save(Row row);

  /** Returns the tour whose example participant is not being erased. */
  @Query(
      """
      SELECT t.participant_id, t.step, t.started_at FROM tour t JOIN participant p ON p.id = t.participant_id
      WHERE p.erasing = 'no' ORDER BY t.started_at DESC LIMIT 1\
      """)
  Optional<Row> find();

  /** Returns 1 if anybody is enrolled, being erased, or a contact, and 0 otherwise. */
  @Query("SELECT COUNT(*) FROM (SELECT id FROM participant LIMIT 1) p")
  int anybody();

  @Query("UPDATE tour SET step = :to WHERE participant_id = :participantId")
  int move(String participantId, @StoredAsWord TourStep to);

  @Query("DELETE FROM tour WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A tour; {@code startedAt} is study time. */
  @MappedEntity("tour")
  record Row(@Id String participantId, @StoredAsWord TourStep step, Instant startedAt) {}
}
