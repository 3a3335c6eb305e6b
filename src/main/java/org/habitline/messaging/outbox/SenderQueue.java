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
import org.habitline.storage.ConnectionLane;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases the messages of one sender, no faster than its pace: replies first, then messages that
 * no one waits for, each participant's in order. One node at a time does this for a sender, under a
 * lease; another takes over when it dies. A message counts by its segments, so a long one delays
 * those after it.
 */
final class SenderQueue {

  private static final Logger log = LoggerFactory.getLogger(SenderQueue.class);

  /** How long the lease lasts. Two nodes at once would only be too fast for a moment. */
  private static final Duration HELD = Duration.ofSeconds(3);

  private static final Duration RENEWED = Duration.ofSeconds(1);
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration HOLD_AGAIN = Duration.ofMillis(500);
  private static final int AT_ONCE = 200;

  /** How long a released message has to be taken before it may be released again. */
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

  /** Whether the sender is stopped, so that a released message is only a try. */
  private volatile boolean probing;

  private boolean begun;
  private Instant heldSince = Instant.MIN;

  /**
   * Creates a queue.
   *
   * @param pace segments a second, more than zero
   * @param stopped whether all sending is stopped
   * @param signal called with every participant whose first message may be sent now
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
    Thread.ofVirtual()
        .name("sender-" + kind.word())
        .start(() -> ConnectionLane.FINISHING.run(this::run));
  }

  /** Wakes the queue after a message was planned or ended. */
  void nudge() {
    if (awake.availablePermits() == 0) {
      awake.release();
    }
  }

  /** Records that a message is about to be sent; joins the running transaction. */
  void leaves() {
    if (probing) {
      senders.tried(kind);
    }
  }

  /** Returns whether this message may be sent now; each permission can be used once. */
  boolean mayLeave(String id) {
    return letGo.remove(id) != null;
  }

  /** Withdraws the permission to send a message; it must be released again. */
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
          "The lease of the sender of {} could not be released and ends {} s later: {}",
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
    } catch (RuntimeException | Error e) {
      log.warn(
          "Messages by {} cannot be read from the database; this is tried again: {}",
          kind.word(),
          e.getClass().getName());
      return HOLD_AGAIN;
    }
  }

  /** Releases what is due; returns the pause until the next round. */
  private Duration round() {
    var now = clock.instant();
    if (!begun) {
      // Operators may have fixed the sender before they started the service.
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

  /** Releases messages while the pace allows; returns whether there were any. */
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
