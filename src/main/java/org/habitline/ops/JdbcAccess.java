package org.habitline.ops;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of keys, one-time logins and sessions: hashes only. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcAccess extends GenericRepository<JdbcAccess.Key, String> {

  @Query(
      """
      INSERT INTO api_key (id, name, live_name, role, hash, created_at)
      VALUES (:id, :name, LOWER(:name), :role, :hash, :now) ON CONFLICT DO NOTHING\
      """)
  int insertKey(String id, String name, String role, String hash, Instant now);

  @Query("SELECT * FROM api_key WHERE seq < :before ORDER BY seq DESC LIMIT :most")
  List<Key> keys(long before, int most);

  @Query(
      "UPDATE api_key SET revoked_at = :now, live_name = NULL WHERE id = :id AND revoked_at IS NULL")
  int revoke(String id, Instant now);

  @Query("SELECT name, role, id AS key_id FROM api_key WHERE hash = :hash AND revoked_at IS NULL")
  Optional<Holder> key(String hash);

  @Query("INSERT INTO login_token (hash, created_at, expires_at) VALUES (:hash, :now, :expires)")
  void insertLogin(String hash, Instant now, Instant expires);

  @Query(
      "UPDATE login_token SET used_at = :now WHERE hash = :hash AND used_at IS NULL AND expires_at > :now")
  int useLogin(String hash, Instant now);

  @Query(
      """
      INSERT INTO session (hash, key_id, name, role, created_at, expires_at)
      VALUES (:hash, :keyId, :name, :role, :now, :expires)\
      """)
  void insertSession(
      String hash, @Nullable String keyId, String name, String role, Instant now, Instant expires);

  @Query("SELECT name, role, key_id FROM session WHERE hash = :hash AND expires_at > :now")
  Optional<Holder> session(String hash, Instant now);

  @Query("DELETE FROM session WHERE hash = :hash")
  int endSession(String hash);

  @Query("DELETE FROM session WHERE key_id = :keyId")
  int endSessionsOf(String keyId);

  @Query("DELETE FROM session WHERE expires_at <= :now")
  int expireSessions(Instant now);

  @Query("DELETE FROM login_token WHERE expires_at <= :now")
  int expireLogins(Instant now);

  /** A key as stored. */
  @MappedEntity("api_key")
  record Key(
      @Id String id,
      long seq,
      String name,
      String role,
      Instant createdAt,
      @Nullable Instant revokedAt) {}

  /** Who holds a key or a session. */
  @Introspected
  record Holder(String name, String role, @Nullable String keyId) {}
}
