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
import org.habitline.budgets.AllowedCountries;
import org.habitline.budgets.Spending;
import org.habitline.budgets.UsedUp;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Channels;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.Restored;
import org.habitline.messaging.Template;
import org.habitline.messaging.inbox.InboxReader;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.protocol.Budgets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the next step for a participant's messages, and marks the message for it. The order of a
 * participant's messages is kept on each channel: a message that waits by SMS does not hold up a
 * reply on WhatsApp. All methods join the running transaction.
 */
@Singleton
final class NextDelivery {

  private static final Logger log = LoggerFactory.getLogger(NextDelivery.class);

  /** How long another process may have a message before it counts as interrupted. */
  static final Duration STALE = Duration.ofSeconds(45);

  /**
   * How long after marking a message a worker may give it to its channel, by the wall clock; later
   * it must take the message again. In between, a process may be suspended for any time, alone or
   * with its whole machine.
   */
  static final Duration FRESH = Duration.ofSeconds(10);

  /** The pause before a message whose channel is not configured is looked at again. */
  private static final Duration CHANNEL_MISSED = Duration.ofMinutes(1);

  /** How late a requested prompt may still be sent at its time, even by night. */
  private static final Duration KEEPS_ITS_TIME = Duration.ofHours(1);

  private static final String WAITS_FOR_DAY =
      "it could not be sent in time and waits for the allowed hours";

  /** The pause before a message that waits for a test alert is looked at again. */
  private static final Duration BEFORE_LAUNCH = Duration.ofMinutes(10);

  /** How long a message that waited for a test alert is still worth sending afterwards. */
  private static final Duration KEPT_AFTER_LAUNCH = Duration.ofHours(1);

  private static final int LOOKED_UP_AT_ONCE = 1000;

