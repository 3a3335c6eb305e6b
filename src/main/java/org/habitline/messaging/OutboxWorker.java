package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.habitline.audit.Events;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.ConnectionLane;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
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

  /** Texts that are not worth sending any more are looked for this often, system time. */
  private static final Duration EXPIRED_EVERY = Duration.ofMinutes(1);

  private static final Duration LOOK_AGAIN = Duration.ofSeconds(15);

  /** After this long in the hands of another process a text counts as interrupted. */
  static final Duration STALE = Duration.ofSeconds(45);

  /**
   * Whoever marked a text as being sent gives it to its channel within this time by the wall clock,
   * or takes it again. A process may stand still in between for as long as it likes: frozen, or
   * with its whole machine.
   */
  static final Duration FRESH = Duration.ofSeconds(10);

  /** Why a text has a row that nobody planned. */
  private static final String STRAY =
      "sent a second time, or after it was withdrawn: the process that sent it had been suspended";

  /** A text whose fate stays unknown blocks those behind it no longer than this. */
  private static final Duration UNKNOWN_AT_MOST = Duration.ofMinutes(10);

  /**
   * The provider is asked about a text that it took if it has not said by then what became of it.
   */
  static final Duration ASKED_AFTER = Duration.ofMinutes(10);

  /**
   * WhatsApp's rule: free words within this time of the person's last text; less what a send takes.
   */
  private static final Duration WINDOW = Duration.ofHours(24).minusMinutes(1);

  /** A text whose channel this line does not have is looked at again after this long. */
  private static final Duration CHANNEL_MISSED = Duration.ofMinutes(1);

  private static final Duration QUIET_AT_LEAST = Duration.ofMinutes(15);

  /** A script's text leaves at whatever time it was asked for, up to this much later. */
  private static final Duration KEEPS_ITS_TIME = Duration.ofHours(1);

  private static final String WAITS_FOR_DAY =
      "it could not leave in time and waits for the allowed hours";
  private static final Duration ONCE_MORE_AFTER = Duration.ofMinutes(5);
  private static final String WINDOW_CLOSED =
      "window closed: the participant has not texted for 24 h, and the flow has no template for this";
  private static final String CONFIGURATION = "configuration: ";
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final int MOST_DOUBLINGS = 8;
  private static final Duration JOINED_EVERY = Duration.ofSeconds(10);

  private static final Duration ASKED_EVERY = Duration.ofSeconds(30);

  private static final int LOOKED_UP_AT_ONCE = 1000;

  private final JdbcOutbox rows;
  private final JdbcInbox inbox;
  private final JdbcUnclaimed unclaimed;
  private final Senders senders;
  private final Participants participants;
  private final SendingHours hours;
  private final Events events;
  private final List<DeliveryListener> listeners;
  private final Channels channels;
  private final SendingStop sendingStop;
  private final Provider<DeliveryReports> reports;
  private final Provider<StaleDeliveries> stale;
  private final Transactions transactions;
  private final Clock systemClock;
  private final OneAtATime work = new OneAtATime("outbox", this::step);
  private final Map<ChannelKind, SenderQueue> queues = new EnumMap<>(ChannelKind.class);
  private volatile Instant expiredLookedFor = Instant.MIN;

  OutboxWorker(
      JdbcOutbox rows,
      JdbcInbox inbox,
      JdbcUnclaimed unclaimed,
      Senders senders,
      Participants participants,
      SendingHours hours,
      Events events,
      List<DeliveryListener> listeners,
      Channels channels,
      SendingStop sendingStop,
      Provider<DeliveryReports> reports,
      Provider<StaleDeliveries> stale,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.inbox = inbox;
    this.unclaimed = unclaimed;
    this.senders = senders;
    this.participants = participants;
    this.hours = hours;
    this.events = events;
    this.listeners = listeners;
    this.channels = channels;
    this.sendingStop = sendingStop;
    this.reports = reports;
    this.stale = stale;
    this.transactions = transactions;
    this.systemClock = systemClock;
    if (FRESH.plus(channels.longestSend()).compareTo(STALE) >= 0) {
      throw new IllegalStateException(
          "A text may be on its way for "
              + channels.longestSend().toSeconds()
              + " s: others would take it for lost and send it again.");
    }
    channels
        .paced()
        .forEach(channel ->
            queues.put(
                channel.kind(),
                new SenderQueue(
                    channel.kind(),
                    channel.pace().orElseThrow(),
                    rows,
                    senders,
                    transactions,
                    systemClock,
                    () -> sendingStop.inForce().isPresent(),
                    participantId -> signal(participantId, Duration.ZERO))));
  }

  void start() {
    work.open();
    queues.values().forEach(SenderQueue::start);
    work.every(POLL, this::poll);
    work.every(WHILE_STOPPED, this::pollWhileStopped);
    work.every(STOP_ASKED_EVERY, sendingStop::askAgain);
    work.every(JOINED_EVERY, () -> reports.get().joinWhatWaits());
    work.every(ASKED_EVERY, () -> stale.get().ask());
  }

  private void poll() {
    if (sendingStop.inForce().isEmpty()) {
      look();
      if (!systemClock.instant().isBefore(expiredLookedFor.plus(EXPIRED_EVERY))) {
        lookForExpired();
      }
    }
  }

  private void pollWhileStopped() {
    if (sendingStop.inForce().isPresent()) {
      look();
      lookForExpired();
    }
  }

  /** What a queue lets go is left to it. */
  private void look() {
    var channelsLooked = new ArrayList<String>();
    var statusesLooked = new ArrayList<String>();
    for (var kind : ChannelKind.values()) {
      for (var status : queues.containsKey(kind) ? DeliveryStatus.IN_HANDS : DeliveryStatus.OPEN) {
        channelsLooked.add(kind.word());
        statusesLooked.add(status.word());
      }
    }
    signal(
        transactions.read(() ->
            rows.due(
                systemClock.instant(),
                channelsLooked.toArray(String[]::new),
                statusesLooked.toArray(String[]::new),
                LOOKED_UP_AT_ONCE)));
  }

  private void lookForExpired() {
    var now = systemClock.instant();
    signal(transactions.read(() -> rows.expired(now, LOOKED_UP_AT_ONCE)));
    expiredLookedFor = now;
  }

  private void signal(List<String> participantIds) {
    participantIds.forEach(participantId -> signal(participantId, Duration.ZERO));
  }

  /** Something was planned for the participant on this channel. */
  void planned(String participantId, ChannelKind channel) {
    var queue = queues.get(channel);
    if (queue == null) {
      signal(participantId, Duration.ZERO);
    } else {
      queue.nudge();
    }
  }

  private void signal(String participantId, Duration delay) {
    work.signal(participantId, delay);
  }

  void stop(Duration patience) {
    queues.values().forEach(SenderQueue::stop);
    work.stop(patience);
  }

  private sealed interface Job {
    /**
     * @param row as it was before it was taken
     */
    record Send(OutboundMessage message, JdbcOutbox.Row row, Instant taken) implements Job {
      int attempts() {
        return row.attempts() + 1;
      }
    }

    record Find(OutboundMessage message, int attempts, Attempt attempt, Instant unknownSince)
        implements Job {}

    record Ended() implements Job {}

    record Wait(Duration time) implements Job {}

    record None() implements Job {}
  }

  private OneAtATime.Next step(String participantId) {
    return carryOut(transactions.write(() -> take(participantId)));
  }

  private OneAtATime.Next carryOut(Job job) {
    return switch (job) {
      case Job.Send send -> {
        var delivery = send(send);
        if (delivery.isEmpty()) {
          log.warn(
              "Delivery {} was taken for sending but not sent within {} s; it is taken again",
              send.message().id(),
              FRESH.toSeconds());
          yield carryOut(transactions.write(() -> takeAgain(send)));
        }
        recording(() -> record(send, delivery.get()));
        queues.values().forEach(SenderQueue::nudge);
        yield new OneAtATime.Next.Again();
      }
      case Job.Find find -> {
        var found = lookUp(find);
        recording(() -> record(find, found));
        yield new OneAtATime.Next.Again();
      }
      case Job.Ended ended -> new OneAtATime.Next.Again();
      case Job.Wait wait -> new OneAtATime.Next.After(wait.time());
      case Job.None none -> new OneAtATime.Next.Rest();
    };
  }

  /** What is known of a text that went out goes before what is still to be taken. */
  private void recording(Runnable act) {
    ConnectionLane.RECORDING.run(() ->
        transactions.write(() -> {
          act.run();
        }));
  }

  /**
   * Decides what is to be done and marks it as being done. The order of a participant's texts is
   * kept on each channel: one that waits by SMS does not hold up an answer on WhatsApp.
   */
  private Job take(String participantId) {
    Job found = new Job.None();
    for (var row : rows.firstOpen(participantId)) {
      var job = take(participantId, row);
      if (!(job instanceof Job.Wait) && !(job instanceof Job.None)) {
        return job;
      }
      found = sooner(found, job);
    }
    return found;
  }

  private static Job sooner(Job one, Job other) {
    if (one instanceof Job.Wait(Duration time)
        && other instanceof Job.Wait(Duration than)
        && time.compareTo(than) > 0) {
      return other;
    }
    return one instanceof Job.None ? other : one;
  }

  private Job take(String participantId, JdbcOutbox.Row row) {
    var now = systemClock.instant();
    if (row.notBefore() != null && row.notBefore().isAfter(now)) {
      return new Job.Wait(Duration.between(now, row.notBefore()));
    }
    var receiver = participants.findWithLeaving(participantId);
    if (receiver.isEmpty()) {
      rows.end(
          row.id(),
          row.status(),
          row.attempts(),
          DeliveryStatus.REFUSED,
          "the participant is gone",
          null,
          null,
          now,
          null);
      return new Job.Ended();
    }
    return switch (row.status()) {
      case PLANNED -> toSend(row, receiver.get(), now);
      case UNKNOWN ->
          rows.takeToLookUp(row.id(), now) == 1
              ? new Job.Find(
                  asSent(row, receiver.get()).named(participants),
                  row.attempts(),
                  attempt(row),
                  unknownSince(row, now))
              : new Job.None();
      case SENDING, LOOKING -> inOtherHands(row, now);
      case REFUSED,
          SCHEDULED,
          ACCEPTED,
          QUEUED,
          SENT,
          FAILED,
          UNDELIVERED,
          CANCELED,
          DELIVERED,
          READ ->
          throw new IllegalStateException(
              "Delivery " + row.id() + " is open and " + row.status().word());
    };
  }

  /**
   * Takes a text once more that this process took too long ago, as if it never had: whatever
   * happened since then counts, and its queue lets it go anew. Nothing, if it is in other hands by
   * now.
   */
  private Job takeAgain(Job.Send send) {
    var id = send.message().id();
    var queue = queues.get(send.message().channel());
    if (queue != null) {
      // It may have let the text go again while it was being taken.
      queue.takeBack(id);
    }
    participants.hold(send.message().participantId());
    if (rows.untake(id, send.attempts()) == 0) {
      log.warn("Delivery {} is handled by another worker now and is left to it", id);
      return new Job.None();
    }
    return participants
        .findWithLeaving(send.message().participantId())
        .<Job>flatMap(receiver ->
            rows.these(List.of(id)).stream()
                .findFirst()
                .map(row -> toSend(row, receiver, systemClock.instant())))
        .orElseGet(Job.None::new);
  }

  /**
   * Joins the running transaction. What is being sent at this moment goes out, but is not sent once
   * more if it turns out that it did not.
   */
  void withhold(Participant receiver) {
    for (var row : rows.open(receiver.id())) {
      var message = message(row, receiver);
      var unwanted = whyUnwanted(row, message, receiver);
      if (unwanted.isPresent()
          && !(row.status() == DeliveryStatus.PLANNED && end(row, message, unwanted.get()))) {
        rows.withhold(row.id(), unwanted.get());
      }
    }
  }

  /** Ends what waits for somebody who leaves; joins the running transaction. */
  void giveUp(String participantId, String reason) {
    var now = systemClock.instant();
    rows.cancel(participantId, reason, now);
    rows.giveUp(participantId, reason, now, now.plus(ASKED_AFTER));
  }

  private static Optional<String> whyUnwanted(
      JdbcOutbox.Row row, OutboundMessage message, Participant receiver) {
    if (row.withheld() != null) {
      return Optional.of(row.withheld());
    }
    return message.kind().mayGoTo(receiver.status(), receiver.optedOut())
        ? Optional.empty()
        : Optional.of(receiver.optedOut() ? "opted out" : receiver.status().word());
  }

  private Job toSend(JdbcOutbox.Row row, Participant receiver, Instant now) {
    var message = message(row, receiver);
    var unwanted = whyUnwanted(row, message, receiver);
    if (unwanted.isPresent()) {
      var _ = end(row, message, unwanted.get());
      return new Job.Ended();
    }
    var late = whyTooLate(row, message, receiver, now);
    if (late.isPresent()) {
      miss(row, message, Trouble.ours(late.get()));
      return new Job.Ended();
    }
    var untilDay = untilDay(row, message, receiver, now);
    if (untilDay.isPositive()) {
      return putOff(row, message, HoldReason.ALLOWED_HOURS, WAITS_FOR_DAY, untilDay);
    }
    if (channels.of(message.channel()).isEmpty()) {
      return withoutChannel(row, message);
    }
    if (sendingStop.inForce().isPresent()) {
      return new Job.None();
    }
    var queue = queues.get(message.channel());
    if (queue != null && !queue.mayLeave(row.id())) {
      return new Job.None();
    }
    var words = words(row, message, now);
    if (words.isEmpty()) {
      miss(row, message, new Trouble(WINDOW_CLOSED, Fate.WINDOW_CLOSED, null));
      return new Job.Ended();
    }
    if (queue != null) {
      // The sender before its texts, as whoever lets it work again takes them.
      queue.leaves();
    }
    var sender = cameTo(row).orElse(null);
    if (rows.takeToSend(row.id(), sender, now) == 0) {
      return new Job.None();
    }
    return new Job.Send(words.get().named(participants).from(sender), row, now);
  }

  /** A line that was started without it may be started with it again; nobody waits for a notice. */
  private Job withoutChannel(JdbcOutbox.Row row, OutboundMessage message) {
    var reason = "the channel " + message.channel().word() + " is not configured";
    if (message.kind() == OutboundKind.NOTICE) {
      var _ = end(row, message, reason);
      return new Job.Ended();
    }
    if (row.hold() != HoldReason.CHANNEL_MISSING) {
      log.warn("Delivery {} waits: {}", row.id(), reason);
    }
    return putOff(row, message, HoldReason.CHANNEL_MISSING, reason, CHANNEL_MISSED);
  }

  /** Nobody hears again of what they know. */
  private Job putOff(
      JdbcOutbox.Row row, OutboundMessage message, HoldReason hold, String reason, Duration pause) {
    if (rows.putOff(row.id(), reason, hold, systemClock.instant().plus(pause)) > 0
        && row.hold() != hold) {
      tell(message, DeliveryStatus.PLANNED, null);
    }
    return new Job.Wait(pause);
  }

  private Optional<String> whyTooLate(
      JdbcOutbox.Row row, OutboundMessage message, Participant receiver, Instant now) {
    if (row.expiresAt() != null && row.expiresAt().isBefore(now)) {
      return Optional.of(
          "it waited for more than " + words(Duration.between(row.plannedAt(), row.expiresAt())));
    }
    return message.kind().isByDay()
            && message.channel() != ChannelKind.SIMULATOR
            && hours.untilAllowed(receiver).isPositive()
        ? Optional.of("it waited until it was outside the allowed hours")
        : Optional.empty();
  }

  /**
   * A script chooses the time of its texts, also by night. One that could not leave then, and that
   * nobody's answer stands behind, must not come at a time that nobody chose.
   */
  private Duration untilDay(
      JdbcOutbox.Row row, OutboundMessage message, Participant receiver, Instant now) {
    return message.kind() == OutboundKind.SCRIPTED
            && row.bulk()
            && message.channel() != ChannelKind.SIMULATOR
            && now.isAfter(row.plannedAt().plus(KEEPS_ITS_TIME))
        ? hours.untilAllowed(receiver)
        : Duration.ZERO;
  }

  private static String words(Duration duration) {
    return duration.toMinutes() % 60 == 0
        ? duration.toHours() + " hours"
        : duration.toMinutes() + " minutes";
  }

  /**
   * What goes out: where free words have a window and it is closed, the template for that, and
   * nothing if there is none; the template with buttons, if there is one; else the text itself.
   */
  private Optional<OutboundMessage> words(
      JdbcOutbox.Row row, OutboundMessage message, Instant now) {
    if (!channel(message).hasWindow()) {
      return Optional.of(message);
    }
    var last = last(message.participantId(), message.channel()).or(() -> lastUnclaimed(message));
    if (!row.outsideWindow() && isOpen(last, now)) {
      return Optional.of(message.as(Template.read(row.buttons())));
    }
    return Optional.ofNullable(Template.read(row.template())).map(message::as);
  }

  boolean takesFreeWords(String participantId, ChannelKind channel) {
    return channels.of(channel).filter(Channel::hasWindow).isEmpty()
        || isOpen(transactions.read(() -> last(participantId, channel)), systemClock.instant());
  }

  private Optional<Instant> last(String participantId, ChannelKind channel) {
    return inbox.lastStored(participantId, channel);
  }

  private static boolean isOpen(Optional<Instant> last, Instant now) {
    return last.filter(at -> at.plus(WINDOW).isAfter(now)).isPresent();
  }

  /**
   * An answer leaves from the sender that the text came to. What was tried before leaves from the
   * usual one: the other road may be closed.
   */
  private Optional<String> cameTo(JdbcOutbox.Row row) {
    return row.attempts() > 0 || row.retryOf() != null
        ? Optional.empty()
        : inbox.cameTo(row.participantId(), row.channel()).filter(sender -> !sender.isEmpty());
  }

  /** Whoever a script texts and nobody enrolled has their texts elsewhere. */
  private Optional<Instant> lastUnclaimed(OutboundMessage message) {
    return message.kind() == OutboundKind.SCRIPTED
        ? unclaimed.lastFrom(message.channel(), message.to().e164())
        : Optional.empty();
  }

  private Job inOtherHands(JdbcOutbox.Row row, Instant now) {
    var since = row.sendingAt() == null ? row.plannedAt() : row.sendingAt();
    var left = Duration.between(now, since.plus(STALE));
    if (left.isPositive()) {
      return new Job.Wait(left);
    }
    rows.stale(row.id(), row.status(), row.attempts(), "interrupted", now.minus(STALE), now);
    return new Job.Ended();
  }

  static OutboundMessage message(JdbcOutbox.Row row, Participant receiver) {
    return new OutboundMessage(
        row.id(),
        row.participantId(),
        row.turn(),
        row.kind(),
        receiver.phone(),
        row.channel(),
        row.body());
  }

  /** As it may have gone out: in the words of a template, if it has one, and from that sender. */
  static OutboundMessage asSent(JdbcOutbox.Row row, Participant receiver) {
    var template = row.buttons() == null ? row.template() : row.buttons();
    return message(row, receiver).as(Template.read(template)).from(row.sentFrom());
  }

  /** Empty if it was taken too long ago to be sent without another look. */
  private Optional<Delivery> send(Job.Send send) {
    var message = send.message();
    var channel = channel(message);
    var taken = send.taken();
    var now = systemClock.instant();
    if (now.isAfter(taken.plus(FRESH)) || now.isBefore(taken.minus(FRESH))) {
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

  /** The participant first, as a STOP and an erasure take them; then the text, and what follows. */
  private void record(Job.Send send, Delivery delivery) {
    var message = send.message();
    participants.hold(message.participantId());
    switch (delivery) {
      case Delivery.Accepted accepted -> {
        senders.took(message.channel(), send.taken());
        if (!accept(message, send.attempts(), accepted.providerId())) {
          stray(send, accepted.providerId());
        }
      }
      case Delivery.Refused refused -> refused(send, refused);
      case Delivery.Deferred deferred -> deferred(send, deferred);
      case Delivery.Unknown unknown -> {
        log.warn("Delivery {} may or may not have gone out; it is looked up first", message.id());
        unknown(message, DeliveryStatus.SENDING, send.attempts(), unknown.reason(), Duration.ZERO);
      }
    }
  }

  private void refused(Job.Send send, Delivery.Refused refused) {
    var message = send.message();
    var row = send.row();
    switch (refused.why()) {
      case OPTED_OUT -> {
        var _ = participants.optOut(message.participantId(), OptOutSource.PROVIDER);
        end(send, Trouble.met(refused).put("opted out at the provider: " + refused.reason()));
        participants.findWithContacts(message.participantId()).ifPresent(this::withhold);
      }
      case WINDOW_CLOSED -> {
        if (row.template() == null || row.outsideWindow()) {
          if (endSent(send, Trouble.met(refused).put(WINDOW_CLOSED))) {
            missed(row, message, WINDOW_CLOSED);
          }
        } else {
          rows.outsideWindow(row.id(), send.attempts());
        }
      }
      case NEVER_PROCESSED,
          MAY_HAVE_GONE_OUT,
          ONCE_MORE,
          QUIET_HOURS,
          NEXT_DAY,
          NOT_BY_RCS,
          MISCONFIGURED,
          BAD_NUMBER,
          FINAL -> {
        log.warn("Delivery {} was refused and will not be tried again", message.id());
        end(send, Trouble.met(refused));
      }
    }
  }

  private void deferred(Job.Send send, Delivery.Deferred deferred) {
    var trouble = Trouble.met(deferred);
    switch (deferred.why()) {
      case MISCONFIGURED -> misconfigured(send, trouble, deferred.reason());
      case QUIET_HOURS ->
          putBack(send, HoldReason.CARRIER_HOURS, trouble, untilDay(send.message()));
      case NEXT_DAY -> {
        senders.stop(send.message().channel(), deferred.reason(), false, Senders.FULL_TRIED_EVERY);
        putBack(
            send,
            HoldReason.SENDER_STOPPED,
            trouble.put(CONFIGURATION + deferred.reason()),
            untilNextDay(send.message()));
      }
      case NOT_BY_RCS -> putBack(send, HoldReason.RETRY, trouble, Duration.ZERO);
      case ONCE_MORE -> {
        if (send.attempts() > 1) {
          end(send, trouble);
        } else {
          putBack(send, HoldReason.RETRY, trouble, ONCE_MORE_AFTER);
        }
      }
      case NEVER_PROCESSED, MAY_HAVE_GONE_OUT, OPTED_OUT, WINDOW_CLOSED, BAD_NUMBER, FINAL ->
          putBack(send, HoldReason.RETRY, trouble, pause(deferred.pause(), send.attempts()));
    }
  }

  /**
   * The sender stops, and another text is tried next. If the sender took other texts since this one
   * failed, the fault is with this one's destination: it must not stop all the others again.
   */
  private void misconfigured(Job.Send send, Trouble trouble, String code) {
    var message = send.message();
    if (send.attempts() > 1 && !senders.isStopped(message.channel())) {
      end(send, trouble.put(CONFIGURATION + code + ", though other texts are taken"));
      return;
    }
    senders.stop(message.channel(), code, false, Senders.TRIED_EVERY);
    putBack(
        send, HoldReason.SENDER_STOPPED, trouble.put(CONFIGURATION + code), Senders.TRIED_EVERY);
  }

  /**
   * A carrier's quiet hours are not known exactly: they end no later than the allowed ones begin.
   */
  private Duration untilDay(OutboundMessage message) {
    var wait =
        participants
            .findWithContacts(message.participantId())
            .map(hours::untilAllowed)
            .orElse(Duration.ZERO);
    return wait.compareTo(QUIET_AT_LEAST) > 0 ? wait : QUIET_AT_LEAST;
  }

  private Duration untilNextDay(OutboundMessage message) {
    return participants
        .findWithContacts(message.participantId())
        .map(hours::untilNextDay)
        .orElse(Duration.ofDays(1));
  }

  /** Twice as long after every attempt, and not the same for everybody. */
  private static Duration pause(Duration least, int attempts) {
    var backoff = FIRST_PAUSE.multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
    var jittered =
        backoff.plusMillis(ThreadLocalRandom.current().nextLong(backoff.toMillis() / 4 + 1));
    return least.compareTo(jittered) > 0 ? least : jittered;
  }

  private void record(Job.Find find, LookUp found) {
    var message = find.message();
    participants.hold(message.participantId());
    switch (found) {
      case LookUp.Sent sent -> {
        var _ = accept(message, find.attempts(), sent.providerId());
      }
      case LookUp.NotSent notSent ->
          putBack(message, DeliveryStatus.LOOKING, find.attempts(), null, null, Duration.ZERO);
      case LookUp.CannotTell cannotTell -> {
        if (find.unknownSince().plus(UNKNOWN_AT_MOST).isBefore(systemClock.instant())) {
          endUnknown(find, cannotTell.reason());
        } else {
          unknown(
              message, DeliveryStatus.LOOKING, find.attempts(), cannotTell.reason(), LOOK_AGAIN);
        }
      }
    }
  }

  private Attempt attempt(JdbcOutbox.Row row) {
    return new Attempt(
        row.attemptedAt() == null ? row.plannedAt() : row.attemptedAt(),
        Set.copyOf(rows.otherIds(row.participantId(), row.id())));
  }

  private static Instant unknownSince(JdbcOutbox.Row row, Instant now) {
    return row.unknownSince() == null ? now : row.unknownSince();
  }

  private void putBack(Job.Send send, HoldReason hold, Trouble trouble, Duration pause) {
    putBack(send.message(), DeliveryStatus.SENDING, send.attempts(), hold, trouble, pause);
  }

  private void putBack(
      OutboundMessage message,
      DeliveryStatus was,
      int attempts,
      @Nullable HoldReason hold,
      @Nullable Trouble trouble,
      Duration pause) {
    var code = trouble == null ? null : trouble.code();
    if (rows.putBack(
            message.id(),
            was,
            attempts,
            trouble == null ? null : trouble.words(),
            hold,
            trouble == null ? null : trouble.failure(),
            code,
            systemClock.instant().plus(pause))
        > 0) {
      tell(message, DeliveryStatus.PLANNED, code);
    }
  }

  private void unknown(
      OutboundMessage message, DeliveryStatus was, int attempts, String reason, Duration pause) {
    var now = systemClock.instant();
    if (rows.unknown(message.id(), was, attempts, reason, now.plus(pause), now) > 0) {
      tell(message, DeliveryStatus.UNKNOWN, null);
    }
  }

  private void tell(OutboundMessage message, DeliveryStatus status, @Nullable String code) {
    events.emit(
        DeliveryUpdate.TYPE,
        message.participantId(),
        DeliveryUpdate.of(message.id(), status, message.channel(), code));
  }

  /** Returns whether the provider's id is that of the text now, as it may have been before. */
  private boolean accept(OutboundMessage message, int attempts, String providerId) {
    var now = systemClock.instant();
    var askAt = now.plus(ASKED_AFTER);
    if (rows.accepted(message.id(), attempts, providerId, now, askAt) == 0
        && rows.foundAfterAll(message.id(), providerId, askAt) == 0) {
      return rows.sentAs(providerId).isPresent();
    }
    if (message.template() != null) {
      rows.insertTemplate(message.template().id());
      rows.wentOutAs(message.id(), message.template().id());
    }
    tell(message, DeliveryStatus.ACCEPTED, null);
    listeners.forEach(listener -> listener.accepted(message));
    reports.get().join(providerId);
    return true;
  }

  /** It went out, and the row says that it did not, or that it did before. */
  private void stray(Job.Send send, String providerId) {
    var message = send.message();
    var id = Ids.next("dlv");
    var now = systemClock.instant();
    if (rows.insertStray(
            id, message.id(), providerId, STRAY, send.taken(), now, now.plus(ASKED_AFTER))
        == 0) {
      return;
    }
    rows.stray(id, message.participantId(), message.id(), now);
    log.error(
        "The provider accepted delivery {} as {} after another worker had taken it over: it was sent a"
            + " second time, or after it was withdrawn; it is recorded as {}",
        message.id(),
        providerId,
        id);
    events.emit(
        DeliveryUpdate.TYPE,
        message.participantId(),
        DeliveryUpdate.of(id, DeliveryStatus.ACCEPTED, message.channel(), null));
    reports.get().join(providerId);
  }

  /** It blocks nobody any more; the provider is still asked now and then. */
  private void endUnknown(Job.Find find, String reason) {
    var message = find.message();
    var now = systemClock.instant();
    if (rows.end(
            message.id(),
            DeliveryStatus.LOOKING,
            find.attempts(),
            DeliveryStatus.UNKNOWN,
            reason,
            null,
            null,
            now,
            now.plus(ASKED_AFTER))
        > 0) {
      tell(message, DeliveryStatus.UNKNOWN, null);
      listeners.forEach(listener -> listener.refused(message, reason));
    }
  }

  /** Ends a text that the provider refused in this attempt. */
  private void end(Job.Send send, Trouble trouble) {
    if (endSent(send, trouble)) {
      refused(send.row(), send.message(), trouble.words());
    }
  }

  private boolean endSent(Job.Send send, Trouble trouble) {
    return end(send.message(), DeliveryStatus.SENDING, send.attempts(), trouble);
  }

  /** Ends a text that waits, unless somebody is sending it by now; returns whether they are not. */
  private boolean end(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    participants.hold(row.participantId());
    if (!end(message, row.status(), row.attempts(), Trouble.ours(reason))) {
      return false;
    }
    refused(row, message, reason);
    return true;
  }

  private void miss(JdbcOutbox.Row row, OutboundMessage message, Trouble trouble) {
    participants.hold(row.participantId());
    if (end(message, row.status(), row.attempts(), trouble)) {
      missed(row, message, trouble.words());
    }
  }

  private boolean end(OutboundMessage message, DeliveryStatus was, int attempts, Trouble trouble) {
    if (rows.end(
            message.id(),
            was,
            attempts,
            DeliveryStatus.REFUSED,
            trouble.words(),
            trouble.failure(),
            trouble.code(),
            systemClock.instant(),
            null)
        == 0) {
      return false;
    }
    tell(message, DeliveryStatus.REFUSED, trouble.code());
    return true;
  }

  private void refused(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    listeners.forEach(listener -> {
      if (row.retryOf() == null) {
        listener.refused(message, reason);
      } else {
        listener.undelivered(message, reason);
      }
    });
  }

  private void missed(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    listeners.forEach(listener -> {
      if (row.retryOf() == null) {
        listener.missed(message, reason);
      } else {
        listener.undelivered(message, reason);
      }
    });
  }
}
