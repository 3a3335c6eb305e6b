package org.habitline.timers;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Plans what wakes someone at an instant, exactly once. A wake-up is a row that is committed with
 * whatever asked for it; when it is due {@link Sweeps} turn it into work. Bells make a sweep come
 * at the right second, and one comes every few seconds anyway: a bell that was lost, with a process
 * or between commit and ringing, makes a wake-up late and never lost.
 */
@Singleton
public final class Timers {

  /**
   * Bells are set this far ahead only; every sweep sets those that came near. So there are few of
   * them however many wake-ups wait.
   */
  static final Duration BELLS_AHEAD = Duration.ofMinutes(2);

  private static final int COUNTED = 10_000;

  private final JdbcWakeups rows;
  private final SweepTrigger bells;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;

  Timers(
      JdbcWakeups rows,
      SweepTrigger bells,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.bells = bells;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /**
   * Something to be done.
   *
   * @param dueAt study time
   * @param zone the participant's
   * @param guard what must still be so when it rings
   * @param which tells apart what one participant may have several of at a time; mostly empty
   */
  public record Plan(
      String participantId,
      WakeupKind kind,
      Instant dueAt,
      ZoneId zone,
      String guard,
      String which) {

    public Plan(String participantId, WakeupKind kind, Instant dueAt, ZoneId zone, String guard) {
      this(participantId, kind, dueAt, zone, guard, "");
    }

    private String onlyOne() {
      return participantId + ":" + kind.word() + (which.isEmpty() ? "" : ":" + which);
    }
  }

  /**
   * Plans a wake-up in the running transaction; one of the same kind that is still open is taken
   * back. Returns its id.
   */
  public String plan(Plan plan) {
    var now = clock.instant();
    rows.cancel(plan.onlyOne(), "a newer one took its place", now);
    var id = Ids.next("wku");
    rows.insert(
        id,
        plan.participantId(),
        plan.kind(),
        plan.dueAt(),
        LocalDateTime.ofInstant(plan.dueAt(), plan.zone())
            .truncatedTo(ChronoUnit.SECONDS)
            .toString(),
        plan.zone().getId(),
        plan.guard(),
        now,
        plan.onlyOne());
    if (plan.dueAt().isBefore(now.plus(BELLS_AHEAD))) {
      transactions.afterCommit(() -> ring(plan.dueAt()));
    }
    return id;
  }

  /** Takes back what is open of one kind; joins the running transaction. */
  public void cancel(String participantId, WakeupKind kind, String which, String reason) {
    rows.cancel(
        new Plan(participantId, kind, Instant.EPOCH, ZoneId.of("UTC"), "", which).onlyOne(),
        reason,
        clock.instant());
  }

  /** Takes back what is open of some kinds; joins the running transaction. */
  public void cancel(String participantId, Collection<WakeupKind> kinds, String reason) {
    rows.cancel(participantId, kinds, reason, clock.instant());
  }

  /** Ends a wake-up that rang; returns whether it was still open. Joins the running transaction. */
  public boolean end(String id, Wakeup.Status status, @Nullable String reason) {
    return rows.end(id, status, reason, clock.instant()) > 0;
  }

  public Optional<Wakeup> find(String id) {
    return transactions.read(() -> rows.find(id).map(Timers::read));
  }

  /** Returns what is planned for a participant or stands in the inbox, by due time. */
  public List<Wakeup> open(String participantId) {
    return transactions.read(() -> rows.open(participantId).stream().map(Timers::read).toList());
  }

  /**
   * A wake-up that waits.
   *
   * @param plannedAt study time
   */
  public record Waiting(Wakeup wakeup, Instant plannedAt) {}

  /**
   * Returns what waits to ring once, of everybody, by due time.
   *
   * @param after the due time of the one before; {@link Instant#EPOCH} for the first
   * @param afterId the id of the one before
   */
  public List<Waiting> waiting(Instant after, String afterId, int most) {
    return transactions.read(() -> rows.waiting(after, afterId, most)).stream()
        .map(row -> new Waiting(read(row), row.createdAt()))
        .toList();
  }

  /** Returns the wake-up if it waits to ring once. */
  public Optional<Waiting> waiting(String id) {
    return transactions
        .read(() -> rows.find(id))
        .filter(row -> row.status() == Wakeup.Status.WAITING)
        .map(row -> new Waiting(read(row), row.createdAt()))
        .filter(it -> it.wakeup().kind() != WakeupKind.SCRIPTED);
  }

  /** Takes a wake-up back; returns whether it still waited. Joins the running transaction. */
  public boolean cancel(String id, String reason) {
    return rows.cancelWaiting(id, reason, clock.instant()) > 0;
  }

  /**
   * Wake-ups that are due and did not ring.
   *
   * @param count how many; no more than 10,000 are counted
   * @param by how late the first of them is, in study time
   */
  public record Late(long count, Duration by) {}

  /** Returns what should have rung by now. */
  public Late late() {
    var now = clock.instant();
    var late = transactions.read(() -> rows.late(now, COUNTED));
    return new Late(
        late.count(), late.oldest() == null ? Duration.ZERO : Duration.between(late.oldest(), now));
  }

  /** Returns when the next wake-up of anybody is due, if any waits. */
  public Optional<Instant> nextDue() {
    return transactions.read(() -> rows.nextDue());
  }

  /** Everything about the participant goes; joins the running transaction. */
  void erase(String participantId) {
    rows.erase(participantId);
  }

  /** What became due while it was being committed rings at the next second. */
  void ring(Instant due) {
    var left = Duration.between(clock.instant(), due);
    bells.ringAt(systemClock.instant().plus(left.isPositive() ? left : Duration.ZERO));
  }

  static Wakeup read(JdbcWakeups.Row row) {
    return new Wakeup(
        row.id(),
        row.participantId(),
        row.kind(),
        row.dueAt(),
        LocalDateTime.parse(row.wallTime()),
        ZoneId.of(row.zone()),
        row.guard(),
        row.status(),
        row.reason());
  }
}
