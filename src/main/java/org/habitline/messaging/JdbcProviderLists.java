package org.habitline.messaging;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows that say how far each provider's list of messages has been read. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcProviderLists extends GenericRepository<JdbcProviderLists.Row, String> {

  @Query(
      """
      INSERT INTO provider_list (provider, read_up_to, next_at) VALUES (:provider, :upTo, :upTo)
      ON CONFLICT DO NOTHING\
      """)
  int insert(String provider, Instant upTo);

  @Query("SELECT * FROM provider_list WHERE provider = :provider")
  Optional<Row> find(String provider);

  @Query(
      """
      UPDATE provider_list SET owner = :owner, held_until = :until
      WHERE provider = :provider AND (owner IS NULL OR held_until <= :now) AND (next_at <= :now OR :atOnce)\
      """)
  int take(String provider, String owner, boolean atOnce, Instant until, Instant now);

  @Query(
      """
      UPDATE provider_list SET held_until = :until WHERE provider = :provider AND owner = :owner\
      """)
  int renew(String provider, String owner, Instant until);

  @Query(
      """
      UPDATE provider_list SET owner = NULL, held_until = NULL, next_at = :next,
             read_up_to = CASE WHEN read_up_to < :upTo THEN :upTo ELSE read_up_to END
      WHERE provider = :provider AND owner = :owner\
      """)
  int done(String provider, String owner, Instant upTo, Instant next);

  @Query(
      """
      UPDATE provider_list SET owner = NULL, held_until = NULL, next_at = :next
      WHERE provider = :provider AND owner = :owner\
      """)
  int failed(String provider, String owner, Instant next);

  @Query("UPDATE provider_list SET owner = NULL, held_until = NULL WHERE owner IS NOT NULL")
  int releaseAll();

  /** A row as stored. */
  @MappedEntity("provider_list")
  record Row(
      @Id String provider,
      Instant readUpTo,
      Instant nextAt,
      @Nullable String owner,
      @Nullable Instant heldUntil) {}
}
