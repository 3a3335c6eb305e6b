package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Channels;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.Template;
import org.habitline.messaging.inbox.InboxReader;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what may be done with a participant's next text, and how it may leave, and marks it as
 * being done. The order of a participant's texts is kept on each channel: one that waits by SMS
 * does not hold up an answer on WhatsApp. All methods join the running transaction.
 */
@Singleton
final class NextDelivery {

  private static final Logger log = LoggerFactory.getLogger(NextDelivery.class);

  /** After this long in the hands of another process a text counts as interrupted. */
  static final Duration STALE = Duration.ofSeconds(45);

  /**
   * Whoever marked a text as being sent gives it to its channel within this time by the wall clock,
   * or takes it again. A process may stand still in between for as long as it likes: frozen, or
   * with its whole machine.
   */
  static final Duration FRESH = Duration.ofSeconds(10);

  /** A text whose channel this line does not have is looked at again after this long. */
  private static final Duration CHANNEL_MISSED = Duration.ofMinutes(1);

  /** A script's text leaves at whatever time it was asked for, up to this much later. */
  private static final Duration KEEPS_ITS_TIME = Duration.ofHours(1);

  private static final String WAITS_FOR_DAY =
      "it could not leave in time and waits for the allowed hours";

  private static final int LOOKED_UP_AT_ONCE = 1000;

  private final JdbcOutbox rows;
  private final InboxReader inbox;
  private final Participants participants;
  private final SendingHours hours;
  private final Channels channels;
  private final FreeWords freeWords;
  private final SendingStop sendingStop;
  private final SenderQueues queues;
  private final Refusals refusals;
  private final DeliveryNews news;
  private final Clock systemClock;

  NextDelivery(
      JdbcOutbox rows,
      InboxReader inbox,
      Participants participants,
      SendingHours hours,
      Channels channels,
      FreeWords freeWords,
      SendingStop sendingStop,
      SenderQueues queues,
      Refusals refusals,
      DeliveryNews news,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.inbox = inbox;
    this.participants = participants;
    this.hours = hours;
    this.channels = channels;
    this.freeWords = freeWords;
    this.sendingStop = sendingStop;
    this.queues = queues;
    this.refusals = refusals;
    this.news = news;
    this.systemClock = systemClock;
  }

  /** Returns whose texts are to be looked at now; what a queue lets go is left to it. */
  List<String> due() {
    var channelsLooked = new ArrayList<String>();
    var statusesLooked = new ArrayList<String>();
    for (var kind : ChannelKind.values()) {
      var looked = queues.of(kind).isPresent() ? DeliveryStatus.IN_HANDS : DeliveryStatus.OPEN;
      for (var status : looked) {
        channelsLooked.add(kind.word());
        statusesLooked.add(status.word());
      }
    }
    return rows.due(
        systemClock.instant(),
        channelsLooked.toArray(String[]::new),
        statusesLooked.toArray(String[]::new),
        LOOKED_UP_AT_ONCE);
  }

  /** Returns of whom a text is not worth sending any more. */
  List<String> expired() {
    return rows.expired(systemClock.instant(), LOOKED_UP_AT_ONCE);
  }

