package org.habitline.participants;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that said STOP and whose owner was erased. Nothing is kept of the number but a hash under
 * a key that is not in the database; it is enough to know the number again when somebody enrols it,
 * and says nothing to whoever has the database alone.
 */
@Singleton
public final class Suppressed {

  private final JdbcSuppressed rows;
  private final NumberHash hash;
  private final TransactionOperations<Connection> transactions;

  Suppressed(JdbcSuppressed rows, NumberHash hash, TransactionOperations<Connection> transactions) {
    this.rows = rows;
    this.hash = hash;
    this.transactions = transactions;
  }

  /** Since when, and how, a number said STOP. */
  record OptOut(@Nullable Instant since, @Nullable String how) {}

  /** Whether numbers were hashed under another key than the one that is here. */
  public boolean isUnderAnotherKey() {
    return transactions.executeRead(status ->
        rows.count() > 0
            && rows.fingerprint().filter(it -> !it.equals(hash.fingerprint())).isPresent());
  }

  /** Keeps a number suppressed; joins the running transaction. */
  void add(PhoneNumber phone, OptOut optOut) {
    rows.insert(checked(phone), optOut.since(), optOut.how());
  }

  /** Returns the opt-out of a number that nobody has, and forgets it; the caller keeps it now. */
  Optional<OptOut> take(PhoneNumber phone) {
    if (rows.count() == 0) {
      return Optional.empty();
    }
    var found = rows.find(checked(phone));
    found.ifPresent(row -> rows.delete(row.hash()));
    return found.map(row -> new OptOut(row.optedOutAt(), row.optedOutBy()));
  }

  /** Whether a number is suppressed. */
  boolean has(PhoneNumber phone) {
    return rows.count() > 0 && rows.find(checked(phone)).isPresent();
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
    var fingerprint = hash.fingerprint();
    if (rows.fingerprint().filter(fingerprint::equals).isEmpty()) {
      rows.forgetUnused();
      rows.register(fingerprint);
    }
    if (rows.fingerprint().filter(fingerprint::equals).isEmpty()) {
      throw new IllegalStateException(
          "The key of suppressed numbers is not the one that they were hashed with.");
    }
    return hash.of(phone);
  }
}
