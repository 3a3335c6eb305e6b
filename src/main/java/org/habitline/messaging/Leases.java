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
 * The leases that decide which node runs turns for which participant. A lease lasts {@link #LASTS}
 * of system time, and a node renews its own leases every {@link #RENEWED}. On an H2 file, which
 * only one process can have open, a lease lasts until it is released. Every method joins the
 * running transaction.
 */
@Singleton
public final class Leases {

  /** How long the lease of a node that died keeps other nodes away. */
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
   * A participant's row of the lease table, as read by a node that may want to take the lease.
   *
   * @param owner the holder, if there is one
   * @param handedOver the token of the last holder that stopped in an orderly way, if one did
   */
  public record Seen(
      String participantId,
      @Nullable String owner,
      long token,
      @Nullable Instant heldUntil,
      @Nullable Long handedOver) {}

  /** Returns whether the lease was free when it was read. */
  public boolean free(Seen seen) {
    return seen.owner() == null
        || (seen.heldUntil() != null && seen.heldUntil().isBefore(clock.instant()));
  }

  /**
   * Takes the lease; returns empty if another node holds it or has held it since it was read. Every
   * holder raises the token, and one whose lease expired changes the row when it still commits. So
   * whatever was read about the participant after the lease row is what the previous holder left.
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
            // A lease that this process held and no one took over was not lost in a crash.
            Objects.equals(seen.handedOver(), seen.token()) || owner.equals(seen.owner())));
  }

  /**
   * Checks that the lease still holds, and extends it.
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

  /**
   * Returns the time before which leases count as expired: where no other process can take them, a
   * lease that ran out, as when the machine was suspended, is still valid.
   */
  private Instant runsOutBefore(Instant now) {
    return alone ? Instant.EPOCH : now;
  }

  /**
   * Releases the lease.
   *
   * @throws LeaseLost if it no longer held, so that the transaction around it is rolled back
   */
  public void release(Lease lease) {
    if (rows.release(lease.participantId(), owner, lease.token(), runsOutBefore(clock.instant()))
        == 0) {
      throw new LeaseLost(lease);
    }
  }

  /**
   * Releases the lease in the middle of the work. The next holder does not take the unfinished work
   * for a crash. Does nothing if the lease was lost.
   */
  public void handOver(Lease lease) {
    rows.handOver(lease.participantId(), owner, lease.token());
  }

  void opened(String participantId) {
    rows.insert(participantId);
  }

  /**
   * Runs the work under a lease, which is renewed until the work ends. A lease that the work did
   * not release then expires.
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
   * Extends the leases that work is running under, and only those, in one statement.
   *
   * @param file whether the database is an H2 file
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

  /** Releases every lease. Call it only where no other process can be running, now or later. */
  void takeAll() {
    rows.releaseAll();
    alone = true;
  }

  /**
   * Hands over all leases of this process: turns that are still running can no longer commit, and
   * the node that resumes them knows that nothing crashed.
   */
  void releaseOwn() {
    rows.releaseOwn(owner);
  }

  /**
   * Takes a participant's lease from whichever process holds it, so that a turn that is running can
   * write and commit nothing; another turn may begin at once. Joins the running transaction.
   */
  public void revoke(String participantId) {
    rows.revoke(participantId);
  }

  void erase(String participantId) {
    rows.erase(participantId);
  }
}
