package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.habitline.storage.Ids;
import org.jspecify.annotations.Nullable;

/**
 * Who may answer whom. A lease lasts {@link #LASTS} of system time and the node renews all of its
 * own every {@link #RENEWED}; on a file, which one process has, it lasts until it is given back.
 * Every method joins the running transaction.
 */
@Singleton
public final class Leases {

  /** How long a lease of a node that died keeps the others away. */
  static final Duration LASTS = Duration.ofSeconds(30);

  public static final Duration RENEWED = Duration.ofSeconds(10);

  private final JdbcLeases rows;
  private final Clock clock;
  private final String owner = Ids.next("node");
  private final Map<String, Lease> working = new ConcurrentHashMap<>();
  private volatile boolean alone;

  Leases(JdbcLeases rows, @Named("system") Clock clock) {
    this.rows = rows;
    this.clock = clock;
  }

  /**
   * A participant's row of the lease table, as somebody saw it who may want to answer them.
   *
   * @param owner who holds it, if anybody does
   * @param handedOver the token of the holder that stopped in order, if one did
   */
  public record Seen(
      String participantId,
      @Nullable String owner,
      long token,
      @Nullable Instant heldUntil,
      @Nullable Long handedOver) {}

  /** Whether nobody held the lease when it was seen. */
  public boolean free(Seen seen) {
    return seen.owner() == null
        || (seen.heldUntil() != null && seen.heldUntil().isBefore(clock.instant()));
  }

  /**
   * Returns the lease, or empty if someone else holds it or held it since it was seen. Every holder
   * raises the token, and one whose time was over leaves the row changed when it still commits: so
   * what was read of the participant after this was seen is what the holder before left behind.
   */
  public Optional<Lease> take(Seen seen) {
    var now = clock.instant();
    if (rows.take(seen.participantId(), owner, now.plus(LASTS), now, seen.token(), seen.owner())
        == 0) {
      return Optional.empty();
    }
    return Optional.of(
        new Lease(
            seen.participantId(),
            seen.token() + 1,
            // What this very process held and lost to nobody, it did not lose by a crash.
            Objects.equals(seen.handedOver(), seen.token()) || owner.equals(seen.owner())));
  }

  /**
   * Makes sure that the lease still holds, and lengthens it.
   *
   * @throws LeaseLost if it does not
   */
  public void confirm(Lease lease) {
    var now = clock.instant();
    if (rows.extend(
            lease.participantId(), owner, lease.token(), now.plus(LASTS), runsOutBefore(now))
        == 0) {
      throw new LeaseLost(lease);
    }
  }

  /** Where nobody competes a lease that ran out, as in a suspend, still is whose it was. */
  private Instant runsOutBefore(Instant now) {
    return alone ? Instant.EPOCH : now;
  }

  /**
   * Gives the lease back.
   *
   * @throws LeaseLost if it no longer held, so that the transaction around it is undone
   */
  public void release(Lease lease) {
    if (rows.release(lease.participantId(), owner, lease.token(), runsOutBefore(clock.instant()))
        == 0) {
      throw new LeaseLost(lease);
    }
  }

  /**
   * Gives the lease back in the middle of the work, which nothing is wrong with: that whoever takes
   * it up next finds it unfinished does not count as a crash. Does nothing if it was lost.
   */
  public void handOver(Lease lease) {
    rows.handOver(lease.participantId(), owner, lease.token());
  }

  void opened(String participantId) {
    rows.insert(participantId);
  }

  /**
   * Works under a lease, which is renewed until the work ends. What the work did not give back runs
   * out then.
   */
  public void holding(Lease lease, Runnable work) {
    working.put(lease.participantId(), lease);
    try {
      work.run();
    } finally {
      working.remove(lease.participantId(), lease);
    }
  }

  /**
   * Lengthens the leases that are being worked under, and only those, in one statement.
   *
   * @param file whether the database is a file
   */
  public void renewAll(boolean file) {
    var held = List.copyOf(working.values());
    if (held.isEmpty()) {
      return;
    }
    var ids = held.stream().map(Lease::participantId).toArray(String[]::new);
    var tokens = held.stream().map(Lease::token).toArray(Long[]::new);
    var now = clock.instant();
    if (file) {
      rows.extendAllInFile(owner, ids, tokens, now.plus(LASTS), runsOutBefore(now));
    } else {
      rows.extendAll(owner, ids, tokens, now.plus(LASTS), now);
    }
  }

  /**
   * Takes every lease back from whoever held it: only where no other process can be running, now or
   * later.
   */
  void takeAll() {
    rows.releaseAll();
    alone = true;
  }

  /**
   * Hands over whatever this process holds: turns that are still running can no longer commit, and
   * whoever takes them up knows that nothing crashed.
   */
  void releaseOwn() {
    rows.releaseOwn(owner);
  }

  void revoke(String participantId) {
    rows.revoke(participantId);
  }

  void erase(String participantId) {
    rows.erase(participantId);
  }
}
