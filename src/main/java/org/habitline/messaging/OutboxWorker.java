package org.habitline.messaging;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.habitline.audit.Events;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what stands in the outbox, for each participant in the order it was planned: the next text
 * leaves when the one before was accepted or ended. A text is marked as being sent before the
 * channel is called, with no transaction open meanwhile; if the process dies in between, or the
 * channel cannot say what happened, the text is looked up before anything is sent again.
 */
@Singleton
final class OutboxWorker {

  private static final Logger log = LoggerFactory.getLogger(OutboxWorker.class);
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Twice in the second for which what is known of a stop holds, so that senders never ask. */
  private static final Duration STOP_ASKED_EVERY = Duration.ofMillis(500);

  /** While all sending is stopped, what waits is looked at this often: it may have expired. */
  private static final Duration WHILE_STOPPED = Duration.ofMinutes(1);

  private static final Duration LOOK_AGAIN = Duration.ofSeconds(15);

  /** After this long in the hands of another process a text counts as interrupted. */
  private static final Duration STALE = Duration.ofSeconds(45);

  /** A text whose fate stays unknown blocks those behind it no longer than this. */
  private static final Duration UNKNOWN_AT_MOST = Duration.ofMinutes(10);

  /** What could not be sent for this long is no answer any more. */
  private static final Duration LATEST = Duration.ofHours(24);

  private static final Duration UNTIL_CONFIGURED = Duration.ofMinutes(5);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final int MOST_DOUBLINGS = 8;
  private static final Duration JOINED_EVERY = Duration.ofSeconds(10);

  private static final int LOOKED_UP_AT_ONCE = 1000;

  private final JdbcOutbox rows;
  private final Participants participants;
  private final Events events;
  private final List<DeliveryListener> listeners;
  private final Channels channels;
  private final SendingStop sendingStop;
  private final PromptSettings promptSettings;
  private final Provider<DeliveryReports> reports;
  private final TransactionOperations<Connection> transactions;
  private final Clock systemClock;
  private final OneAtATime work = new OneAtATime("outbox", this::step);

