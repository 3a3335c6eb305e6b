package org.habitline.timers;

import jakarta.inject.Named;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.habitline.storage.Database;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes someone at an instant, exactly once. A wake-up is a row that is committed with whatever
 * asked for it; when it is due a sweep turns it into work in one transaction. Bells make a sweep
 * come at the right second, and one comes every few seconds anyway: a bell that was lost, with a
 * process or between commit and ringing, makes a wake-up late and never lost. Sweeps may run on any
 * number of threads and nodes at once.
 */
@Singleton
public final class Timers {

  private static final Logger log = LoggerFactory.getLogger(Timers.class);

  /**
   * Bells are set this far ahead only; every sweep sets those that came near. So there are few of
   * them however many wake-ups wait.
   */
  private static final Duration BELLS_AHEAD = Duration.ofMinutes(2);

  /**
   * Every node looks for itself this often, whatever becomes of the bells: they stand in tables
   * that a node which is frozen may hold.
   */
  private static final Duration PLAIN_SWEEP_EVERY = Duration.ofSeconds(5);

  private static final Duration AT_THE_END = Duration.ofSeconds(3);

  private static final int BELLS_AT_ONCE = 1000;
  private static final int COUNTED = 10_000;
  private static final int CLAIMED_AT_ONCE = 500;

  private final JdbcWakeups rows;
  private final Provider<WakeupHandler> handler;
  private final Bells bells;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;
  private @Nullable ScheduledExecutorService plainSweep;

  Timers(
      JdbcWakeups rows,
      Provider<WakeupHandler> handler,
      Bells bells,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.handler = handler;
    this.bells = bells;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /** Begins to wake. What became due while nobody was there is found at once. */
  public void start() {
    // The plain sweep first: nothing must keep it from what is due.
    var timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("plain-sweep").factory());
    plainSweep = timer;
    var _ =
        timer.scheduleWithFixedDelay(
            () -> orSay(this::ringWhatIsDue),
            PLAIN_SWEEP_EVERY.toMillis(),
            PLAIN_SWEEP_EVERY.toMillis(),
            TimeUnit.MILLISECONDS);
    bells.start(() -> orSay(this::sweep));
    Thread.ofVirtual().name("first-sweep").start(() -> orSay(this::sweep));
  }

  public void stop() {
    var timer = plainSweep;
    if (timer != null) {
      // Not interrupted: in the middle of a write that would make H2 close its file.
      timer.shutdown();
    }
    bells.stop();
    if (timer != null) {
      await(timer);
    }
  }

  private static void await(ExecutorService timer) {
    try {
      if (!timer.awaitTermination(AT_THE_END.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("A sweep for wake-ups does not end and is left behind; nothing of it is lost");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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

  /**
   * Turns everything that is due into work and sets the bells of what comes near. Returns how many
   * were due.
   */
  public int sweep() {
    var rung = ringWhatIsDue();
    setBells();
    return rung;
  }

  private int ringWhatIsDue() {
    var rung = 0;
    int claimed;
    do {
      claimed = transactions.writeWith(connection -> claim(connection));
      rung += claimed;
    } while (claimed == CLAIMED_AT_ONCE);
    return rung;
  }

  private int claim(Connection connection) {
    var now = clock.instant();
    var due =
        Database.isFile(connection)
            ? rows.claimInFile(now, CLAIMED_AT_ONCE)
            : rows.claim(now, CLAIMED_AT_ONCE);
    if (!due.isEmpty()) {
      rows.rung(due.stream().map(JdbcWakeups.Row::id).toArray(String[]::new));
      handler.get().woke(due.stream().map(Timers::read).toList());
    }
    return due.size();
  }

  private void setBells() {
    var now = clock.instant();
    transactions
        .read(() -> rows.dueBetween(now, now.plus(BELLS_AHEAD), BELLS_AT_ONCE))
        .forEach(this::ring);
  }

  /** What became due while it was being committed rings at the next second. */
  private void ring(Instant due) {
    var left = Duration.between(clock.instant(), due);
    bells.ringAt(systemClock.instant().plus(left.isPositive() ? left : Duration.ZERO));
  }

  private static void orSay(IntSupplier sweep) {
    try {
      var rung = sweep.getAsInt();
      if (rung > 0) {
        log.debug("{} wake-ups rang", rung);
      }
    } catch (RuntimeException e) {
      log.warn(
          "Wake-ups could not be looked for and stay where they are until the next look: {}",
          e.getClass().getName());
    }
  }

  private static Wakeup read(JdbcWakeups.Row row) {
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
