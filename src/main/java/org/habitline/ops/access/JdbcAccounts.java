package org.habitline.ops.access;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Queries of accounts, their links and recovery codes. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcAccounts extends GenericRepository<JdbcAccounts.Row, String> {

  @Query(
      """
      INSERT INTO account (id, name, name_key, email, email_key, role, safety, state, created_at, created_by)
      VALUES (:id, :name, LOWER(:name), :email, LOWER(:email), :role, :safety, 'invited', :now, :by)
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String id,
      String name,
      String email,
      @StoredAsWord AccountRole role,
      boolean safety,
      Instant now,
      String by);

  @Query("SELECT * FROM account WHERE id = :id")
  Optional<Row> find(String id);

  /** Finds an account as it is now, and keeps it so until the transaction ends. */
  @Query("SELECT * FROM account WHERE id = :id FOR UPDATE")
  Optional<Row> lock(String id);

  @Query("SELECT * FROM account WHERE email_key = LOWER(:email)")
  Optional<Row> byEmail(String email);

  @Query("SELECT * FROM account WHERE seq < :before ORDER BY seq DESC LIMIT :most")
  List<Row> newest(long before, int most);

  /** Returns the addresses of those who have safety. */
  @Query("SELECT email FROM account WHERE safety = TRUE AND state = 'active' ORDER BY seq")
  List<String> addressesOfSafety();

  @Query("SELECT COUNT(*) FROM account WHERE state <> 'invited'")
  long signedUp();

  @Query("SELECT COUNT(*) FROM account WHERE name_key = LOWER(:name)")
  long named(String name);

  /** Locks the accounts of admins, so that two of them cannot take the role from each other. */
  @Query("SELECT id FROM account WHERE role = 'admin' AND state = 'active' ORDER BY id FOR UPDATE")
  List<String> admins();

  @Query("UPDATE account SET role = :role, safety = :safety, state = :state WHERE id = :id")
  int change(
      String id, @StoredAsWord AccountRole role, boolean safety, @StoredAsWord AccountState state);

  /** Takes the password and the second factor away: the person sets both again. */
  @Query(
      """
      UPDATE account SET state = 'invited', password_hash = NULL, totp_secret = NULL, totp_pending = NULL, failures = 0
      WHERE id = :id\
      """)
  int reset(String id);

  @Query("UPDATE account SET password_hash = :hash WHERE id = :id")
  int password(String id, String hash);

  @Query("UPDATE account SET totp_pending = :sealed WHERE id = :id")
  int pending(String id, String sealed);

  /**
   * Uses the pending second factor from now on; its first code is used up. Returns 0 if the factor
   * or the state is another one by now.
   */
  @Query(
      """
      UPDATE account SET totp_secret = totp_pending, totp_pending = NULL, totp_step = :step, state = 'active', failures = 0
      WHERE id = :id AND totp_pending = :sealed AND state = :state\
      """)
  int confirm(String id, String sealed, long step, @StoredAsWord AccountState state);

  /** Uses a code up; returns 0 if it, or a later one, was used before. */
  @Query("UPDATE account SET totp_step = :step WHERE id = :id AND totp_step < :step")
  int use(String id, long step);

  @Query("UPDATE account SET failures = failures + 1 WHERE id = :id")
  int failed(String id);

  @Query("UPDATE account SET failures = 0, last_sign_in_at = :now WHERE id = :id")
  int signedIn(String id, Instant now);

  @Query(
      """
      INSERT INTO account_pass (hash, account_id, purpose, expires_at)
      VALUES (:hash, :account, :purpose, :expires)\
      """)
  void insertPass(String hash, String account, @StoredAsWord AccountPass purpose, Instant expires);

  @Query(
      """
      SELECT a.* FROM account_pass p JOIN account a ON a.id = p.account_id
      WHERE p.hash = :hash AND p.purpose = :purpose AND p.expires_at > :now\
      """)
  Optional<Row> ofPass(String hash, @StoredAsWord AccountPass purpose, Instant now);

  @Query("DELETE FROM account_pass WHERE hash = :hash AND expires_at > :now")
  int usePass(String hash, Instant now);

  @Query("DELETE FROM account_pass WHERE account_id = :account AND purpose = 'second_factor'")
  int endHalfwaysOf(String account);

  @Query("DELETE FROM account_pass WHERE account_id = :account")
  int endPassesOf(String account);

  @Query("DELETE FROM account_pass WHERE expires_at <= :now")
  int expirePasses(Instant now);

  @Query("INSERT INTO recovery_code (hash, account_id) VALUES (:hash, :account)")
  void insertCode(String hash, String account);

  @Query("DELETE FROM recovery_code WHERE hash = :hash AND account_id = :account")
  int useCode(String hash, String account);

  @Query("DELETE FROM recovery_code WHERE account_id = :account")
  int deleteCodesOf(String account);

  @Query("SELECT COUNT(*) FROM recovery_code WHERE account_id = :account")
  int codesOf(String account);

  /** A row of {@code account}. */
  @MappedEntity("account")
  record Row(
      @Id String id,
      long seq,
      String name,
      String email,
      @StoredAsWord AccountRole role,
      boolean safety,
      @StoredAsWord AccountState state,
      @Nullable String passwordHash,
      @Nullable String totpSecret,
      @Nullable String totpPending,
      int failures,
      Instant createdAt,
      String createdBy,
      @Nullable Instant lastSignInAt) {

    /**
     * Returns whether the keys that the account made stay: it is an admin and not disabled. One
     * whose sign-in was reset keeps them.
     */
    boolean keepsKeys() {
      return role == AccountRole.ADMIN && state != AccountState.DISABLED;
    }

    /** The secrets are left out: they must not get into a log. */
    @Override
    public String toString() {
      return "account " + id + ", " + role.word() + ", " + state.word();
    }
  }
}