  OutboxWorker(
      JdbcOutbox rows,
      Participants participants,
      Events events,
      List<DeliveryListener> listeners,
      Channels channels,
      SendingStop sendingStop,
      PromptSettings promptSettings,
      Provider<DeliveryReports> reports,
      TransactionOperations<Connection> transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.participants = participants;
    this.events = events;
    this.listeners = listeners;
    this.channels = channels;
    this.sendingStop = sendingStop;
    this.promptSettings = promptSettings;
    this.reports = reports;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  void start() {
    work.open();
    work.every(POLL, this::poll);
    work.every(WHILE_STOPPED, this::look);
    work.every(STOP_ASKED_EVERY, sendingStop::askAgain);
    work.every(JOINED_EVERY, () -> reports.get().joinWhatWaits());
  }

  private void poll() {
    if (sendingStop.inForce().isEmpty()) {
      look();
    }
  }

  private void look() {
    transactions
        .executeRead(status -> rows.due(systemClock.instant(), LOOKED_UP_AT_ONCE))
        .forEach(participantId -> signal(participantId, Duration.ZERO));
  }

  void signal(String participantId, Duration delay) {
    work.signal(participantId, delay);
  }

  void stop(Duration patience) {
    work.stop(patience);
  }

  private sealed interface Job {
    record Send(OutboundMessage message, int attempts) implements Job {}

    record Find(OutboundMessage message, Attempt attempt, Instant unknownSince) implements Job {}

    record Ended() implements Job {}

    record Wait(Duration time) implements Job {}

    record None() implements Job {}
  }

  private OneAtATime.Next step(String participantId) {
    return switch (transactions.executeWrite(status -> take(participantId))) {
      case Job.Send send -> {
        var delivery = send(send.message());
        transactions.executeWrite(status -> record(send, delivery));
        yield new OneAtATime.Next.Again();
      }
      case Job.Find find -> {
        var found = lookUp(find);
        transactions.executeWrite(status -> record(find, found));
        yield new OneAtATime.Next.Again();
      }
      case Job.Ended ended -> new OneAtATime.Next.Again();
      case Job.Wait wait -> new OneAtATime.Next.After(wait.time());
      case Job.None none -> new OneAtATime.Next.Rest();
    };
  }

  /** Decides what is to be done with the oldest open text and marks it as being done. */
  private Job take(String participantId) {
    var first = rows.firstOpen(participantId);
    if (first.isEmpty()) {
      return new Job.None();
    }
    var row = first.get();
    var now = systemClock.instant();
    if (row.notBefore() != null && row.notBefore().isAfter(now)) {
      return new Job.Wait(Duration.between(now, row.notBefore()));
    }
    var receiver = participants.findWithLeaving(participantId);
    if (receiver.isEmpty()) {
      rows.end(row.id(), "refused", null, "the participant is gone", now);
      return new Job.Ended();
    }
    return switch (row.status()) {
      case "planned" -> toSend(row, receiver.get(), now);
      case "unknown" -> {
        yield rows.takeToLookUp(row.id(), now) == 1
            ? new Job.Find(message(row, receiver.get()), attempt(row), unknownSince(row, now))
            : new Job.None();
      }
      default -> inOtherHands(row, now);
    };
  }

  /** Joins the running transaction; what is being sent at this moment is not touched. */
  void withhold(Participant receiver) {
    for (var row : rows.planned(receiver.id())) {
      var _ = endIfUnwanted(message(row, receiver), receiver);
    }
  }

  private boolean endIfUnwanted(OutboundMessage message, Participant receiver) {
    if (message.kind().mayGoTo(receiver.status(), receiver.optedOut())) {
      return false;
    }
    end(message, "refused", null, receiver.optedOut() ? "opted out" : receiver.status().word());
    return true;
  }

  private Job toSend(JdbcOutbox.Row row, Participant receiver, Instant now) {
    var message = message(row, receiver);
    if (endIfUnwanted(message, receiver)) {
      return new Job.Ended();
    }
    var latest = message.kind().wasAskedFor() ? LATEST : promptSettings.maxLateness();
    if (row.plannedAt().plus(latest).isBefore(now)) {
      end(message, "refused", null, "it waited for more than " + words(latest));
      return new Job.Ended();
    }
    if (channels.of(message.channel()).isEmpty()) {
      end(
          message,
          "refused",
          null,
          "the channel " + message.channel().word() + " is not configured");
      return new Job.Ended();
    }
    if (sendingStop.inForce().isPresent()) {
      return new Job.None();
    }
    return rows.takeToSend(row.id(), now) == 1
        ? new Job.Send(message, row.attempts() + 1)
        : new Job.None();
  }

  private static String words(Duration time) {
    return time.toMinutes() % 60 == 0 ? time.toHours() + " hours" : time.toMinutes() + " minutes";
  }

  private Job inOtherHands(JdbcOutbox.Row row, Instant now) {
    var since = row.sendingAt() == null ? row.plannedAt() : row.sendingAt();
    var left = Duration.between(now, since.plus(STALE));
    if (left.isPositive()) {
      return new Job.Wait(left);
    }
    rows.unknown(row.id(), "interrupted", now, now);
    return new Job.Ended();
  }

  private OutboundMessage message(JdbcOutbox.Row row, Participant receiver) {
    var channel = ChannelKind.valueOf(row.channel().toUpperCase(Locale.ROOT));
    return new OutboundMessage(
        row.id(),
        row.participantId(),
        row.turn(),
        OutboundKind.of(row.kind()),
        receiver.phone(),
        channel == ChannelKind.WHATSAPP
            ? participants.senderName(receiver.id(), channel).orElse(null)
            : null,
        channel,
        row.body());
  }

  private Delivery send(OutboundMessage message) {
    try {
      return channel(message).send(message);
    } catch (RuntimeException e) {
      return new Delivery.Unknown(e.getClass().getSimpleName());
    }
  }

  private LookUp lookUp(Job.Find find) {
    try {
      return channel(find.message()).lookUp(find.message(), find.attempt());
    } catch (RuntimeException e) {
      return new LookUp.CannotTell(e.getClass().getSimpleName());
    }
  }

  private Channel channel(OutboundMessage message) {
    return channels
        .of(message.channel())
        .orElseThrow(() -> new IllegalStateException("No channel for delivery " + message.id()));
  }

  /** The participant first, as a STOP and an erasure take them; then the text, and what follows. */
  private boolean record(Job.Send send, Delivery delivery) {
    var message = send.message();
    participants.hold(message.participantId());
    switch (delivery) {
      case Delivery.Accepted accepted -> end(message, "accepted", accepted.providerId(), null);
      case Delivery.Refused refused -> {
        log.warn("Delivery {} was refused and will not be tried again", message.id());
        end(message, "refused", null, refused.reason());
      }
      case Delivery.OptedOut optedOut -> {
        var _ = participants.optOut(message.participantId(), "provider");
        end(message, "refused", null, "opted out at the provider: " + optedOut.reason());
        participants.find(message.participantId()).ifPresent(this::withhold);
      }
      case Delivery.Misconfigured misconfigured ->
          putBack(message, "configuration: " + misconfigured.reason(), UNTIL_CONFIGURED);
      case Delivery.Deferred deferred ->
          putBack(message, deferred.reason(), pause(deferred.pause(), send.attempts()));
      case Delivery.Unknown unknown -> {
        log.warn("Delivery {} may or may not have gone out; it is looked up first", message.id());
        unknown(message, unknown.reason(), Duration.ZERO);
      }
    }
    return true;
  }

  /** Twice as long after every attempt, and not the same for everybody. */
  private static Duration pause(Duration least, int attempts) {
    var backoff = FIRST_PAUSE.multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
    var jittered =
        backoff.plusMillis(ThreadLocalRandom.current().nextLong(backoff.toMillis() / 4 + 1));
    return least.compareTo(jittered) > 0 ? least : jittered;
  }

  private boolean record(Job.Find find, LookUp found) {
    participants.hold(find.message().participantId());
    switch (found) {
      case LookUp.Sent sent -> end(find.message(), "accepted", sent.providerId(), null);
      case LookUp.NotSent notSent -> putBack(find.message(), null, Duration.ZERO);
      case LookUp.CannotTell cannotTell -> {
        if (find.unknownSince().plus(UNKNOWN_AT_MOST).isBefore(systemClock.instant())) {
          end(find.message(), "unknown", null, cannotTell.reason());
        } else {
          unknown(find.message(), cannotTell.reason(), LOOK_AGAIN);
        }
      }
    }
    return true;
  }

  private Attempt attempt(JdbcOutbox.Row row) {
    return new Attempt(
        row.attemptedAt() == null ? row.plannedAt() : row.attemptedAt(),
        Set.copyOf(rows.otherIds(row.participantId(), row.id())));
  }

  private static Instant unknownSince(JdbcOutbox.Row row, Instant now) {
    return row.unknownSince() == null ? now : row.unknownSince();
  }

  private void putBack(OutboundMessage message, @Nullable String reason, Duration pause) {
    rows.putBack(message.id(), reason, systemClock.instant().plus(pause));
    tell(message, "planned");
  }

  private void unknown(OutboundMessage message, String reason, Duration pause) {
    var now = systemClock.instant();
    rows.unknown(message.id(), reason, now.plus(pause), now);
    tell(message, "unknown");
  }

  private void tell(OutboundMessage message, String status) {
    events.emit(
        "delivery.updated", message.participantId(), Map.of("id", message.id(), "status", status));
  }

  private void end(
      OutboundMessage message,
      String status,
      @Nullable String providerId,
      @Nullable String reason) {
    if (rows.end(message.id(), status, providerId, reason, systemClock.instant()) == 0) {
      return;
    }
    tell(message, status);
    if (providerId != null) {
      reports.get().join(providerId);
    }
    for (var listener : listeners) {
      if (status.equals("accepted")) {
        listener.accepted(message);
      } else {
        listener.refused(message, reason == null ? status : reason);
      }
    }
  }
}
