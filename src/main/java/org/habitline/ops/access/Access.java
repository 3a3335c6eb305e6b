package org.habitline.ops.access;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpStatus;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.protocol.StudyFile;
import org.habitline.safety.alerts.Alerting;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks API keys, one-time login links and the sessions they open. Uses system time. */
@Singleton
public final class Access {

  private static final Logger log = LoggerFactory.getLogger(Access.class);

  static final Duration SESSION = Duration.ofHours(12);

  /** The least time between two writes of a session's last use. */
  private static final Duration NOTED = Duration.ofMinutes(1);

  static final Duration LOGIN_LINK = Duration.ofHours(24);
  private static final String ADMIN = "admin";
  private static final String LOGIN_LINK_NAME = "login link";
  private static final String NO_LONGER_ADMIN =
      "The account with which it ends is no longer an active admin.";

  /** Names that the audit log uses for actors without a stored key; no key may have them. */
  private static final Set<String> OWN_NAMES =
      Set.of(ADMIN, LOGIN_LINK_NAME, "habitline", "coach", "unknown", "system");

  private final JdbcAccess rows;
  private final JdbcAccounts accounts;
  private final AuditLog audit;
  private final Alerting alerting;
  private final Transactions transactions;
  private final Clock clock;
  private final @Nullable String adminKey;

  /** A session ends after being unused for this long. */
  private final Duration idle;

  /** Guarded by this. */
  private @Nullable String outsideKey;

  Access(
      JdbcAccess rows,
      JdbcAccounts accounts,
      AuditLog audit,
      Alerting alerting,
      Transactions transactions,
      @Named("system") Clock clock,
      @Value("${habitline.admin-key:}") String adminKey,
      @Value("${habitline.session-idle}") Duration idle) {
    this.rows = rows;
    this.accounts = accounts;
    this.idle = idle;
    this.audit = audit;
    this.alerting = alerting;
    this.transactions = transactions;
    this.clock = clock;
    this.adminKey = adminKey.isBlank() ? null : adminKey.strip();
  }

  /**
   * The name and rights of a caller.
   *
   * @param safety whether an account has {@code safety} beside its role; keys have it by their kind
   * @param keyId the stored key they sent or signed in with, if any
   * @param account the account they signed in to, if any
   * @param session the session they use, if any
   */
  public record Who(
      String name,
      KeyKind kind,
      boolean safety,
      @Nullable String keyId,
      @Nullable String account,
      @Nullable Long session) {

    public Who(String name, KeyKind kind) {
      this(name, kind, false, null, null, null);
    }

    static Who ofAccount(JdbcAccounts.Row account) {
      return new Who(
          account.name(), account.role().kind(), account.safety(), null, account.id(), null);
    }

    boolean isAdmin() {
      return kind == KeyKind.ADMIN;
    }

    /** Returns the roles that the caller has, as {@code @Secured} names them. */
    List<String> allows() {
      if (account == null) {
        return kind.allows();
      }
      var safe = Role.SAFETY.word();
      return Stream.concat(
              kind.allows().stream().filter(role -> !role.equals(safe)),
              safety ? Stream.of(safe) : Stream.empty())
          .toList();
    }

    /** Returns the key or account whose sessions are the caller's own. */
    String holder() {
      return account != null ? account : Objects.requireNonNullElse(keyId, "no key");
    }
  }

  public boolean hasAdminKey() {
    return adminKey != null;
  }

  /**
   * Returns a digest of {@code HABITLINE_ADMIN_KEY}, empty if it is not set; computed on first use,
   * because that is slow.
   */
  private synchronized String outsideKey() {
    if (outsideKey == null) {
      outsideKey = adminKey == null ? "" : Secrets.slowHash(adminKey);
    }
    return outsideKey;
  }

  /**
   * Ends what an earlier start opened: sessions by another value of {@code HABITLINE_ADMIN_KEY},
   * and login links if this start has that key and prints none.
   */
  @EventListener
  void start(ServerStartupEvent event) {
    if (hasAdminKey()) {
      transactions.write(this::endLogins);
    }
    var ended =
        transactions.write(
            () -> rows.sessionsFromOutside() == 0 ? 0 : rows.endSessionsBut(outsideKey()));
    if (ended > 0) {
      log.info(
          "HABITLINE_ADMIN_KEY has changed: {} sessions that were opened with the previous"
              + " key have ended",
          ended);
    }
  }

