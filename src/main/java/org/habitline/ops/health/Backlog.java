package org.habitline.ops.health;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.outbox.Senders;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.ops.database.LockWaits;
import org.habitline.participants.ChannelKind;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Timers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the queues and stopped senders for metrics, health and alerts. Queries the database for all
 * of them together, at most every five seconds, and never from a turn or a webhook; the cost is
 * bounded, however long a queue is.
 */
@Singleton
public final class Backlog {

  private static final Logger log = LoggerFactory.getLogger(Backlog.class);

  /** How long a reading is used before the database is read again. */
  static final Duration FRESH = Duration.ofSeconds(5);

  /** How far back missed daily prompts and wrongly sent messages are counted. */
  static final Duration LATELY = Duration.ofHours(24);

  private final Inbox inbox;
  private final TurnReader turns;
  private final Outbox outbox;
  private final Timers timers;
  private final OccurrenceReader prompts;
  private final Unclaimed unclaimed;
  private final SendingStop sending;
  private final Senders senders;
  private final LockWaits locks;
  private final Clock systemClock;
  private @Nullable Look last;

  Backlog(
      Inbox inbox,
      TurnReader turns,
      Outbox outbox,
      Timers timers,
      OccurrenceReader prompts,
      Unclaimed unclaimed,
      SendingStop sending,
      Senders senders,
      LockWaits locks,
      @Named("system") Clock systemClock) {
    this.inbox = inbox;
    this.turns = turns;
    this.outbox = outbox;
    this.timers = timers;
    this.prompts = prompts;
    this.unclaimed = unclaimed;
    this.sending = sending;
    this.senders = senders;
    this.locks = locks;
    this.systemClock = systemClock;
  }

  private record Look(Instant at, Optional<Seen> seen) {}

  /**
   * One reading.
   *
   * @param running turns that are running or were interrupted
   * @param missed daily prompts of the last {@link #LATELY} that were not sent
   * @param stopped senders from which the provider accepts no messages
   * @param locks empty if the database does not report them
   * @param strays messages of the last {@link #LATELY} that were sent twice or after being
   *     withdrawn
   */
  record Seen(
      Instant at,
      List<Waiting<InputKind>> inbox,
      int running,
      List<Waiting<ChannelKind>> outbox,
      Timers.Late wakeups,
      int missed,
      int unclaimed,
      boolean sendingStopped,
      List<Senders.Stopped> stopped,
      Optional<LockWaits.Waiting> locks,
      int strays) {

    Optional<Waiting<InputKind>> inbox(InputKind kind) {
      return named(inbox, kind);
    }

    Optional<Waiting<ChannelKind>> outbox(ChannelKind channel) {
      return named(outbox, channel);
    }

    private static <K> Optional<Waiting<K>> named(List<Waiting<K>> queues, K what) {
      return queues.stream().filter(queue -> queue.what().equals(what)).findFirst();
    }

    boolean isStopped(ChannelKind channel) {
      return stopped.stream().anyMatch(sender -> sender.channel() == channel);
    }

    /** Returns how long the oldest item of a queue has been waiting. */
    Duration age(Waiting<?> queue) {
      return since(queue.oldest());
    }

    /** Returns how long ago this was; zero if it is in the future. */
    Duration since(Instant then) {
      var passed = Duration.between(then, at);
      return passed.isNegative() ? Duration.ZERO : passed;
    }
  }

  /** Returns a reading at most five seconds old, or empty if the database cannot be read. */
  synchronized Optional<Seen> seen() {
    var now = systemClock.instant();
    return last == null || now.isBefore(last.at()) || !now.isBefore(last.at().plus(FRESH))
        ? look()
        : last.seen();
  }

  /** Reads the database now; empty if it cannot be read. */
  public synchronized Optional<Seen> look() {
    var now = systemClock.instant();
    var seen = read(now);
    last = new Look(now, seen);
    return seen;
  }

  private Optional<Seen> read(Instant now) {
    try {
      return Optional.of(
          new Seen(
              now,
              inbox.waiting(),
              turns.running(),
              outbox.waiting(),
              timers.late(),
              prompts.missedWithin(LATELY),
              unclaimed.waiting(),
              sending.inForce().isPresent(),
              senders.stopped(),
              lockWaits(),
              outbox.strays(LATELY)));
    } catch (RuntimeException e) {
      log.debug("The queues cannot be read now; metrics and health do not show them", e);
      return Optional.empty();
    }
  }

  /** Read separately, because it is the server's own view: the queues are known without it. */
  private Optional<LockWaits.Waiting> lockWaits() {
    try {
      return Optional.of(locks.now());
    } catch (RuntimeException e) {
      log.debug("Database locks cannot be read now; metrics and health do not show them", e);
      return Optional.empty();
    }
  }
}
