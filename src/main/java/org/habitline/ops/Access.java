package org.habitline.ops;

import io.micronaut.context.annotation.Value;
import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.messaging.PlainText;
import org.habitline.participants.Ids;
import org.jspecify.annotations.Nullable;

/** Who may come in: API keys, one-time login links, and the sessions they open. System time. */
@Singleton
final class Access {

  static final Duration SESSION = Duration.ofHours(12);
  static final Duration LOGIN_LINK = Duration.ofHours(24);
  private static final String ADMIN = "admin";
  private static final String LOGIN_LINK_NAME = "login link";

  /** Who acts in the audit log without a stored key. */
  private static final Set<String> OWN_NAMES = Set.of(ADMIN, LOGIN_LINK_NAME, "habitline");

  private final JdbcAccess rows;
  private final AuditLog audit;
  private final TransactionOperations<Connection> transactions;
  private final Clock clock;
  private final @Nullable String adminKey;

  Access(
      JdbcAccess rows,
      AuditLog audit,
      TransactionOperations<Connection> transactions,
      @Named("system") Clock clock,
      @Value("${habitline.admin-key:}") String adminKey) {
    this.rows = rows;
    this.audit = audit;
    this.transactions = transactions;
    this.clock = clock;
    this.adminKey = adminKey.isBlank() ? null : adminKey.strip();
  }

  /**
   * Who someone is, and what they may do.
   *
   * @param keyId the stored key they showed or signed in with, if it was one
   */
  record Who(String name, KeyKind kind, @Nullable String keyId) {
    Who(String name, KeyKind kind) {
      this(name, kind, null);
    }
  }

  boolean hasAdminKey() {
    return adminKey != null;
  }

  /** Returns whose API key this is, or empty. */
  Optional<Who> key(String secret) {
    if (adminKey != null && Secrets.same(adminKey, secret)) {
      return Optional.of(new Who(ADMIN, KeyKind.ADMIN));
    }
    return transactions.executeRead(status -> rows.key(Secrets.hash(secret))).flatMap(Access::who);
  }

  /** Returns whose session this is, or empty if there is none or it has run out. */
  Optional<Who> session(String secret) {
    return transactions
        .executeRead(status -> rows.session(Secrets.hash(secret), clock.instant()))
        .flatMap(Access::who);
  }

  private static Optional<Who> who(JdbcAccess.Holder holder) {
    return KeyKind.of(holder.role()).map(kind -> new Who(holder.name(), kind, holder.keyId()));
  }

  /** Makes a token that opens one session, within a day. */
  String newLogin() {
    var secret = Secrets.next();
    transactions.executeWrite(status -> {
      var now = clock.instant();
      rows.expireLogins(now);
      rows.insertLogin(Secrets.hash(secret), now, now.plus(LOGIN_LINK));
      return true;
    });
    return secret;
  }

  /**
   * Opens a session for a one-time login token or an API key of staff; empty if it is neither.
   *
   * @param name who comes in by a link, for the audit log; blank for nobody in particular
   */
  Optional<String> signIn(String secret, String name) {
    return transactions.executeWrite(status -> {
      if (rows.useLogin(Secrets.hash(secret), clock.instant()) == 1) {
        return Optional.of(open(new Who(linkName(name), KeyKind.ADMIN)));
      }
      return key(secret).filter(who -> who.kind().opensPages()).map(this::open);
    });
  }

  /** Says that it is what somebody called themselves. */
  private static String linkName(String name) {
    var said = PlainText.storable(name).replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    if (said.isEmpty()) {
      return LOGIN_LINK_NAME;
    }
    var most = said.offsetByCodePoints(0, Math.min(60, said.codePointCount(0, said.length())));
    return said.substring(0, most) + " (" + LOGIN_LINK_NAME + ")";
  }

  private String open(Who who) {
    var secret = Secrets.next();
    var now = clock.instant();
    rows.expireSessions(now);
    rows.insertSession(
        Secrets.hash(secret), who.keyId(), who.name(), who.kind().word(), now, now.plus(SESSION));
    audit.record(AuditEntry.of(who.name(), who.kind().word(), "signed in"));
    return secret;
  }

  void signOut(String secret) {
    transactions.executeWrite(status -> rows.endSession(Secrets.hash(secret)));
  }

  /** A key that was just made; the secret is shown this once. */
  record NewKey(String id, String name, String role, String key) {}

  /** Makes a key, or none if the line itself or a key that is not revoked has the name. */
  Optional<NewKey> createKey(Who by, String name, KeyKind kind) {
    if (OWN_NAMES.contains(name.toLowerCase(Locale.ROOT))) {
      return Optional.empty();
    }
    var secret = "hl_" + Secrets.next();
    var id = Ids.next("key");
    return transactions.executeWrite(status -> {
      if (rows.insertKey(id, name, kind.word(), Secrets.hash(secret), clock.instant()) == 0) {
        return Optional.empty();
      }
      audit.record(
          AuditEntry.of(by.name(), by.kind().word(), "key created")
              .about(id)
              .changed(null, name + ", " + kind.word()));
      return Optional.of(new NewKey(id, name, kind.word(), secret));
    });
  }

  /** Returns keys made before a place in the list, newest first; revoked ones too. */
  List<JdbcAccess.Key> keys(long before, int most) {
    return transactions.executeRead(status -> rows.keys(before, most));
  }

  /** Ends the key and every session opened with it; false if there is no such key any more. */
  boolean revoke(Who by, String id) {
    return transactions.executeWrite(status -> {
      if (rows.revoke(id, clock.instant()) == 0) {
        return false;
      }
      rows.endSessionsOf(id);
      audit.record(AuditEntry.of(by.name(), by.kind().word(), "key revoked").about(id));
      return true;
    });
  }
}
