package org.habitline.ops.access;

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

/** Queries of keys, one-time logins and sessions; secrets are stored as hashes only. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcAccess extends GenericRepository<JdbcAccess.Key, String> {

  @Query(
      """
      INSERT INTO api_key (id, name, live_name, role, hash, owner, account_id, created_at, expires_at)
      VALUES (:id, :name, LOWER(:name), :role, :hash, :owner, :accountId, :now, :expires) ON CONFLICT DO NOTHING\
      """)
  int insertKey(
      String id,
      String name,
      String role,
      String hash,
      String owner,
      @Nullable String accountId,
      Instant now,
      @Nullable Instant expires);

  @Query("SELECT * FROM api_key WHERE id = :id")
  Optional<Key> find(String id);

  /** Returns the keys that are not revoked and end with one of these accounts, oldest first. */
  @Query(
      "SELECT * FROM api_key WHERE account_id IN (:accounts) AND revoked_at IS NULL ORDER BY seq")
  List<Key> endingWith(List<String> accounts);

  @Query("SELECT COUNT(*) FROM api_key WHERE live_name = LOWER(:name)")
  long liveKeys(String name);

  /** Counts the keys of admins that are in force and do not end with this account. */
  @Query(
      """
      SELECT COUNT(*) FROM api_key
      WHERE role = 'admin' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
        AND (account_id IS NULL OR account_id <> :account)\
      """)
  long adminKeysBeside(String account, Instant now);

  @Query("UPDATE api_key SET last_used_at = :now WHERE id = :id")
  int useKey(String id, Instant now);

  @Query("SELECT * FROM api_key WHERE seq < :before ORDER BY seq DESC LIMIT :most")
  List<Key> keys(long before, int most);

  @Query(
      "UPDATE api_key SET revoked_at = :now, live_name = NULL WHERE id = :id AND revoked_at IS NULL")
  int revoke(String id, Instant now);

  /** Returns a key that is not revoked; it may have expired. */
  @Query(
      """
      SELECT name, role, id AS key_id, expires_at, last_used_at FROM api_key
      WHERE hash = :hash AND revoked_at IS NULL\
      """)
  Optional<Holder> key(String hash);

  /** Finds a key that is not revoked, and keeps it so until the transaction ends. */
  @Query("SELECT * FROM api_key WHERE hash = :hash AND revoked_at IS NULL FOR UPDATE")
  Optional<Key> lockKey(String hash);

  @Query("INSERT INTO login_token (hash, created_at, expires_at) VALUES (:hash, :now, :expires)")
  void insertLogin(String hash, Instant now, Instant expires);

  @Query(
      "UPDATE login_token SET used_at = :now WHERE hash = :hash AND used_at IS NULL AND expires_at > :now")
  int useLogin(String hash, Instant now);

  @Query(
      """
      INSERT INTO session (
        hash, key_id, outside_key, account_id, name, role, safety, address, created_at, last_used_at, expires_at)
      VALUES (
        :hash, :keyId, :outsideKey, :accountId, :name, :role, :safety, :address, :now, :now, :expires)\
      """)
  void insertSession(
      String hash,
      @Nullable String keyId,
      @Nullable String outsideKey,
      @Nullable String accountId,
      String name,
      String role,
      boolean safety,
      @Nullable String address,
      Instant now,
      Instant expires);

  /**
   * Returns a session that is in force and was used since then. A session opened with {@code
   * HABITLINE_ADMIN_KEY} must have the present digest.
   */
  @Query(
      """
      SELECT seq, name, role, safety, key_id, account_id, last_used_at FROM session
      WHERE hash = :hash AND expires_at > :now AND last_used_at > :usedSince
        AND (outside_key IS NULL OR outside_key = :outsideKey)\
      """)
  Optional<Held> session(String hash, Instant now, Instant usedSince, String outsideKey);

  @Query("UPDATE session SET last_used_at = :now WHERE seq = :seq AND last_used_at < :now")
  int useSession(long seq, Instant now);

  /**
   * Returns the sessions in force, newest first, of one key or account, or of all if it is blank.
   */
  @Query(
      """
      SELECT seq, name, role, key_id, address, created_at, last_used_at, expires_at FROM session
      WHERE seq < :before AND expires_at > :now AND last_used_at > :usedSince
        AND (outside_key IS NULL OR outside_key = :outsideKey)
        AND (:holder = '' OR key_id = :holder OR account_id = :holder)
      ORDER BY seq DESC LIMIT :most\
      """)
  List<Session> sessions(
      String holder, Instant now, Instant usedSince, String outsideKey, long before, int most);

  /**
   * Returns the name of a session's holder, if it is one of this key or account; any session
   * matches a blank one.
   */
  @Query(
      """
      SELECT name FROM session
      WHERE seq = :seq AND (:holder = '' OR key_id = :holder OR account_id = :holder)\
      """)
  Optional<String> nameOf(long seq, String holder);

  @Query("DELETE FROM session WHERE seq = :seq")
  int endSession(long seq);

  /** Counts this session if it was opened with the key of the settings. */
  @Query("SELECT COUNT(*) FROM session WHERE seq = :seq AND outside_key IS NOT NULL")
  int fromOutside(long seq);

  @Query("SELECT COUNT(*) FROM session WHERE outside_key IS NOT NULL")
  long sessionsFromOutside();

  @Query("DELETE FROM session WHERE outside_key <> :outsideKey")
  int endSessionsBut(String outsideKey);

  /** Returns the hashes among these whose keys are neither revoked nor expired. */
  @Query(
      """
      SELECT hash FROM api_key
      WHERE hash IN (:hashes) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)\
      """)
  List<String> keysInForce(List<String> hashes, Instant now);

  /** Returns the hashes among these whose sessions are in force. */
  @Query(
      """
      SELECT hash FROM session
      WHERE hash IN (:hashes) AND expires_at > :now AND last_used_at > :usedSince
        AND (outside_key IS NULL OR outside_key = :outsideKey)\
      """)
  List<String> sessionsInForce(
      List<String> hashes, Instant now, Instant usedSince, String outsideKey);

  @Query("DELETE FROM session WHERE hash = :hash")
  int endSession(String hash);

  @Query("DELETE FROM session WHERE key_id = :keyId")
  int endSessionsOf(String keyId);

  @Query("DELETE FROM session WHERE account_id = :accountId AND seq <> :but")
  int endSessionsOfAccount(String accountId, long but);

  @Query("DELETE FROM session WHERE expires_at <= :now OR last_used_at <= :usedSince")
  int expireSessions(Instant now, Instant usedSince);

  @Query("DELETE FROM login_token")
  int endLogins();

  /** A row of {@code api_key}. */
  @MappedEntity("api_key")
  record Key(
      @Id String id,
      long seq,
      String name,
      String role,
      String owner,
      @Nullable String accountId,
      Instant createdAt,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt,
      @Nullable Instant revokedAt) {

    /** Returns its name and kind, as the audit log and pages show them. */
    String words() {
      return name + ", " + role;
    }
  }

  /** The holder of a key. */
  @Introspected
  record Holder(
      String name,
      String role,
      String keyId,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt) {}

  /** The holder of a session. */
  @Introspected
  record Held(
      long seq,
      String name,
      String role,
      boolean safety,
      @Nullable String keyId,
      @Nullable String accountId,
      Instant lastUsedAt) {}

  /**
   * A session without its secret.
   *
   * @param address where it was opened from, if known
   */
  @Introspected
  record Session(
      long seq,
      String name,
      String role,
      @Nullable String keyId,
      @Nullable String address,
      Instant createdAt,
      Instant lastUsedAt,
      Instant expiresAt) {}
}