  /**
   * Returns the holder of this API key, or empty if there is no such key; notes its use.
   *
   * @throws ApiProblem 401 if the key has expired
   */
  Optional<Who> key(String secret) {
    if (adminKey != null && Secrets.same(adminKey, secret)) {
      return Optional.of(new Who(ADMIN, KeyKind.ADMIN));
    }
    var now = clock.instant();
    return transactions
        .read(() -> rows.key(Secrets.hash(secret)))
        .map(key -> inForce(key, now))
        .flatMap(key ->
            KeyKind.of(key.role())
                .map(kind -> new Who(key.name(), kind, false, key.keyId(), null, null)));
  }

  private JdbcAccess.Holder inForce(JdbcAccess.Holder key, Instant now) {
    if (key.expiresAt() != null && !key.expiresAt().isAfter(now)) {
      throw new ApiProblem(
          HttpStatus.UNAUTHORIZED,
          "This key expired on "
              + key.expiresAt().atZone(ZoneOffset.UTC).toLocalDate()
              + ". An admin can make a new key for you, on the page Keys or with POST /keys.");
    }
    if (key.lastUsedAt() == null || !key.lastUsedAt().isAfter(now.minus(NOTED))) {
      transactions.write(() -> rows.useKey(key.keyId(), now));
    }
    return key;
  }

  /**
   * Returns the holder of this session, or empty if there is none or it has ended.
   *
   * @param used whether a person is using it: automatic requests of an open page do not keep it
   *     alive
   */
  Optional<Who> session(String secret, boolean used) {
    var now = clock.instant();
    var held =
        transactions.read(
            () -> rows.session(Secrets.hash(secret), now, now.minus(idle), outsideKey()));
    held.filter(it -> used && !it.lastUsedAt().isAfter(now.minus(NOTED)))
        .ifPresent(it -> transactions.write(() -> rows.useSession(it.seq(), now)));
    return held.flatMap(it ->
        KeyKind.of(it.role())
            .map(kind ->
                new Who(it.name(), kind, it.safety(), it.keyId(), it.accountId(), it.seq())));
  }

  private void endLogins() {
    if (rows.endLogins() > 0) {
      log.info("The login links that earlier starts printed have ended");
    }
  }

  /**
   * Creates a one-time token that opens one session within 24 hours, for the link that a start
   * prints; those of earlier starts end.
   */
  public String newLogin() {
    var secret = Secrets.next();
    transactions.write(() -> {
      var now = clock.instant();
      endLogins();
      rows.insertLogin(Secrets.hash(secret), now, now.plus(LOGIN_LINK));
    });
    return secret;
  }

  /**
   * An attempt to sign in.
   *
   * @param secret a one-time login token or a staff API key
   * @param name the name that the user of a login link gave, for the audit log; may be blank
   * @param address where the request came from, or {@code null} if unknown
   * @param before the browser's previous session, which ends, or {@code null}
   */
  record Visit(String secret, String name, @Nullable String address, @Nullable String before) {}

  /**
   * Opens a session and returns its secret; empty if the visit's secret is neither a login token
   * nor a staff API key.
   */
  Optional<String> signIn(Visit visit) {
    return transactions.write(() -> {
      if (rows.useLogin(Secrets.hash(visit.secret()), clock.instant()) == 1) {
        return Optional.of(
            open(new Who(linkName(visit.name()), KeyKind.ADMIN), null, visit, Instant.MAX));
      }
      var keyEnds =
          rows.lockKey(Secrets.hash(visit.secret()))
              .flatMap(key -> Optional.ofNullable(key.expiresAt()))
              .orElse(Instant.MAX);
      return key(visit.secret())
          .filter(who -> who.kind().opensPages())
          .map(who -> open(who, who.keyId() == null ? outsideKey() : null, visit, keyEnds));
    });
  }

  /** Returns the given name marked as coming from a login link, because it is not verified. */
  private static String linkName(String name) {
    var said =
        PlainText.storable(name)
            .replaceAll("[\\p{Cntrl}\\s\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]+", " ")
            .strip();
    if (said.isEmpty()) {
      return LOGIN_LINK_NAME;
    }
    var most = said.offsetByCodePoints(0, Math.min(60, said.codePointCount(0, said.length())));
    return said.substring(0, most) + " (" + LOGIN_LINK_NAME + ")";
  }

