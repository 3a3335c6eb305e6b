package org.habitline.conversation.stored;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;

/** Rows of texts by their hash. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSharedContents extends GenericRepository<JdbcSharedContents.Row, String> {

  @Query(
      """
      INSERT INTO shared_content (sha256, kind, content, first_seen)
      VALUES (:sha256, :kind, :content, :firstSeen) ON CONFLICT DO NOTHING\
      """)
  int insert(
      String sha256, @StoredAsWord SharedContents.Kind kind, String content, Instant firstSeen);

  @Query("SELECT sha256, content FROM shared_content WHERE sha256 = :sha256")
  Optional<Row> find(String sha256);

  /** A row as stored. */
  @MappedEntity("shared_content")
  record Row(@Id String sha256, String content) {}
}