  /** Takes what is to be done next for a participant. */
  Job take(String participantId) {
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
      refusals.ownerless(row);
      return new Job.Ended();
    }
    return switch (row.status()) {
      case PLANNED -> toSend(row, receiver.get(), now);
      case UNKNOWN ->
          rows.takeToLookUp(row.id(), now) == 1
              ? new Job.Find(
                  row.asSent(receiver.get()).named(participants),
                  row.attempts(),
                  attempt(row),
                  row.unknownSince() == null ? now : row.unknownSince())
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

  private Attempt attempt(JdbcOutbox.Row row) {
    return new Attempt(
        row.attemptedAt() == null ? row.plannedAt() : row.attemptedAt(),
        Set.copyOf(rows.otherIds(row.participantId(), row.id())));
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

  /**
   * Takes a text once more that this process took too long ago, as if it never had: whatever
   * happened since then counts, and its queue lets it go anew. Nothing, if it is in other hands by
   * now.
   */
  Job takeAgain(Job.Send send) {
    var id = send.message().id();
    // It may have let the text go again while it was being taken.
    queues.of(send.message().channel()).ifPresent(queue -> queue.takeBack(id));
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

  private Job toSend(JdbcOutbox.Row row, Participant receiver, Instant now) {
    var message = row.message(receiver);
    var standing =
        new Standing(
            row,
            receiver,
            hours.untilAllowed(receiver),
            channels.of(row.channel()).isPresent(),
            sendingStop.inForce().isPresent(),
            now);
    return switch (choose(standing)) {
      case Choice.Refuse(var reason) -> {
        var _ = refusals.refuse(row, message, reason);
        yield new Job.Ended();
      }
      case Choice.Miss(var reason) -> {
        refusals.miss(row, message, Trouble.ours(reason));
        yield new Job.Ended();
      }
      case Choice.PutOff putOff -> putOff(row, message, putOff);
      case Choice.Stay stay -> new Job.None();
      case Choice.Leave leave -> leave(row, message, now);
    };
  }

  /**
   * All that is read of a text that waits, before anything is chosen.
   *
   * @param untilAllowed how long it is until the receiver may be texted without having asked
   * @param hasChannel whether this line has the text's channel
   * @param stopped whether all sending is stopped
   */
  record Standing(
      JdbcOutbox.Row row,
      Participant receiver,
      Duration untilAllowed,
      boolean hasChannel,
      boolean stopped,
      Instant now) {}

  /** What may be done with a text that waits. */
  sealed interface Choice {
    /** It is not wanted any more. */
    record Refuse(String reason) implements Choice {}

    /** Its time is over. */
    record Miss(String reason) implements Choice {}

    record PutOff(HoldReason hold, String reason, Duration pause) implements Choice {}

    /** It waits until sending is resumed. */
    record Stay() implements Choice {}

    /** It may leave, as soon as its sender's queue lets it go. */
    record Leave() implements Choice {}
  }

  /** Chooses what may be done with a text. Reads nothing and changes nothing. */
  static Choice choose(Standing text) {
    var unwanted = Refusals.whyUnwanted(text.row(), text.receiver());
    if (unwanted.isPresent()) {
      return new Choice.Refuse(unwanted.get());
    }
    var late = whyTooLate(text);
    if (late.isPresent()) {
      return new Choice.Miss(late.get());
    }
    if (waitsForDay(text)) {
      return new Choice.PutOff(HoldReason.ALLOWED_HOURS, WAITS_FOR_DAY, text.untilAllowed());
    }
    if (!text.hasChannel()) {
      return withoutChannel(text.row());
    }
    return text.stopped() ? new Choice.Stay() : new Choice.Leave();
  }

  private static Optional<String> whyTooLate(Standing text) {
    var row = text.row();
    if (row.expiresAt() != null && row.expiresAt().isBefore(text.now())) {
      return Optional.of(
          "it waited for more than " + words(Duration.between(row.plannedAt(), row.expiresAt())));
    }
    return row.kind().isByDay() && row.channel().needsHours() && text.untilAllowed().isPositive()
        ? Optional.of("it waited until it was outside the allowed hours")
        : Optional.empty();
  }

  /**
   * A script chooses the time of its texts, also by night. One that could not leave then, and that
   * nobody's answer stands behind, must not come at a time that nobody chose.
   */
  private static boolean waitsForDay(Standing text) {
    var row = text.row();
    return row.kind() == OutboundKind.SCRIPTED
        && row.bulk()
        && row.channel().needsHours()
        && text.now().isAfter(row.plannedAt().plus(KEEPS_ITS_TIME))
        && text.untilAllowed().isPositive();
  }

  /** A line that was started without it may be started with it again; nobody waits for a notice. */
  private static Choice withoutChannel(JdbcOutbox.Row row) {
    var reason = "the channel " + row.channel().word() + " is not configured";
    return row.kind() == OutboundKind.NOTICE
        ? new Choice.Refuse(reason)
        : new Choice.PutOff(HoldReason.CHANNEL_MISSING, reason, CHANNEL_MISSED);
  }

  private static String words(Duration duration) {
    return duration.toMinutes() % 60 == 0
        ? duration.toHours() + " hours"
        : duration.toMinutes() + " minutes";
  }

  /** Nobody hears again of what they know. */
  private Job putOff(JdbcOutbox.Row row, OutboundMessage message, Choice.PutOff putOff) {
    var isNew = row.hold() != putOff.hold();
    if (isNew && putOff.hold() == HoldReason.CHANNEL_MISSING) {
      log.warn("Delivery {} waits: {}", row.id(), putOff.reason());
    }
    var until = systemClock.instant().plus(putOff.pause());
    if (rows.putOff(row.id(), putOff.reason(), putOff.hold(), until) > 0 && isNew) {
      news.moved(message, DeliveryStatus.PLANNED, null);
    }
    return new Job.Wait(putOff.pause());
  }

  private Job leave(JdbcOutbox.Row row, OutboundMessage message, Instant now) {
    var queue = queues.of(row.channel());
    if (queue.isPresent() && !queue.get().mayLeave(row.id())) {
      return new Job.None();
    }
    var words = words(row, message, freeWords.window(message, now));
    if (words.isEmpty()) {
      refusals.miss(row, message, Trouble.windowClosed());
      return new Job.Ended();
    }
    // The sender before its texts, as whoever lets it work again takes them.
    queue.ifPresent(SenderQueue::leaves);
    var sender = cameTo(row).orElse(null);
    if (rows.takeToSend(row.id(), sender, now) == 0) {
      return new Job.None();
    }
    return new Job.Send(words.get().named(participants).from(sender), row, now);
  }

  /**
   * Chooses what goes out: where free words have a window and it is closed, the template for that,
   * and nothing if there is none; the template with buttons, if there is one; else the text itself.
   */
  static Optional<OutboundMessage> words(
      JdbcOutbox.Row row, OutboundMessage message, FreeWords.Window window) {
    if (window == FreeWords.Window.NONE) {
      return Optional.of(message);
    }
    if (window == FreeWords.Window.OPEN && !row.outsideWindow()) {
      return Optional.of(message.as(Template.read(row.buttons())));
    }
    return Optional.ofNullable(Template.read(row.template())).map(message::as);
  }

  /**
   * An answer leaves from the sender that the text came to. What was tried before leaves from the
   * usual one: the other road may be closed.
   */
  private Optional<String> cameTo(JdbcOutbox.Row row) {
    return row.attempts() > 0 || row.retryOf() != null
        ? Optional.empty()
        : inbox.cameTo(row.participantId(), row.channel());
  }
}
