package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.messaging.Channel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.Doorbell;
import org.habitline.messaging.KeyedSerialExecutor;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundMessage;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.ConnectionLane;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages in the outbox, for each participant in the order they were planned: a message
 * is sent when the one before was accepted or ended. It is marked as being sent before the channel
 * is called, with no transaction open during the call. If the process dies in between, or the
 * channel cannot tell what happened, the message is looked up before anything is sent again.
 */
@Singleton
public final class OutboxLoop {

  private static final Logger log = LoggerFactory.getLogger(OutboxLoop.class);
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Half of the second for which a known stop is valid, so that senders need not query it. */
  private static final Duration STOP_ASKED_EVERY = Duration.ofMillis(500);

  /** How often waiting messages are looked at while sending is stopped: they may have expired. */
  private static final Duration WHILE_STOPPED = Duration.ofMinutes(1);

  /** How often expired messages are looked for, in system time. */
  private static final Duration EXPIRED_EVERY = Duration.ofMinutes(1);

  private static final Duration JOINED_EVERY = Duration.ofSeconds(10);
  private static final Duration ASKED_EVERY = Duration.ofSeconds(30);

  private final NextDelivery next;
  private final DeliveryRecorder recorder;
  private final Channels channels;
  private final SenderQueues queues;
  private final SendingStop sendingStop;
  private final DeliveryReports reports;
  private final StaleDeliveries stale;
  private final Doorbell doorbell;
  private final Transactions transactions;
  private final Clock systemClock;
  private final KeyedSerialExecutor work = new KeyedSerialExecutor("outbox", this::step);
  private volatile Instant expiredLookedFor = Instant.MIN;

  OutboxLoop(
      NextDelivery next,
      DeliveryRecorder recorder,
      Channels channels,
      SenderQueues queues,
      SendingStop sendingStop,
      DeliveryReports reports,
      StaleDeliveries stale,
      Doorbell doorbell,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.next = next;
    this.recorder = recorder;
    this.channels = channels;
    this.queues = queues;
    this.sendingStop = sendingStop;
    this.reports = reports;
    this.stale = stale;
    this.doorbell = doorbell;
    this.transactions = transactions;
    this.systemClock = systemClock;
    if (NextDelivery.FRESH.plus(channels.longestSend()).compareTo(NextDelivery.STALE) >= 0) {
      throw new IllegalStateException(
          "Sending a message may take up to "
              + channels.longestSend().toSeconds()
              + " s, which is too long: another worker would assume it was lost and send"
              + " it again.");
    }
  }

  public void start() {
    work.open();
    doorbell.tellOfOutbox(this::planned);
    queues.start(this::signal);
    work.every(POLL, this::poll);
    work.every(POLL, this::lookForUrgent);
    work.every(WHILE_STOPPED, this::pollWhileStopped);
    work.every(STOP_ASKED_EVERY, sendingStop::askAgain);
    work.every(JOINED_EVERY, reports::joinWhatWaits);
    work.every(ASKED_EVERY, stale::ask);
  }

  public void stop(Duration patience) {
    queues.stop();
    work.stop(patience);
  }

  private void poll() {
    if (!sendingStop.isHolding()) {
      look();
      if (!systemClock.instant().isBefore(expiredLookedFor.plus(EXPIRED_EVERY))) {
        lookForExpired();
      }
    }
  }

  private void lookForUrgent() {
    signal(transactions.read(() -> next.urgent()));
  }

  private void pollWhileStopped() {
    if (sendingStop.isHolding()) {
      look();
      lookForExpired();
    }
  }

  private void look() {
    signal(transactions.read(() -> next.due()));
  }

  private void lookForExpired() {
    var now = systemClock.instant();
    signal(transactions.read(() -> next.expired()));
    expiredLookedFor = now;
  }

  private void planned(String participantId, ChannelKind channel, boolean urgent) {
    queues
        .of(channel)
        .filter(queue -> !urgent)
        .ifPresentOrElse(SenderQueue::nudge, () -> signal(participantId));
  }

  private void signal(List<String> participantIds) {
    participantIds.forEach(this::signal);
  }

  private void signal(String participantId) {
    work.signal(participantId, Duration.ZERO);
  }

  private KeyedSerialExecutor.Next step(String participantId) {
    return carryOut(
        ConnectionLane.FINISHING.call(() -> transactions.write(() -> next.take(participantId))));
  }

  private KeyedSerialExecutor.Next carryOut(Job job) {
    return switch (job) {
      case Job.Send send -> {
        var delivery = send(send);
        if (delivery.isEmpty()) {
          log.warn(
              "Delivery {} was taken for sending but not sent within {} s; it is taken again",
              send.message().id(),
              NextDelivery.FRESH.toSeconds());
          yield carryOut(transactions.write(() -> next.takeAgain(send)));
        }
        recording(() -> recorder.record(send, delivery.get()));
        queues.nudge();
        yield new KeyedSerialExecutor.Next.Again();
      }
      case Job.Find find -> {
        var found = lookUp(find);
        recording(() -> recorder.record(find, found));
        yield new KeyedSerialExecutor.Next.Again();
      }
      case Job.Ended ended -> new KeyedSerialExecutor.Next.Again();
      case Job.Wait wait -> new KeyedSerialExecutor.Next.After(wait.time());
      case Job.None none -> new KeyedSerialExecutor.Next.Rest();
    };
  }

  /** Records an outcome on a lane of its own, ahead of messages still to be taken. */
  private void recording(Runnable act) {
    ConnectionLane.FINISHING.run(() -> transactions.write(act));
  }

  /** Sends a message; returns empty if it was taken too long ago to be sent unchecked. */
  private Optional<Delivery> send(Job.Send send) {
    var message = send.message();
    var channel = channel(message);
    var taken = send.taken();
    var now = systemClock.instant();
    if (now.isAfter(taken.plus(NextDelivery.FRESH))
        || now.isBefore(taken.minus(NextDelivery.FRESH))) {
      return Optional.empty();
    }
    try {
      return Optional.of(channel.send(message));
    } catch (RuntimeException e) {
      return Optional.of(new Delivery.Unknown(e.getClass().getSimpleName()));
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
}
