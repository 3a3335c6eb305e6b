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
 * Plans wake-ups, which happen exactly once. A wake-up is a row that is committed together with
 * what planned it; when it is due, {@link Sweeps} turn it into work. Triggers start a sweep at the
 * right second, and one runs every few seconds in any case: a trigger that is lost, with a process
 * or between commit and trigger, makes a wake-up late but never loses it.
 */
@Singleton
public final class Timers {

  /**
   * How far ahead triggers are set; every sweep sets those that have come this near. So there are
   * few triggers however many wake-ups are waiting.
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
   * A wake-up to plan.
   *
   * @param dueAt study time
   * @param zone the participant's zone
   * @param guard the condition that must still hold when it is due
   * @param which distinguishes wake-ups of a kind that one participant may have several of; mostly
   *     empty
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
   * Plans a wake-up in the running transaction and returns its id; cancels an open one of the same
   * participant, kind and {@code which}.
   */
  public String plan(Plan plan) {
    var now = clock.instant();
    rows.cancel(plan.onlyOne(), "a newer one replaced it", now);
    var id = Ids.ordered("wku");
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

  /** Cancels an open wake-up of one kind; joins the running transaction. */
  public void cancel(String participantId, WakeupKind kind, String which, String reason) {
    rows.cancel(
        new Plan(participantId, kind, Instant.EPOCH, ZoneId.of("UTC"), "", which).onlyOne(),
        reason,
        clock.instant());
  }

  /** Cancels the open wake-ups of some kinds; joins the running transaction. */
  public void cancel(String participantId, Collection<WakeupKind> kinds, String reason) {
    rows.cancel(participantId, kinds, reason, clock.instant());
  }

  /**
   * Ends a wake-up that was due; returns whether it was still open. Joins the running transaction.
   */
  public boolean end(String id, Wakeup.Status status, @Nullable String reason) {
    return rows.end(id, status, reason, clock.instant()) > 0;
  }

  public Optional<Wakeup> find(String id) {
    return transactions.read(() -> rows.find(id).map(Timers::read));
  }

  /** Returns a participant's wake-ups that are planned or in the inbox, by due time. */
  public List<Wakeup> open(String participantId) {
    return transactions.read(() -> rows.open(participantId).stream().map(Timers::read).toList());
  }

  /**
   * A waiting wake-up.
   *
   * @param plannedAt study time
   */
  public record Waiting(Wakeup wakeup, Instant plannedAt) {}

  /**
   * Returns the waiting wake-ups of all participants by due time, except those of requested
   * prompts.
   *
   * @param after the due time of the one before; {@link Instant#EPOCH} for the first
   * @param afterId the id of the one before
   */
  public List<Waiting> waiting(Instant after, String afterId, int most) {
    return transactions.read(() -> rows.waiting(after, afterId, most)).stream()
        .map(row -> new Waiting(read(row), row.createdAt()))
        .toList();
  }

  /** Returns a wake-up if it is waiting and not for a requested prompt. */
  public Optional<Waiting> waiting(String id) {
    return transactions
        .read(() -> rows.find(id))
        .filter(row -> row.status() == Wakeup.Status.WAITING)
        .map(row -> new Waiting(read(row), row.createdAt()))
        .filter(it -> it.wakeup().kind() != WakeupKind.SCRIPTED);
  }

  /** Cancels a wake-up; returns whether it was still waiting. Joins the running transaction. */
  public boolean cancel(String id, String reason) {
    return rows.cancelWaiting(id, reason, clock.instant()) > 0;
  }

  /**
   * Wake-ups that are due and still waiting.
   *
   * @param count how many; no more than 10,000 are counted
   * @param by how late the first of them is, in study time
   */
  public record Late(long count, Duration by) {}

  /** Returns the wake-ups that are late now. */
  public Late late() {
    var now = clock.instant();
    var late = transactions.read(() -> rows.late(now, COUNTED));
    return new Late(
        late.count(), late.oldest() == null ? Duration.ZERO : Duration.between(late.oldest(), now));
  }

  /** Returns when the next waiting wake-up of any participant is due, if there is one. */
  public Optional<Instant> nextDue() {
    return transactions.read(() -> rows.nextDue());
  }

  /** Deletes all wake-ups of a participant; joins the running transaction. */
  void erase(String participantId) {
    rows.erase(participantId);
  }

  /** Sets a trigger for a due time; at the next second if that has passed since. */
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
