package org.habitline.participants;

import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;

/**
 * Numbers that said STOP and whose owner was erased. Nothing is kept of the number but a hash under
 * a key that is not in the database; it is enough to know the number again when somebody enrols it,
 * and says nothing to whoever has the database alone.
 */
@Singleton
public final class Suppressed {

  private final JdbcSuppressed rows;
  private final NumberHash hash;
  private final Transactions transactions;

  Suppressed(JdbcSuppressed rows, NumberHash hash, Transactions transactions) {
    this.rows = rows;
    this.hash = hash;
    this.transactions = transactions;
  }

  /**
   * Whether the key that is here is the one of this database. The first key to be asked about is,
   * also before any number is hashed: of two nodes with different keys the second one is told. No
   * other process has the H2 file open, so there a key that hashed nothing may be exchanged.
   */
  public boolean knowsTheKey() {
    return transactions.writeWith(connection -> {
      if (Database.isFile(connection)) {
        rows.forgetUnusedKey();
      }
      return isOurs(hash.fingerprint());
    });
  }

  /**
   * Keeps a number suppressed, at least from then on; joins the running transaction. How it came
   * stays as it was first.
   */
  void add(PhoneNumber phone, Participants.OptOut optOut) {
    var hashed = checked(phone);
    rows.insert(hashed, optOut.since(), optOut.source());
    if (optOut.since() != null) {
      rows.suppressedAgain(hashed, optOut.since());
    }
  }

  /** Returns the opt-out of a number, or empty if it is not suppressed. */
  Optional<Participants.OptOut> find(PhoneNumber phone) {
    return rows.count() == 0
        ? Optional.empty()
        : rows.find(checked(phone))
            .map(row -> new Participants.OptOut(row.optedOutAt(), row.optedOutBy()));
  }

  /** Returns the opt-out of a number that nobody has, and forgets it; the caller keeps it now. */
  Optional<Participants.OptOut> take(PhoneNumber phone) {
    if (rows.count() == 0) {
      return Optional.empty();
    }
    var found = rows.find(checked(phone));
    found.ifPresent(row -> rows.delete(row.hash()));
    return found.map(row -> new Participants.OptOut(row.optedOutAt(), row.optedOutBy()));
  }

  /** Returns which of these are suppressed. */
  Set<PhoneNumber> these(Collection<PhoneNumber> phones) {
    if (phones.isEmpty() || rows.count() == 0) {
      return Set.of();
    }
    var byHash = new HashMap<String, PhoneNumber>();
    phones.forEach(phone -> byHash.put(checked(phone), phone));
    var found = new HashSet<PhoneNumber>();
    rows.these(byHash.keySet()).forEach(each -> found.add(byHash.get(each)));
    return Set.copyOf(found);
  }

  /** Under another key nobody could tell whether a number said STOP: better nothing is done. */
  private String checked(PhoneNumber phone) {
    if (!isOurs(hash.fingerprint())) {
      throw new IllegalStateException(
          "The key of suppressed numbers is not the one that they were hashed with.");
    }
    return hash.of(phone);
  }

  private boolean isOurs(String fingerprint) {
    var known = rows.fingerprint();
    if (known.isEmpty()) {
      rows.register(fingerprint);
      known = rows.fingerprint();
    }
    return known.filter(fingerprint::equals).isPresent();
  }
}
