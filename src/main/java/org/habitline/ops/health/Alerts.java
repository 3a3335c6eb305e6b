package org.habitline.ops.health;

import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.ops.access.RefusedEntries;
import org.habitline.ops.database.FreeSpace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every 30 seconds for conditions that an operator must act on, and logs each once when it
 * begins and once when it ends. A stopped sender is logged where it is stopped.
 */
@Singleton
public final class Alerts {

  private static final Logger log = LoggerFactory.getLogger(Alerts.class);

  static final Duration UNANSWERED_AFTER = Duration.ofMinutes(2);
  static final Duration UNSENT_AFTER = Duration.ofMinutes(10);
  static final Duration LATE_AFTER = Duration.ofMinutes(5);

  /** Half of the longest time that a statement waits for a lock. */
  static final Duration LOCKED_FOR = Duration.ofSeconds(5);

  static final int FAILURES = 5;
  public static final int REFUSALS = 10;
  static final int REFUSED_ENTRIES = 30;
  static final Duration REFUSALS_WITHIN = Duration.ofMinutes(5);

  private final Backlog backlog;
  private final ModelFailures failures;
  private final RefusedCalls refusedCalls;
  private final ProviderClock providerClock;
  private final RefusedEntries refusedEntries;
  private final FreeSpace space;
  private final Clock systemClock;
  private final Set<Alert> raised = ConcurrentHashMap.newKeySet();
  private final Rise refusals = new Rise();
  private final Rise notOurs = new Rise();
  private final Rise entries = new Rise();

  Alerts(
      Backlog backlog,
      ModelFailures failures,
      RefusedCalls refusedCalls,
      ProviderClock providerClock,
      RefusedEntries refusedEntries,
      FreeSpace space,
      @Named("system") Clock systemClock) {
    this.backlog = backlog;
    this.failures = failures;
    this.refusedCalls = refusedCalls;
    this.providerClock = providerClock;
    this.refusedEntries = refusedEntries;
    this.space = space;
    this.systemClock = systemClock;
  }

  private record Counted(Instant at, long count) {}

  /** Returns the alerts in force at the last check. */
  Set<Alert> raised() {
    return Set.copyOf(raised);
  }

  @Scheduled(initialDelay = "30s", fixedDelay = "30s")
  public synchronized void check() {
    var seen = backlog.look();
    judge(Alert.DATABASE, seen.isEmpty() ? Optional.of(List.of()) : Optional.empty());
    seen.ifPresent(this::judge);
    var failed = failures.lately();
    judge(Alert.MODEL_FAILING, failed >= FAILURES, failed, ModelFailures.REMEMBERED.toMinutes());
    var now = systemClock.instant();
    var refused = refusals.lately(now, refusedCalls.count());
    judge(Alert.REFUSED_CALLS, refused > REFUSALS, refused, REFUSALS_WITHIN.toMinutes());
    var foreign = notOurs.lately(now, refusedCalls.countNotOurs());
    judge(Alert.NOT_OURS, foreign > REFUSALS, foreign, REFUSALS_WITHIN.toMinutes());
    judge(
        Alert.CLOCK,
        providerClock.differs(),
        providerClock.ahead().abs().toSeconds(),
        ProviderClock.TOLERATED.toSeconds());
    var free = space.bytes().orElse(Long.MAX_VALUE);
    judge(Alert.LITTLE_SPACE, free < FreeSpace.LITTLE, free >> 20);
    judge(Alert.VERY_LITTLE_SPACE, free < FreeSpace.VERY_LITTLE, free >> 20);
    var wrong = entries.lately(now, refusedEntries.count());
    judge(Alert.REFUSED_KEYS, wrong > REFUSED_ENTRIES, wrong, REFUSALS_WITHIN.toMinutes());
  }

  private void judge(Backlog.Seen seen) {
    judge(
        Alert.UNANSWERED,
        seen.inbox(InputKind.SAID)
            .filter(queue -> longer(seen.age(queue), UNANSWERED_AFTER))
            .map(queue -> List.of(queue.count(), seen.age(queue).toMinutes())));
    judge(Alert.UNSENT, unsent(seen));
    judge(
        Alert.LATE_WAKEUPS,
        longer(seen.wakeups().by(), LATE_AFTER),
        seen.wakeups().count(),
        seen.wakeups().by().toMinutes());
    judge(Alert.MISSED_PROMPTS, seen.missed() > 0, seen.missed(), Backlog.LATELY.toHours());
    seen.locks()
        .ifPresent(locks ->
            judge(
                Alert.LOCK_WAITS,
                longer(locks.longest(), LOCKED_FOR),
                locks.connections(),
                locks.longest().toSeconds()));
    judge(Alert.STRAY_TEXTS, seen.strays() > 0, seen.strays(), Backlog.LATELY.toHours());
  }

  /**
   * Returns the channels whose messages are overdue although sending is not stopped, and the
   * longest delay in minutes.
   */
  private static Optional<List<Object>> unsent(Backlog.Seen seen) {
    if (seen.sendingStopped()) {
      return Optional.empty();
    }
    var stuck =
        seen.outbox().stream()
            .filter(queue -> !seen.isStopped(queue.what()))
            .filter(queue -> longer(seen.since(queue.due()), UNSENT_AFTER))
            .toList();
    return stuck.stream()
        .map(queue -> seen.since(queue.due()))
        .max(Duration::compareTo)
        .map(longest ->
            List.of(
                stuck.stream()
                    .map(queue -> queue.what().word())
                    .sorted()
                    .collect(Collectors.joining(", ")),
                longest.toMinutes()));
  }

  private static boolean longer(Duration time, Duration than) {
    return time.compareTo(than) > 0;
  }

  /** Measures how much a counter rose within {@link #REFUSALS_WITHIN}. */
  private static final class Rise {
    private final List<Counted> counted = new ArrayList<>();

    /** Returns the rise since the beginning of that period. */
    private long lately(Instant now, long count) {
      var begin = now.minus(REFUSALS_WITHIN);
      counted.add(new Counted(now, count));
      while (counted.size() > 1 && !counted.get(1).at().isAfter(begin)) {
        counted.removeFirst();
      }
      var first = counted.getFirst();
      return first.at().isAfter(begin) ? count : count - first.count();
    }
  }

  private void judge(Alert alert, boolean wrong, Object... numbers) {
    judge(alert, wrong ? Optional.of(List.of(numbers)) : Optional.empty());
  }

  private void judge(Alert alert, Optional<? extends List<?>> numbers) {
    if (numbers.isPresent() && raised.add(alert)) {
      log.atLevel(alert.level()).log(alert.begins(), numbers.get().toArray());
    } else if (numbers.isEmpty() && raised.remove(alert)) {
      log.info(alert.ends());
    }
  }
}
