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
 * Keeps the opt-outs of numbers that belong to no one, such as those of erased participants. Stores
 * only a hash of the number, under a key that is not in the database: it is enough to recognise the
 * number when it is enrolled again, and the database alone reveals nothing.
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
   * Returns whether this process has the key that the database was hashed with. The first key asked
   * about becomes that key, even before a number is hashed, so the second of two nodes with
   * different keys gets false. Only one process can open an H2 file, so there an unused key is
   * replaced.
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
   * Keeps a number suppressed; joins the running transaction. An opt-out that exists already moves
   * to a later time and keeps the source of the first one.
   */
  void add(PhoneNumber phone, Participants.OptOut optOut) {
    var hashed = checked(phone);
    rows.insert(hashed, optOut.since(), optOut.source());
    rows.suppressedAgain(hashed, optOut.since());
  }

  /** Returns the opt-out of a number, or empty if it is not suppressed. */
  Optional<Participants.OptOut> find(PhoneNumber phone) {
    return rows.count() == 0
        ? Optional.empty()
        : rows.find(checked(phone))
            .map(row -> new Participants.OptOut(row.optedOutAt(), row.optedOutBy(), null));
  }

  /** Returns and deletes the opt-out of a suppressed number; the caller stores it elsewhere. */
  Optional<Participants.OptOut> take(PhoneNumber phone) {
    if (rows.count() == 0) {
      return Optional.empty();
    }
    var found = rows.find(checked(phone));
    found.ifPresent(row -> rows.delete(row.hash()));
    return found.map(row -> new Participants.OptOut(row.optedOutAt(), row.optedOutBy(), null));
  }

  /** Returns the numbers among these that are suppressed. */
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

  /**
   * Returns the hash of a number; fails under another key, with which opt-outs would not be found.
   */
  private String checked(PhoneNumber phone) {
    if (!isOurs(hash.fingerprint())) {
      throw new IllegalStateException(
          "This process's key is not the one the suppressed numbers were hashed with.");
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
