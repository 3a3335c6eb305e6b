package org.habitline.conversation;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.habitline.conversation.takeover.JdbcTakeovers;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Switches debug messages on and off, for one participant or for all, always for a limited time.
 * Uses system time, so that a moved study clock does not change how long they are on. An interval
 * of one participant affects no one else.
 */
@Singleton
public final class DebugMode {

  /** The beginning of every debug message. */
  public static final String MARK = "🐛 DEBUG:";

  /** The scope of an interval that holds for all participants. */
  public static final String ALL = "all";

  private final JdbcTakeovers rows;
  private final Transactions transactions;
  private final Clock systemClock;

  DebugMode(JdbcTakeovers rows, Transactions transactions, @Named("system") Clock systemClock) {
    this.rows = rows;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * A time in which debug messages are or were on.
   *
   * @param until when it ends unless ended earlier
   * @param endedAt when it was ended early, or {@code null}
   */
  public record Interval(
      long seq,
      Instant startedAt,
      Instant until,
      String startedBy,
      @Nullable String reason,
      @Nullable Instant endedAt,
      @Nullable String endedBy) {}

  /**
   * Switches debug messages on from now, ends a running interval of the same scope, and returns the
   * new one. Joins the running transaction.
   *
   * @param scope a participant's id, or {@link #ALL}
   */
  public Interval on(String scope, Duration time, String by, @Nullable String reason) {
    return transactions.write(() -> {
      var now = systemClock.instant();
      var _ = rows.endDebug(scope, by, now);
      rows.debug(scope, now, now.plus(time), by, reason);
      return inForce(scope).orElseThrow();
    });
  }

  /**
   * Ends the running interval of a scope; returns false if there was none. Joins the running
   * transaction.
   */
  public boolean off(String scope, String by) {
    return transactions.write(() -> rows.endDebug(scope, by, systemClock.instant()) > 0);
  }

  /** Returns the running interval of exactly this scope. */
  public Optional<Interval> inForce(String scope) {
    return transactions
        .read(() -> rows.debugging(scope, systemClock.instant()))
        .map(DebugMode::interval);
  }

  /**
   * Returns intervals of a scope, newest first.
   *
   * @param before a {@code seq}; {@link Long#MAX_VALUE} to start with the newest
   */
  public List<Interval> intervals(String scope, long before, int most) {
    return transactions.read(() -> rows.debugIntervals(scope, before, most)).stream()
        .map(DebugMode::interval)
        .toList();
  }

  private static Interval interval(JdbcTakeovers.DebugInterval row) {
    return new Interval(
        Objects.requireNonNull(row.seq()),
        row.startedAt(),
        row.untilAt(),
        row.startedBy(),
        row.reason(),
        row.endedAt(),
        row.endedBy());
  }
}