  /** Opens a session for an account; part of the caller's transaction. */
  String open(JdbcAccounts.Row account, @Nullable String address, @Nullable String before) {
    return open(Who.ofAccount(account), null, new Visit("", "", address, before), Instant.MAX);
  }

  /** Ends the sessions of an account but one; part of the caller's transaction. */
  void endSessionsOf(String account, @Nullable Long butSession) {
    rows.endSessionsOfAccount(account, Objects.requireNonNullElse(butSession, 0L));
  }

  /**
   * Opens a session.
   *
   * @param latest when it ends at the latest, however short it is then
   */
  private String open(Who who, @Nullable String outside, Visit visit, Instant latest) {
    var secret = Secrets.next();
    var now = clock.instant();
    var end = now.plus(SESSION);
    rows.expireSessions(now, now.minus(idle));
    if (visit.before() != null) {
      rows.endSession(Secrets.hash(visit.before()));
    }
    rows.insertSession(
        Secrets.hash(secret),
        who.keyId(),
        outside,
        who.account(),
        who.name(),
        who.kind().word(),
        who.safety(),
        visit.address(),
        now,
        latest.isBefore(end) ? latest : end);
    var entry = AuditEntry.of(who.name(), who.kind().word(), AuditAction.SIGNED_IN);
    audit.record(visit.address() == null ? entry : entry.about(visit.address()));
    return secret;
  }

  void signOut(String secret) {
    transactions.write(() -> rows.endSession(Secrets.hash(secret)));
  }

  /**
   * Returns the sessions in force, newest first: all for an admin, else those of the caller's own
   * key or account.
   */
  List<JdbcAccess.Session> sessions(Who by, long before, int most) {
    return sessions(whose(by), before, most);
  }

  /** Returns whether the caller's session was opened with a key, and not with a login link. */
  boolean openedByKey(Who by) {
    var session = by.session();
    if (by.keyId() != null || session == null) {
      return true;
    }
    long seq = session;
    return transactions.read(() -> rows.fromOutside(seq)) > 0;
  }

  /** Returns the sessions in force of the caller's own key or account, newest first. */
  List<JdbcAccess.Session> ownSessions(Who by, int most) {
    return sessions(by.holder(), Long.MAX_VALUE, most);
  }

  private List<JdbcAccess.Session> sessions(String holder, long before, int most) {
    var now = clock.instant();
    return transactions.read(
        () -> rows.sessions(holder, now, now.minus(idle), outsideKey(), before, most));
  }

  private static String whose(Who by) {
    return by.isAdmin() ? "" : by.holder();
  }

  /** Returns the hashes among these whose keys are neither revoked nor expired. */
  List<String> keysInForce(List<String> hashes) {
    var now = clock.instant();
    return hashes.isEmpty() ? List.of() : transactions.read(() -> rows.keysInForce(hashes, now));
  }

  /** Returns the hashes among these whose sessions are in force. */
  List<String> sessionsInForce(List<String> hashes) {
    var now = clock.instant();
    return hashes.isEmpty()
        ? List.of()
        : transactions.read(() -> rows.sessionsInForce(hashes, now, now.minus(idle), outsideKey()));
  }

  /** Ends a session; returns false if there is none that the caller may end. */
  boolean endSession(Who by, long seq) {
    return transactions.write(() -> {
      var name = rows.nameOf(seq, whose(by));
      if (name.isEmpty() || rows.endSession(seq) == 0) {
        return false;
      }
      audit.record(
          AuditEntry.of(by.name(), by.kind().word(), AuditAction.SESSION_ENDED)
              .about("session " + seq + " of " + name.get()));
      return true;
    });
  }

  /** A new key; its secret is shown only this once. */
  record NewKey(
      String id,
      String name,
      String role,
      boolean deidentified,
      @Nullable
          @Schema(
              description = "The end of its last day, when it stops working; absent if it has none")
          Instant expiresAt,
      String key) {}

  /** Returns whether the audit log knows the service itself or a key in force by this name. */
  boolean isTaken(String name) {
    return OWN_NAMES.contains(name.toLowerCase(Locale.ROOT))
        || transactions.read(() -> rows.liveKeys(name)) > 0;
  }

  /** Returns whether an admin could come in if this account, the last of an admin, were none. */
  boolean hasAdminBeside(String account) {
    return adminKey != null
        || transactions.read(() -> rows.adminKeysBeside(account, clock.instant())) > 0;
  }

