package org.habitline.conversation.stored;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;

/** Rows of the text behind every hash of a prompt file and of its rendering. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcPromptTexts extends GenericRepository<JdbcPromptTexts.Row, String> {

  @Query(
      """
      INSERT INTO prompt_text (sha256, file, content, first_seen)
      VALUES (:sha256, :file, :content, :firstSeen) ON CONFLICT DO NOTHING\
      """)
  int insert(String sha256, String file, String content, Instant firstSeen);

  @Query(
      """
      INSERT INTO prompt_rendering (sha256, text_sha256, file, content, first_seen)
      VALUES (:sha256, :textSha256, :file, :content, :firstSeen) ON CONFLICT DO NOTHING\
      """)
  int insertRendering(
      String sha256, String textSha256, String file, String content, Instant firstSeen);

  @Query("SELECT * FROM prompt_text WHERE sha256 = :sha256")
  Optional<Row> find(String sha256);

  @Query("SELECT sha256, file, content FROM prompt_rendering WHERE sha256 = :sha256")
  Optional<Row> findRendering(String sha256);

  /** A row as stored. */
  @MappedEntity("prompt_text")
  record Row(@Id String sha256, String file, String content) {}
}
