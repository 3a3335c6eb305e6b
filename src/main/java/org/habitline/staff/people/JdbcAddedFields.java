package org.habitline.staff.people;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;

/** Keeps the fields of participants that staff added. Only {@link CustomFields} uses it. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcAddedFields extends GenericRepository<JdbcAddedFields.Row, String> {

  @Query("SELECT * FROM added_field ORDER BY added_at, name LIMIT :most")
  List<Row> all(int most);

  /** Adds a field; returns 0 if there is one with this name. */
  @Query(
      """
      INSERT INTO added_field (name, label, added_by, added_at)
      VALUES (:name, :label, :addedBy, :addedAt) ON CONFLICT DO NOTHING\
      """)
  int insert(String name, String label, String addedBy, Instant addedAt);

  /** A row as stored. */
  @MappedEntity("added_field")
  record Row(@Id String name, String label, String addedBy, Instant addedAt) {}
}