  /**
   * What a new key is like.
   *
   * @param owner who answers for it
   * @param expiresAt when it stops working, or {@code null} for never
   */
  record Wanted(String name, KeyKind kind, String owner, @Nullable Instant expiresAt) {}

  /**
   * Creates a key, which ends with the caller's account, or with that of the key they use; returns
   * empty if the service itself, an account or a key in force has the name.
   *
   * @throws ApiProblem 401 if that account is no longer an active admin
   */
  Optional<NewKey> createKey(Who by, Wanted wanted) {
    var name = wanted.name();
    var kind = wanted.kind();
    if (OWN_NAMES.contains(name.toLowerCase(Locale.ROOT))) {
      return Optional.empty();
    }
    var secret = "hl_" + Secrets.next();
    var id = Ids.next("key");
    return transactions.write(() -> {
      var account = endsWith(by);
      if (accounts.named(name) > 0
          || rows.insertKey(
                  id,
                  name,
                  kind.word(),
                  Secrets.hash(secret),
                  wanted.owner(),
                  account,
                  clock.instant(),
                  wanted.expiresAt())
              == 0) {
        return Optional.empty();
      }
      audit.record(
          AuditEntry.of(by.name(), by.kind().word(), AuditAction.KEY_CREATED)
              .about(id)
              .changed(null, name + ", " + kind.word()));
      if (kind.allows().contains(Role.SAFETY.word())) {
        mailGrant(by, "the key " + name);
      }
      return Optional.of(
          new NewKey(
              id, name, kind.role(), kind == KeyKind.DEIDENTIFIED, wanted.expiresAt(), secret));
    });
  }

  /**
   * Mails everyone with an account that has safety that it was granted; part of the caller's
   * transaction.
   */
  void mailGrant(Who by, String to) {
    alerting.mailGrant(by.name(), to, accounts.addressesOfSafety());
  }

  /** Returns a sentence for pages that says whether anyone is mailed when safety is granted. */
  String aboutGrants() {
    return alerting.mailsGrants()
        ? "Everyone whose account has safety is mailed when it is granted."
        : "No one is mailed when it is granted, because "
            + StudyFile.NAME
            + " names no mail server (safety.email).";
  }

  /**
   * Returns the account with which a new key of the caller ends, or {@code null} if it ends by
   * itself. The account stays as it is until the transaction ends.
   */
  private @Nullable String endsWith(Who by) {
    var account =
        by.account() != null
            ? by.account()
            : Optional.ofNullable(by.keyId())
                .flatMap(rows::find)
                .map(JdbcAccess.Key::accountId)
                .orElse(null);
    if (account != null && accounts.lock(account).filter(it -> it.keepsKeys()).isEmpty()) {
      throw new ApiProblem(
          HttpStatus.UNAUTHORIZED, "Your account is no longer an active admin. Sign in again.");
    }
    return account;
  }

  /** Returns the keys created before a position, newest first, revoked ones included. */
  List<JdbcAccess.Key> keys(long before, int most) {
    return transactions.read(() -> rows.keys(before, most));
  }

  /**
   * Revokes the key and ends every session opened with it; returns false if there is no such key in
   * force.
   */
  boolean revoke(Who by, String id) {
    return transactions.write(() -> rows.find(id).filter(key -> revoke(by, key, null)).isPresent());
  }

  private boolean revoke(Who by, JdbcAccess.Key key, @Nullable String why) {
    if (rows.revoke(key.id(), clock.instant()) == 0) {
      return false;
    }
    rows.endSessionsOf(key.id());
    audit.record(
        AuditEntry.of(by.name(), by.kind().word(), AuditAction.KEY_REVOKED)
            .about(key.id())
            .changed(key.words(), null)
            .because(why));
    return true;
  }

  /** Returns the keys in force that end with one of these accounts, oldest first. */
  List<JdbcAccess.Key> keysEndingWith(List<String> accountIds) {
    return accountIds.isEmpty() ? List.of() : transactions.read(() -> rows.endingWith(accountIds));
  }

  /** Ends the keys of an account that is no longer an admin; part of the caller's transaction. */
  void endKeysOf(Who by, String account) {
    rows.endingWith(List.of(account)).forEach(key -> revoke(by, key, NO_LONGER_ADMIN));
  }
}
