package org.habitline.ops.access;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Accounts of people: an admin invites, the person sets a password and a second factor by the link,
 * and signs in with both. Whatever weakens an account, or takes something away from it, ends its
 * sessions. Uses system time.
 */
@Singleton
final class Accounts {

  private static final int RECOVERY_CODES = 10;

  private static final String WRONG_CODE =
      "code: wrong, used before, or too old. Enter the code that the app shows now.";

  private final JdbcAccounts rows;
  private final Access access;
  private final Passwords passwords;
  private final SecretSeal seal;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock clock;

  Accounts(
      JdbcAccounts rows,
      Access access,
      Passwords passwords,
      SecretSeal seal,
      AuditLog audit,
      Transactions transactions,
      @Named("system") Clock clock) {
    this.rows = rows;
    this.access = access;
    this.passwords = passwords;
    this.seal = seal;
    this.audit = audit;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** What an account may do. */
  record Rights(AccountRole role, boolean safety) {

    /**
     * Returns the rights.
     *
     * @throws ApiProblem 400 if they do not go together
     */
    static Rights of(AccountRole role, boolean safety) {
      if (safety && role == AccountRole.DEIDENTIFIED) {
        throw ApiProblem.bad(
            "safety: not with the role deidentified, because incidents show names and texts.");
      }
      return new Rights(role, safety);
    }
  }

  /** What is to change of an account; {@code null} keeps it. */
  record Change(
      @Nullable AccountRole role, @Nullable Boolean safety, @Nullable AccountState state) {}

  /** An account with the token of its link, which is shown only this once. */
  record Invited(JdbcAccounts.Row account, String token) {}

  /** A second factor, in Base32, that the person has yet to confirm with a code. */
  record NewFactor(String email, String secret) {}

  /** Returns whether anyone has ever accepted an invitation, so that signing in is offered. */
  boolean any() {
    return transactions.read(rows::signedUp) > 0;
  }

  /** Returns the accounts made before a position, newest first. */
  List<JdbcAccounts.Row> list(long before, int most) {
    return transactions.read(() -> rows.newest(before, most));
  }

  Optional<JdbcAccounts.Row> find(String id) {
    return transactions.read(() -> rows.find(id));
  }

  /** Returns the account of a caller, or empty if they use a key or a login link. */
  Optional<JdbcAccounts.Row> of(Access.Who who) {
    return Optional.ofNullable(who.account()).flatMap(this::find);
  }

  /** Returns how many recovery codes of an account are left. */
  int recoveryCodes(String id) {
    return transactions.read(() -> rows.codesOf(id));
  }

  /** Invites a person; returns empty if their name or address is taken. */
  Optional<Invited> invite(Access.Who by, String name, String email, Rights rights) {
    if (access.isTaken(name)) {
      return Optional.empty();
    }
    var id = Ids.next("acc");
    return transactions.write(() -> {
      if (rows.insert(id, name, email, rights.role(), rights.safety(), clock.instant(), by.name())
          == 0) {
        return Optional.empty();
      }
      audit.record(
          entry(by, AuditAction.PERSON_INVITED)
              .about(id)
              .changed(null, name + ", " + words(rights)));
      if (rights.safety()) {
        access.mailGrant(by, name);
      }
      return Optional.of(new Invited(rows.find(id).orElseThrow(), newInvitation(id)));
    });
  }

  private String newInvitation(String id) {
    rows.endPassesOf(id);
    return newPass(id, AccountPass.INVITATION);
  }

  private String newPass(String id, AccountPass purpose) {
    var token = Secrets.next();
    insertPass(Secrets.hash(token), id, purpose);
    return token;
  }

  private void insertPass(String hash, String id, AccountPass purpose) {
    var now = clock.instant();
    rows.expirePasses(now);
    rows.insertPass(hash, id, purpose, now.plus(purpose.life()));
  }

  private static String words(Rights rights) {
    return rights.role().word() + (rights.safety() ? " and safety" : "");
  }

  private static AuditEntry entry(Access.Who by, AuditAction action) {
    return AuditEntry.of(by.name(), by.kind().word(), action);
  }

  /**
   * Makes a new link for an account. Its password, second factor and recovery codes stop working,
   * and its sessions end. An account that is disabled becomes invited. The last admin is not locked
   * out by it, because whoever asks gets the link.
   */
  Invited renew(Access.Who by, String id) {
    return transactions.write(() -> {
      known(id);
      rows.reset(id);
      rows.deleteCodesOf(id);
      access.endSessionsOf(id, null);
      audit.record(entry(by, AuditAction.SIGN_IN_RESET).about(id));
      return new Invited(rows.find(id).orElseThrow(), newInvitation(id));
    });
  }

  /** Returns an account, which stays as it is until the transaction ends. */
  private JdbcAccounts.Row known(String id) {
    return rows.lock(id)
        .orElseThrow(() -> ApiProblem.notFound("There is no account with this id."));
  }

  /** Refuses to take the role from the last admin, unless an admin's key is left afterwards. */
  private void keepAnAdmin(JdbcAccounts.Row account, List<String> admins) {
    if (admins.equals(List.of(account.id())) && !access.hasAdminBeside(account.id())) {
      throw ApiProblem.conflict(
          "This is the last admin. Make another person an admin first, or set"
              + " HABITLINE_ADMIN_KEY.");
    }
  }

  /**
   * Changes the role or the state of an account; a change ends its sessions, and sign-ins that wait
   * for the second factor. If it is no longer an admin, or disabled, its keys end for good.
   */
  JdbcAccounts.Row change(Access.Who by, String id, Change change) {
    return transactions.write(() -> {
      // Before the account itself, so that no two changes wait for each other.
      var admins = rows.admins();
      var before = known(id);
      var had = new Rights(before.role(), before.safety());
      var rights =
          Rights.of(
              Objects.requireNonNullElse(change.role(), had.role()),
              Objects.requireNonNullElse(change.safety(), had.safety()));
      var state = Objects.requireNonNullElse(change.state(), before.state());
      if (state == before.state() && rights.equals(had)) {
        return before;
      }
      if (state != before.state() && !mayBecome(before, state)) {
        throw ApiProblem.conflict(
            "state: this account has no password and second factor, so it cannot become active;"
                + " make a new invitation link.");
      }
      if (before.state() == AccountState.ACTIVE
          && (state != AccountState.ACTIVE || rights.role() != AccountRole.ADMIN)) {
        keepAnAdmin(before, admins);
      }
      rows.change(id, rights.role(), rights.safety(), state);
      rows.endHalfwaysOf(id);
      if (state == AccountState.DISABLED) {
        rows.endPassesOf(id);
      }
      access.endSessionsOf(id, null);
      audit.record(
          entry(by, AuditAction.PERSON_CHANGED)
              .about(id)
              .changed(words(had, before.state()), words(rights, state)));
      var after = rows.find(id).orElseThrow();
      if (rights.safety() && !had.safety()) {
        access.mailGrant(by, before.name());
      }
      if (!after.keepsKeys()) {
        access.endKeysOf(by, id);
      }
      return after;
    });
  }

  private static boolean mayBecome(JdbcAccounts.Row account, AccountState state) {
    return state == AccountState.DISABLED
        || (state == AccountState.ACTIVE && account.totpSecret() != null);
  }

  private static String words(Rights rights, AccountState state) {
    return words(rights) + ", " + state.word();
  }

  /** Returns the account that a link invites, or empty if the link was used or has expired. */
  Optional<JdbcAccounts.Row> invited(String token) {
    return transactions.read(
        () -> rows.ofPass(Secrets.hash(token), AccountPass.INVITATION, clock.instant()));
  }

  /**
   * Sets the password of an invited person and starts their second factor; the link stays valid
   * until the factor is confirmed.
   *
   * @throws ApiProblem 400 if the password is not accepted
   */
  Optional<NewFactor> accept(String token, String password) {
    return invited(token)
        .flatMap(account -> {
          var hash = checked(account, password);
          return transactions.write(() -> {
            rows.lock(account.id());
            // The link may have been used meanwhile.
            return invited(token)
                .map(still -> {
                  rows.password(still.id(), hash);
                  return startFactor(still);
                });
          });
        });
  }

  /** Returns the second factor that an invited person was shown, or empty if there is none yet. */
  Optional<NewFactor> shown(JdbcAccounts.Row account) {
    return Optional.ofNullable(account.totpPending())
        .map(sealed -> new NewFactor(account.email(), OneTimeCodes.text(seal.open(sealed))));
  }

  private String checked(JdbcAccounts.Row account, String password) {
    passwords
        .complaint(
            password,
            Stream.concat(
                    Stream.of(account.name(), account.email(), "habitline"),
                    Stream.of((account.name() + " " + account.email()).split("[\\s@.]+")))
                .toList())
        .ifPresent(sentence -> {
          throw ApiProblem.bad(sentence);
        });
    return passwords.hash(password);
  }

  private NewFactor startFactor(JdbcAccounts.Row account) {
    var secret = OneTimeCodes.newSecret();
    rows.pending(account.id(), seal.seal(secret));
    return new NewFactor(account.email(), OneTimeCodes.text(secret));
  }

  /**
   * What signing in leads to.
   *
   * @param session the secret of the new session
   * @param recoveryCodes new recovery codes, shown only this once; empty if none were made
   */
  record SignedIn(AccountRole role, String session, List<String> recoveryCodes) {}

  /**
   * Confirms the second factor of an invited person, which makes the account active, and signs them
   * in.
   *
   * @throws ApiProblem 400 if the code is wrong
   */
  Optional<SignedIn> confirmInvitation(
      String token, String code, @Nullable String address, @Nullable String before) {
    return transactions.write(() -> {
      var now = clock.instant();
      var hash = Secrets.hash(token);
      var found =
          rows.ofPass(hash, AccountPass.INVITATION, now)
              .flatMap(it -> rows.lock(it.id()))
              .filter(it -> it.passwordHash() != null);
      if (found.isEmpty() || rows.usePass(hash, now) == 0) {
        return Optional.empty();
      }
      var account = found.get();
      confirmPending(account, code, AccountState.INVITED);
      rows.endPassesOf(account.id());
      rows.signedIn(account.id(), now);
      audit.record(
          AuditEntry.of(account.name(), account.role().word(), AuditAction.INVITATION_ACCEPTED)
              .about(account.id()));
      var codes = newCodes(account.id());
      return Optional.of(
          new SignedIn(account.role(), access.open(account, address, before), codes));
    });
  }

  private void confirmPending(JdbcAccounts.Row account, String code, AccountState state) {
    var sealed = account.totpPending();
    var step =
        sealed == null
            ? OptionalLong.empty()
            : OneTimeCodes.step(seal.open(sealed), code, clock.instant());
    if (sealed == null
        || step.isEmpty()
        || rows.confirm(account.id(), sealed, step.getAsLong(), state) == 0) {
      throw ApiProblem.bad(WRONG_CODE);
    }
  }

  private List<String> newCodes(String id) {
    rows.deleteCodesOf(id);
    var codes = Stream.generate(OneTimeCodes::newRecoveryCode).limit(RECOVERY_CODES).toList();
    codes.forEach(code -> rows.insertCode(OneTimeCodes.recoveryHash(id, code), id));
    return codes;
  }

  /**
   * Checks an address and a password. Returns a token for the second step, or empty if they do not
   * belong to an active account; both take the same time.
   */
  Optional<String> password(String email, String password) {
    // No address has control characters, and PostgreSQL refuses to look for some.
    var found =
        email.codePoints().anyMatch(Character::isISOControl)
            ? Optional.<JdbcAccounts.Row>empty()
            : transactions.read(() -> rows.byEmail(email.strip()));
    var active = found.filter(account -> account.state() == AccountState.ACTIVE);
    var right =
        passwords.matches(active.map(JdbcAccounts.Row::passwordHash).orElse(null), password);
    return transactions.write(() -> {
      if (right) {
        return active
            .flatMap(this::unchanged)
            .map(account -> newPass(account.id(), AccountPass.SECOND_FACTOR));
      }
      found.ifPresent(account -> rows.failed(account.id()));
      return Optional.empty();
    });
  }

  /**
   * Returns an active account whose password was compared, until the transaction ends; empty if it
   * has changed since.
   */
  private Optional<JdbcAccounts.Row> unchanged(JdbcAccounts.Row compared) {
    return rows.lock(compared.id())
        .filter(it -> it.state() == AccountState.ACTIVE)
        .filter(it -> Objects.equals(it.passwordHash(), compared.passwordHash()));
  }

  /** Returns the address of the account whose password was right, or empty if that is too old. */
  Optional<String> halfway(String token) {
    return transactions
        .read(() -> rows.ofPass(Secrets.hash(token), AccountPass.SECOND_FACTOR, clock.instant()))
        .map(JdbcAccounts.Row::email);
  }

  /** What came of the second step of signing in. */
  sealed interface Second {
    record In(SignedIn signedIn) implements Second {}

    /** The code is wrong; it may be entered again. */
    record Wrong() implements Second {}

    /** The first step is too long ago, or was used. */
    record TooLate() implements Second {}
  }

  /** Checks the code of the second factor, or a recovery code, and opens a session. */
  Second code(String token, String code, @Nullable String address, @Nullable String before) {
    return transactions.write(() -> {
      var now = clock.instant();
      var hash = Secrets.hash(token);
      var account =
          rows.ofPass(hash, AccountPass.SECOND_FACTOR, now)
              .flatMap(it -> rows.lock(it.id()))
              .filter(it -> it.state() == AccountState.ACTIVE);
      if (account.isEmpty()) {
        return new Second.TooLate();
      }
      if (!proves(account.get(), code)) {
        rows.failed(account.get().id());
        return new Second.Wrong();
      }
      if (rows.usePass(hash, now) == 0) {
        return new Second.TooLate();
      }
      rows.signedIn(account.get().id(), now);
      var session = access.open(account.get(), address, before);
      return new Second.In(new SignedIn(account.get().role(), session, List.of()));
    });
  }

  /** Uses up a code of the second factor or a recovery code; returns false if it is neither. */
  private boolean proves(JdbcAccounts.Row account, String code) {
    var sealed = account.totpSecret();
    if (sealed == null) {
      return false;
    }
    var step = OneTimeCodes.step(seal.open(sealed), code, clock.instant());
    if (step.isPresent()) {
      return rows.use(account.id(), step.getAsLong()) == 1;
    }
    if (rows.useCode(OneTimeCodes.recoveryHash(account.id(), code), account.id()) == 0) {
      return false;
    }
    audit.record(
        AuditEntry.of(account.name(), account.role().word(), AuditAction.RECOVERY_CODE_USED)
            .about(account.id()));
    return true;
  }

  /**
   * Changes the caller's own password and ends their other sessions.
   *
   * @throws ApiProblem 400 if the present password is wrong or the new one is not accepted
   */
  void changePassword(Access.Who by, String present, String wanted) {
    var account = own(by);
    rightPassword(account, present);
    var hash = checked(account, wanted);
    transactions.write(() -> {
      stillOwn(account);
      rows.password(account.id(), hash);
      changed(by, AuditAction.PASSWORD_CHANGED);
    });
  }

  private void stillOwn(JdbcAccounts.Row account) {
    if (unchanged(account).isEmpty()) {
      throw ApiProblem.conflict("Your account was changed at the same time. Try again.");
    }
  }

  private void rightPassword(JdbcAccounts.Row account, String present) {
    if (!passwords.matches(account.passwordHash(), present)) {
      transactions.write(() -> rows.failed(account.id()));
      throw ApiProblem.bad("present_password: wrong.");
    }
  }

  private void changed(Access.Who by, AuditAction what) {
    var account = Objects.requireNonNull(by.account());
    rows.endPassesOf(account);
    access.endSessionsOf(account, by.session());
    audit.record(entry(by, what).about(by.account()));
  }

  private JdbcAccounts.Row own(Access.Who by) {
    return of(by)
        .orElseThrow(() ->
            ApiProblem.conflict(
                "You are signed in with a key or a login link, so there is no account to change."));
  }

  /**
   * Starts a new second factor for the caller; the present one works until the new one is
   * confirmed, which the same session may do for a while.
   */
  NewFactor newFactor(Access.Who by, String present) {
    var account = own(by);
    rightPassword(account, present);
    return transactions.write(() -> {
      stillOwn(account);
      rows.endPassesOf(account.id());
      insertPass(ofSession(by), account.id(), AccountPass.SECOND_FACTOR);
      return startFactor(account);
    });
  }

  /**
   * Returns the pass of a caller's session, in which the password was right. Nobody can send it
   * instead of a token, because it is not a hash.
   */
  private static String ofSession(Access.Who by) {
    return "session " + Objects.requireNonNull(by.session());
  }

  /** Returns the second factor that waits for its first code from the caller's session. */
  Optional<NewFactor> waitingFactor(Access.Who by) {
    return of(by)
        .flatMap(account ->
            transactions.read(
                () -> rows.ofPass(ofSession(by), AccountPass.SECOND_FACTOR, clock.instant())))
        .flatMap(this::shown);
  }

  /**
   * Confirms the caller's new second factor and returns new recovery codes.
   *
   * @throws ApiProblem 400 if the code is wrong, or the password was not entered in this session
   *     just before
   */
  List<String> confirmFactor(Access.Who by, String code) {
    return changing(
        by,
        account -> {
          if (rows.usePass(ofSession(by), clock.instant()) == 0) {
            throw ApiProblem.bad(
                "That took too long. Enter your password again under Change second factor.");
          }
          confirmPending(account, code, AccountState.ACTIVE);
          changed(by, AuditAction.SECOND_FACTOR_CHANGED);
          return newCodes(account.id());
        });
  }

  /** Replaces the caller's recovery codes, for a code of the second factor. */
  List<String> newRecoveryCodes(Access.Who by, String code) {
    return changing(
        by,
        account -> {
          if (!proves(account, code)) {
            throw ApiProblem.bad(WRONG_CODE);
          }
          changed(by, AuditAction.RECOVERY_CODES_RENEWED);
          return newCodes(account.id());
        });
  }

  private <T> T changing(Access.Who by, Function<JdbcAccounts.Row, T> change) {
    return transactions.write(() -> change.apply(known(own(by).id())));
  }
}
