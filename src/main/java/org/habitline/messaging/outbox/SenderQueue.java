package org.habitline.messaging.outbox;

import io.github.bucket4j.Bucket;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the texts of one sender go, no faster than it may send: answers first, then what nobody
 * waits for, each participant's in their order. One node at a time does so for a sender, under a
 * lease; another takes over when it dies. A text is charged by its segments: a long one makes those
 * after it wait.
 */
final class SenderQueue {

  private static final Logger log = LoggerFactory.getLogger(SenderQueue.class);

  /** Two that let texts go at once would be too fast for a moment, and no worse. */
  private static final Duration HELD = Duration.ofSeconds(3);

  private static final Duration RENEWED = Duration.ofSeconds(1);
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration HOLD_AGAIN = Duration.ofMillis(500);
  private static final int AT_ONCE = 200;

  /** A text that was let go and not taken by then may be let go once more. */
  private static final Duration TAKEN_BY = Duration.ofSeconds(10);

  private final ChannelKind kind;
  private final Bucket bucket;
  private final JdbcOutbox outbox;
  private final Senders senders;
  private final Transactions transactions;
  private final Clock clock;
  private final BooleanSupplier stopped;
  private final Consumer<String> signal;
  private final String owner = Ids.next("queue");
  private final Map<String, Instant> letGo = new ConcurrentHashMap<>();
  private final Semaphore awake = new Semaphore(0);
  private volatile boolean open = true;

  /** Whether the sender is stopped, so that what leaves is a try. */
  private volatile boolean probing;

  private boolean begun;
  private Instant heldSince = Instant.MIN;

  /**
   * @param pace segments a second, more than zero
   * @param stopped whether nothing may leave at all
   * @param signal told of every participant whose first text may leave now
   */
  SenderQueue(
      ChannelKind kind,
      double pace,
      JdbcOutbox outbox,
      Senders senders,
      Transactions transactions,
      Clock systemClock,
      BooleanSupplier stopped,
      Consumer<String> signal) {
    this.kind = kind;
    this.bucket =
        Bucket.builder()
            .addLimit(limit ->
                limit
                    .capacity(Math.max(1, (long) Math.ceil(pace)))
                    .refillGreedy(1, Duration.ofNanos((long) (TimeUnit.SECONDS.toNanos(1) / pace)))
                    .initialTokens(1))
            .build();
    this.outbox = outbox;
    this.senders = senders;
    this.transactions = transactions;
    this.clock = systemClock;
    this.stopped = stopped;
    this.signal = signal;
  }

  void start() {
    Thread.ofVirtual().name("sender-" + kind.word()).start(this::run);
  }

  /** Something was planned or ended: it is time to look. */
  void nudge() {
    if (awake.availablePermits() == 0) {
      awake.release();
    }
  }

  /** A text is about to leave; joins the running transaction. */
  void leaves() {
    if (probing) {
      senders.tried(kind);
    }
  }

  /** Whether this text may leave now; each permission counts once. */
  boolean mayLeave(String id) {
    return letGo.remove(id) != null;
  }

  /** A text does not leave before it is let go anew. */
  void takeBack(String id) {
    letGo.remove(id);
  }

  void stop() {
    open = false;
    awake.release();
    try {
      senders.release(owner);
    } catch (RuntimeException e) {
      log.warn(
          "The sender of {} is let go {} s later: {}",
          kind.word(),
          HELD.toSeconds(),
          e.getClass().getName());
    }
  }

  private void run() {
    while (open) {
      var pause = roundOrSay();
      try {
        if (awake.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
          awake.drainPermits();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private Duration roundOrSay() {
    try {
      return round();
    } catch (RuntimeException e) {
      log.warn(
          "Texts by {} cannot be looked for and will be again: {}",
          kind.word(),
          e.getClass().getName());
      return HOLD_AGAIN;
    }
  }

  /** Returns how long there is nothing to do. */
  private Duration round() {
    var now = clock.instant();
    if (!begun) {
      // Who starts the line may have put right what stopped the sender.
      senders.tryNow(kind);
      begun = true;
    }
    if (!isHeld(now)) {
      return HOLD_AGAIN;
    }
    letGo.values().removeIf(at -> at.plus(TAKEN_BY).isBefore(now));
    if (stopped.getAsBoolean()) {
      return HOLD_AGAIN;
    }
    var free = bucket.getAvailableTokens();
    if (free <= 0) {
      return untilFree();
    }
    var tryAt = senders.triedAt(kind, now);
    probing = tryAt.isPresent();
    if (probing) {
      if (!tryAt.get().isAfter(now)) {
        var _ = letGo(heads(outbox::headsToTry, now, 1));
      }
      return HOLD_AGAIN;
    }
    return letGo(heads(outbox::heads, now, (int) Math.min(free, AT_ONCE))) ? untilFree() : IDLE;
  }

  private boolean isHeld(Instant now) {
    if (now.isBefore(heldSince.plus(RENEWED)) && !now.isBefore(heldSince)) {
      return true;
    }
    var held = senders.hold(kind, owner, now, now.plus(HELD));
    heldSince = held ? now : Instant.MIN;
    return held;
  }

  private interface Heads {
    List<JdbcOutbox.Row> of(ChannelKind channel, Instant now, int most);
  }

  private List<JdbcOutbox.Row> heads(Heads heads, Instant now, int most) {
    return transactions.read(() -> heads.of(kind, now, most + letGo.size())).stream()
        .filter(row -> !letGo.containsKey(row.id()))
        .limit(most)
        .toList();
  }

  /** Returns whether there was any. */
  private boolean letGo(List<JdbcOutbox.Row> rows) {
    for (var row : rows) {
      if (bucket.getAvailableTokens() <= 0) {
        break;
      }
      var _ = bucket.consumeIgnoringRateLimits(row.segments());
      letGo.put(row.id(), clock.instant());
      signal.accept(row.participantId());
    }
    return !rows.isEmpty();
  }

  private Duration untilFree() {
    return Duration.ofNanos(bucket.estimateAbilityToConsume(1).getNanosToWaitForRefill());
  }
}