  private final JdbcOutbox rows;
  private final InboxReader inbox;
  private final Participants participants;
  private final SendingHours hours;
  private final Channels channels;
  private final FreeWords freeWords;
  private final SendingStop sendingStop;
  private final Restored restored;
  private final SenderQueues queues;
  private final Refusals refusals;
  private final CoachingPause pause;
  private final Spending spending;
  private final AllowedCountries countries;
  private final ConsentGate consents;
  private final LaunchGate gate;
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
      Restored restored,
      SenderQueues queues,
      Refusals refusals,
      CoachingPause pause,
      Spending spending,
      AllowedCountries countries,
      ConsentGate consents,
      LaunchGate gate,
      DeliveryNews news,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.inbox = inbox;
    this.participants = participants;
    this.hours = hours;
    this.channels = channels;
    this.freeWords = freeWords;
    this.sendingStop = sendingStop;
    this.restored = restored;
    this.queues = queues;
    this.refusals = refusals;
    this.pause = pause;
    this.spending = spending;
    this.countries = countries;
    this.consents = consents;
    this.gate = gate;
    this.news = news;
    this.systemClock = systemClock;
  }

  /**
   * Returns the participants with messages to look at now, without messages planned on channels
   * that have a queue: the queue releases those.
   */
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

  /** Returns the participants with an expired message. */
  List<String> expired() {
    return rows.expired(systemClock.instant(), LOOKED_UP_AT_ONCE);
  }

  /** Returns the receivers of urgent messages, which no queue and no stop holds up. */
  List<String> urgent() {
    return rows.urgent(systemClock.instant(), LOOKED_UP_AT_ONCE);
  }

  /** Returns the next step for a participant, with the message marked for it. */
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
   * Takes a message again that this process took too long ago, as if it had not been taken: changes
   * since then count, and its queue must release it again. Returns no work if another worker has it
   * by now.
   */
  Job takeAgain(Job.Send send) {
    var id = send.message().id();
    // The queue may have released the message again while it was being taken.
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
                .map(row -> {
                  spending.addSegments(receiver, -row.segments(), row.channel());
                  return toSend(row, receiver, systemClock.instant());
                }))
        .orElseGet(Job.None::new);
  }

  private Job toSend(JdbcOutbox.Row row, Participant receiver, Instant now) {
    var message = row.message(receiver);
    var standing = standing(row, receiver, now);
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
      case Choice.Leave leave -> leave(standing, message);
    };
  }

  private Standing standing(JdbcOutbox.Row row, Participant receiver, Instant now) {
    return new Standing(
        row,
        receiver,
        untilAllowed(row.kind(), receiver),
        channels.of(row.channel()).isPresent(),
        sendingStop.inForce().isPresent() || (isRestored() && !leavesRestored(row.kind())),
        restored.skipsMessage(row.seq()),
        row.kind().waitsForSafety() && pause.isInForce(row.participantId()),
        unpaid(row, receiver),
        row.kind().waitsForConsent() && !receiver.contact() && consents.isMissing(receiver),
        row.kind().waitsForLaunch() && !row.channel().isSimulated() && gate.isClosed(),
        now);
  }

  /** Returns whether messages wait in a restored backup, so that no queue releases any. */
  private boolean isRestored() {
    return restored.waits().isPresent();
  }

  private static boolean leavesRestored(OutboundKind kind) {
    return kind.isUrgent() || kind == OutboundKind.CONFIRMATION;
  }

  /**
   * Returns why a message like this one would not be sent if it were planned now, or empty if it
   * would be sent, now or when sending is resumed. That this one was withheld does not count.
   */
  Optional<Resends.Resent> whyNot(JdbcOutbox.Row row, Participant receiver) {
    var standing = standing(row, receiver, systemClock.instant());
    var outsideHours =
        row.kind() != OutboundKind.STAFF
            && row.channel().needsHours()
            && standing.untilAllowed().isPositive();
    return whyRefusedNow(standing)
        .<Resends.Resent>map(Resends.Resent.NotNow::new)
        .or(() ->
            outsideHours
                ? Optional.of(new Resends.Resent.OutsideHours(standing.untilAllowed()))
                : Optional.empty());
  }

  private Duration untilAllowed(OutboundKind kind, Participant receiver) {
    return kind == OutboundKind.PROMPT || kind == OutboundKind.INTENSITY
        ? hours.untilPromptAllowed(receiver)
        : hours.untilAllowed(receiver);
  }

  /**
   * Returns why a message must not cost anything, or empty if it may: the number's country, or a
   * budget of today. A reply that is planned when the budget of costs is used up was paid for and
   * is sent; what no one waits for is not.
   */
  private Optional<String> unpaid(JdbcOutbox.Row row, Participant receiver) {
    if (row.kind().isUrgent()) {
      return Optional.empty();
    }
    var country = countries.whyNot(receiver.phone());
    if (country.isPresent() || !row.kind().waitsForSafety()) {
      return country;
    }
    var today = spending.today(receiver);
    return today
        .usedUp(Budgets.Kind.SEGMENTS)
        .or(() -> row.kind().isBulk() ? today.usedUp(Budgets.Kind.COST) : Optional.empty())
        .map(UsedUp::reason);
  }

  /**
   * Everything that is read about a waiting message before the choice.
   *
   * @param untilAllowed how long until the receiver may be messaged without having asked
   * @param hasChannel whether the message's channel is configured
   * @param stopped whether all sending is stopped, or the message waits in a restored backup
   * @param skipped whether staff decided to skip what waited in a restored backup
   * @param coachingPaused whether the coach may not message the receiver
   * @param unpaid why the message must not cost anything, or empty if it may
   * @param consentMissing whether the receiver has not consented to what the message needs
   * @param beforeLaunch whether the message must wait until real channels may be used
   */
  record Standing(
      JdbcOutbox.Row row,
      Participant receiver,
      Duration untilAllowed,
      boolean hasChannel,
      boolean stopped,
      boolean skipped,
      boolean coachingPaused,
      Optional<String> unpaid,
      boolean consentMissing,
      boolean beforeLaunch,
      Instant now) {}

  /** What to do with a waiting message. */
  sealed interface Choice {
    /** The message is no longer wanted. */
    record Refuse(String reason) implements Choice {}

    /** The message is too late. */
    record Miss(String reason) implements Choice {}

    record PutOff(HoldReason hold, String reason, Duration pause) implements Choice {}

    /** The message waits until sending is resumed. */
    record Stay() implements Choice {}

    /** The message may be sent as soon as its sender's queue releases it. */
    record Leave() implements Choice {}
  }

  /** Chooses what to do with a message. Reads nothing and changes nothing. */
  static Choice choose(Standing text) {
    var refused = whyRefused(text);
    if (refused.isPresent()) {
      return new Choice.Refuse(refused.get());
    }
    if (text.beforeLaunch() && text.row().kind() == OutboundKind.NOTICE) {
      // Nobody waits for it, and the erasure does.
      return new Choice.Refuse(LaunchGate.REASON);
    }
    if (text.beforeLaunch() && !text.row().kind().isByDay()) {
      return new Choice.PutOff(HoldReason.TEST_ALERT, LaunchGate.REASON, BEFORE_LAUNCH);
    }
    var late = whyTooLate(text);
    if (late.isPresent()) {
      return new Choice.Miss(late.get());
    }
    if (text.beforeLaunch()) {
      return new Choice.PutOff(HoldReason.TEST_ALERT, LaunchGate.REASON, BEFORE_LAUNCH);
    }
    if (waitsForDay(text)) {
      return new Choice.PutOff(HoldReason.ALLOWED_HOURS, WAITS_FOR_DAY, text.untilAllowed());
    }
    if (!text.hasChannel()) {
      return withoutChannel(text.row());
    }
    return text.stopped() && !text.row().kind().isUrgent() ? new Choice.Stay() : new Choice.Leave();
  }

  private static Optional<String> whyRefused(Standing text) {
    return Optional.ofNullable(text.row().withheld()).or(() -> whyRefusedNow(text));
  }

  /** Returns why a message may not be sent as things are now, whatever they were before. */
  private static Optional<String> whyRefusedNow(Standing text) {
    var unwanted = Refusals.whyUnwanted(text.row().kind(), text.receiver());
    if (unwanted.isPresent()) {
      return unwanted;
    }
    if (text.coachingPaused()) {
      return Optional.of(CoachingPause.REASON);
    }
    if (text.unpaid().isPresent()) {
      return text.unpaid();
    }
    return text.consentMissing() ? Optional.of(ConsentGate.REASON) : Optional.empty();
  }

  private static boolean isAtNight(Standing text) {
    return text.row().kind().isByDay()
        && text.row().channel().needsHours()
        && text.untilAllowed().isPositive();
  }

  private static Optional<String> whyTooLate(Standing text) {
    var row = text.row();
    if (text.skipped() && !leavesRestored(row.kind())) {
      return Optional.of(Restored.REASON);
    }
    if (row.expiresAt().isBefore(text.now())) {
      return Optional.of(
          "it waited for more than " + words(Duration.between(row.plannedAt(), row.expiresAt())));
    }
    return isAtNight(text)
        ? Optional.of("it waited until it was outside the allowed hours")
        : Optional.empty();
  }

  /**
   * Returns whether a message must wait for the allowed hours. A requested prompt is sent at its
   * requested time, also by night. If it could not be sent then, and no reply comes after it, it
   * must not arrive at a time that no one chose. What staff write to many at once is sent only in
   * the allowed hours of each, because it is sent one after the other for as long as that takes.
   */
  private static boolean waitsForDay(Standing text) {
    var row = text.row();
    var keepsItsTime =
        row.kind() == OutboundKind.SCRIPTED
            && !text.now().isAfter(row.plannedAt().plus(KEEPS_ITS_TIME));
    return (row.kind() == OutboundKind.SCRIPTED || row.kind() == OutboundKind.STAFF)
        && row.bulk()
        && row.channel().needsHours()
        && !keepsItsTime
        && text.untilAllowed().isPositive();
  }

  /**
   * Chooses for a message without a channel: it waits, because the service may be started with the
   * channel again. A notice is refused, because no one waits for it.
   */
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

  /** Puts a message off. Listeners are told only if the reason is new. */
  private Job putOff(JdbcOutbox.Row row, OutboundMessage message, Choice.PutOff putOff) {
    var isNew = row.hold() != putOff.hold();
    if (isNew && putOff.hold() == HoldReason.CHANNEL_MISSING) {
      log.warn("Delivery {} waits: {}", row.id(), putOff.reason());
    }
    if (putOff(row, putOff) > 0 && isNew) {
      news.moved(message, DeliveryStatus.PLANNED, null);
    }
    return new Job.Wait(putOff.pause());
  }

  private int putOff(JdbcOutbox.Row row, Choice.PutOff putOff) {
    var now = systemClock.instant();
    var until = now.plus(putOff.pause());
    if (putOff.hold() != HoldReason.TEST_ALERT || row.kind().isByDay()) {
      return rows.putOff(row.id(), putOff.reason(), putOff.hold(), until);
    }
    var left = Duration.between(now, row.expiresAt());
    var keeps = left.compareTo(KEPT_AFTER_LAUNCH) < 0 ? KEPT_AFTER_LAUNCH : left;
    return rows.holdForLaunch(row.id(), putOff.reason(), until, now.plus(keeps));
  }

  private Job leave(Standing text, OutboundMessage message) {
    var row = text.row();
    var now = text.now();
    var queue = queues.of(row.channel());
    if (queue.isPresent()
        && !queue.get().mayLeave(row.id())
        && !row.kind().isUrgent()
        && !isRestored()) {
      return new Job.None();
    }
    var words = words(row, message, freeWords.window(message, now));
    if (words.isEmpty()) {
      refusals.miss(row, message, Trouble.windowClosed());
      return new Job.Ended();
    }
    // Updates the sender before its messages, in the same order as when the sender works again.
    queue.ifPresent(SenderQueue::leaves);
    var sender = cameTo(row).orElse(null);
    if (rows.takeToSend(row.id(), sender, now) == 0) {
      return new Job.None();
    }
    spending.addSegments(text.receiver(), row.segments(), row.channel());
    return new Job.Send(words.get().named(participants).from(sender), row, now);
  }

  /**
   * Returns what to send: outside the window for free-form messages, the template for that, or
   * empty if there is none; inside it, the template with buttons, if there is one; else the message
   * itself.
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
   * Returns the sender that the participant's text came to, so that the reply comes from it. Later
   * attempts use the default sender, because that one may not work.
   */
  private Optional<String> cameTo(JdbcOutbox.Row row) {
    return row.attempts() > 0 || row.retryOf() != null
        ? Optional.empty()
        : inbox.cameTo(row.participantId(), row.channel());
  }
}
