package org.habitline.staff.people;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Rows of saved views. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSavedViews extends GenericRepository<JdbcSavedViews.Row, String> {

  /** Returns 0 if a view with this name exists. */
  @Query(
      """
      INSERT INTO saved_view (id, name, name_key, parameters, created_at, created_by)
      VALUES (:id, :name, :nameKey, :parameters, :at, :by) ON CONFLICT DO NOTHING\
      """)
  int insert(String id, String name, String nameKey, String parameters, Instant at, String by);

  @Query("SELECT id, name, parameters FROM saved_view WHERE id = :id")
  Optional<Row> find(String id);

  @Query("DELETE FROM saved_view WHERE id = :id")
  int delete(String id);

  @Query("SELECT id, name, parameters FROM saved_view ORDER BY seq LIMIT :most")
  List<Row> all(int most);

  /** A view as stored. */
  @MappedEntity("saved_view")
  record Row(@Id String id, String name, String parameters) {}
}
