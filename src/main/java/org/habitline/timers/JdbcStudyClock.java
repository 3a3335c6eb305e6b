package org.habitline.timers;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.Optional;

/** The single row that stores how far study time was moved. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcStudyClock extends GenericRepository<JdbcStudyClock.Row, Integer> {

  @Query("SELECT ahead_millis FROM study_clock WHERE id = 1")
  Optional<Long> ahead();

  @Query("INSERT INTO study_clock (id, ahead_millis) VALUES (1, 0) ON CONFLICT DO NOTHING")
  int open();

  @Query("UPDATE study_clock SET ahead_millis = :aheadMillis WHERE id = 1")
  int ahead(long aheadMillis);

  /** The row as stored. */
  @MappedEntity("study_clock")
  record Row(@Id int id, long aheadMillis) {}
}
