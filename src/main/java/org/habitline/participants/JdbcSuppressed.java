package org.habitline.participants;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;

/** Queries of suppressed numbers and of the key they are hashed with. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSuppressed extends GenericRepository<JdbcSuppressed.Row, String> {

  @Query(
      "INSERT INTO suppression_key (id, fingerprint) VALUES (1, :fingerprint) ON CONFLICT DO NOTHING")
  int register(String fingerprint);

  @Query(
      """
      DELETE FROM suppression_key
      WHERE NOT EXISTS (SELECT 1 AS found FROM suppressed_number)
        AND NOT EXISTS (SELECT 1 AS found FROM erased_sender)\
      """)
  int forgetUnusedKey();

  @Query("SELECT fingerprint FROM suppression_key WHERE id = 1")
  Optional<String> fingerprint();

  @Query(
      """
      INSERT INTO suppressed_number (hash, opted_out_at, opted_out_by) VALUES (:hash, :at, :source)
      ON CONFLICT DO NOTHING\
      """)
  int insert(String hash, Instant at, @StoredAsWord OptOutSource source);

  @Query(
      "UPDATE suppressed_number SET opted_out_at = :at WHERE hash = :hash AND opted_out_at < :at")
  int suppressedAgain(String hash, Instant at);

  @Query("SELECT * FROM suppressed_number WHERE hash = :hash")
  Optional<Row> find(String hash);

  @Query("SELECT hash FROM suppressed_number WHERE hash IN (:hashes)")
  List<String> these(Collection<String> hashes);

  @Query("DELETE FROM suppressed_number WHERE hash = :hash")
  int delete(String hash);

  @Query("SELECT COUNT(*) FROM suppressed_number")
  int count();

  /** A row of {@code suppressed_number}. */
  @MappedEntity("suppressed_number")
  @Introspected
  record Row(@Id String hash, Instant optedOutAt, @StoredAsWord OptOutSource optedOutBy) {}
}
