package org.habitline.messaging.outbox;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.toSet;

import com.fasterxml.jackson.annotation.JsonIgnore;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.messaging.Channels;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.Doorbell;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.Template;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.OptOutListener;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Plans messages and reports on them. A message is sent only after its transaction commits. */
@Singleton
public final class Outbox implements OptOutListener {

  /**
   * An SQL condition: the row {@code o} of the outbox is not of a bulk message, which does not
   * count as a reply.
   */
  public static final String TO_ONE =
      "COALESCE((SELECT w.one_of_many FROM message w WHERE w.id = o.message_id), FALSE) = FALSE";

  private final JdbcOutbox rows;
  private final JdbcPlanned planned;
  private final JdbcDeliveryEvents reports;
  private final Refusals refusals;
  private final DeliveryNews news;
  private final Doorbell doorbell;
  private final LaunchGate gate;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;

  Outbox(
      JdbcOutbox rows,
      JdbcPlanned planned,
      JdbcDeliveryEvents reports,
      Refusals refusals,
      DeliveryNews news,
      Doorbell doorbell,
      LaunchGate gate,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.planned = planned;
    this.reports = reports;
    this.refusals = refusals;
    this.news = news;
    this.doorbell = doorbell;
    this.gate = gate;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /** How long a message is worth sending by default; later it would no longer be a reply. */
  private static final Duration KEEPS = Duration.ofHours(24);

  /**
   * A message to be sent.
   *
   * @param turn the turn that wrote it, if one did
   * @param messageId its row in the transcript, if it has one
   * @param keeps how long it is worth sending
   * @param template sent instead where free-form messages are no longer allowed
   * @param buttons sent instead where they are, with the same words and buttons
   * @param bulk whether no one is waiting for it, so that it is sent after replies
   */
  public record Planned(
      String participantId,
      @Nullable Integer turn,
      @Nullable String messageId,
      OutboundKind kind,
      ChannelKind channel,
      String body,
      Duration keeps,
      @Nullable Template template,
      @Nullable Template buttons,
      boolean bulk) {

    public Planned(
        String participantId,
        @Nullable Integer turn,
        @Nullable String messageId,
        OutboundKind kind,
        ChannelKind channel,
        String body,
        Duration keeps,
        @Nullable Template template,
        @Nullable Template buttons) {
      this(
          participantId,
          turn,
          messageId,
          kind,
          channel,
          body,
          keeps,
          template,
          buttons,
          kind.isBulk());
    }

    public Planned(
        String participantId,
        @Nullable Integer turn,
        @Nullable String messageId,
        OutboundKind kind,
        ChannelKind channel,
        String body) {
      this(participantId, turn, messageId, kind, channel, body, KEEPS, null, null);
    }

    /** Returns the same message as one of many, for which no one is waiting. */
    public Planned asOneOfMany() {
      return new Planned(
          participantId, turn, messageId, kind, channel, body, keeps, template, buttons, true);
    }
  }

  /**
   * Plans a message in the running transaction. A message that is too long for its channel is sent
   * in parts, one after the other. An SMS is stored as it is sent, in the characters that cost
   * least; the transcript has the original words.
   */
  public void plan(Planned text) {
    var parts = SmsSplitter.of(text.channel(), text.body());
    // Only the first part has a template: the template holds the whole message and is sent once.
    for (int i = 0; i < parts.size(); i++) {
      plan(text, parts.get(i), i == 0);
    }
    if (!text.bulk() && !text.channel().isSimulated()) {
      var _ = rows.hurry(text.participantId());
    }
    transactions.afterCommit(
        () -> doorbell.planned(text.participantId(), text.channel(), text.kind().isUrgent()));
  }

  private void plan(Planned text, SmsSplitter.Part part, boolean first) {
    var id = Ids.ordered("dlv");
    var now = systemClock.instant();
    planned.save(
        new JdbcPlanned.Row(
            id,
            text.participantId(),
            text.turn(),
            text.messageId(),
            text.kind(),
            text.channel(),
            part.body(),
            DeliveryStatus.PLANNED,
            true,
            0,
            now,
            clock.instant(),
            text.bulk(),
            now.plus(text.keeps()),
            Template.stored(first ? text.template() : null),
            Template.stored(first ? text.buttons() : null),
            part.segments(),
            Optional.ofNullable(part.encoding()).map(Encoding::word).orElse(null)));
    if (text.kind().isUrgent() || passesWhatWaits(text)) {
      rows.ahead(id);
    }
    news.moved(text.participantId(), id, text.channel(), DeliveryStatus.PLANNED, null);
  }

  /** Returns whether a message goes out although those before it wait for a test alert. */
  private boolean passesWhatWaits(Planned text) {
    return !text.channel().isSimulated() && !text.kind().waitsForLaunch() && gate.isClosed();
  }

  /**
   * Ends the planned messages that may not be sent to the participant as they are now, so that they
   * are not sent later either if the participant returns. Joins the running transaction.
   */
  public void withhold(Participant receiver) {
    refusals.withhold(receiver);
  }

  /**
   * Ends the planned messages of the coach and of scripts, because coaching is paused, so that they
   * are not sent later either. Joins the running transaction.
   */
  public void withholdCoaching(Participant receiver) {
    refusals.withholdCoaching(receiver);
  }

  @Override
  public void optedOut(Participant participant) {
    withhold(participant);
  }

  /** Makes the messages due that waited for real channels; joins the running transaction. */
  public void launch() {
    rows.launch();
  }

  /** Ends the waiting messages of a participant who leaves; joins the running transaction. */
  public void giveUp(String participantId, String reason) {
    var now = systemClock.instant();
    rows.cancel(participantId, reason, now);
    rows.giveUp(participantId, reason, now, now.plus(StaleDeliveries.ASKED_AFTER));
  }

  /** Erases all messages to the participant; joins the running transaction. */
  public void erase(String participantId) {
    rows.eraseStrays(participantId);
    rows.erase(participantId);
  }

  /**
   * Marks the messages that a process was sending when it died, so that they are looked up; joins
   * the running transaction. Returns how many there were.
   */
  public int interrupted() {
    return rows.interrupted(systemClock.instant());
  }

  /**
   * Returns the status of the last message that asked a participant for their age or consent, or
   * empty if there is none.
   */
  public Optional<DeliveryStatus> lastQuestion(String participantId) {
    return transactions.read(() -> rows.lastQuestion(participantId));
  }

  /**
   * Returns whether the daily prompt of a turn waits to be sent, so that nobody has read it; joins
   * the running transaction.
   */
  public boolean isPromptUnsent(String participantId, int turn) {
    return rows.unsentPrompts(participantId, turn) > 0;
  }

  /**
   * Returns what kind of message a text of this study time answers: that of the newest message
   * before it that may have been sent, without those that only go with another message, answer a
   * keyword, or went to many at once.
   */
  public Optional<OutboundKind> answeredAt(String participantId, Instant at) {
    return transactions.read(() -> rows.newestBy(participantId, at)).map(JdbcOutbox.Row::kind);
  }

  /**
   * Returns whether at least this many messages that staff wrote to many at once wait to be sent on
   * a channel; joins the running transaction. Those that wait for hours in which they may be sent,
   * or for their next attempt, do not count.
   */
  public boolean hasWaitingToMany(ChannelKind channel, int many) {
    return rows.waitingToMany(channel, many) >= many;
  }

  /** Returns whether a message is due at this moment; joins the running transaction. */
  public boolean hasUnsent() {
    return rows.unsent(systemClock.instant()) > 0;
  }

  /** Returns when the first message on a real channel was planned, or empty if there is none. */
  public Optional<Instant> firstToProviders() {
    return transactions.read(() -> rows.firstToProviders());
  }

  /** Returns the open messages, counted by channel. */
  public List<Waiting<ChannelKind>> waiting() {
    return transactions.read(() -> rows.queued(Waiting.COUNTED)).stream()
        .map(row -> new Waiting<>(row.what(), row.count(), row.oldest(), row.due()))
        .toList();
  }

  /**
   * Returns how many messages within this time were sent by a process that no longer had them: a
   * second time, or after they were withdrawn.
   */
  public int strays(Duration within) {
    return transactions.read(() -> rows.strays(systemClock.instant().minus(within)));
  }

  /**
   * The delivery of a message, with what the provider reported.
   *
   * @param seq its place in the order of planning
   * @param retryOf the delivery that it repeats, which did not arrive
   * @param segments the number of segments that are charged
   * @param encoding of an SMS: {@code gsm-7} or {@code ucs-2}
   * @param template whether it may be sent as a template of the provider
   * @param resendable whether staff may send it again
   * @param failure what the provider's error means for it, if there was one
   * @param failureCode the provider's error in the last attempt to send it
   * @param price what the provider charged for it, once known
   * @param priceUnit the currency of the price (ISO 4217)
   * @param templateCategory the category of the template that was sent, in the provider's word:
   *     {@code utility}, {@code marketing}, {@code authentication}
   * @param events what the provider reported, in the order it came
   */
  public record Sent(
      long seq,
      String id,
      @Nullable Integer turn,
      @Nullable String messageId,
      OutboundKind kind,
      ChannelKind channel,
      DeliveryStatus status,
      int attempts,
      @Nullable String retryOf,
      boolean template,
      @Nullable String providerId,
      @Nullable String errorCode,
      @Nullable String reason,
      @JsonIgnore boolean resendable,
      @JsonIgnore @Nullable DeliveryFailure failure,
      @JsonIgnore @Nullable String failureCode,
      int segments,
      @Nullable String encoding,
      Instant plannedAt,
      @Nullable Instant notBefore,
      @Nullable Instant endedAt,
      @Nullable BigDecimal price,
      @Nullable String priceUnit,
      @Nullable String templateCategory,
      List<Reported> events) {

    /** Returns whether the provider reported that it arrived, perhaps after a failure. */
    public boolean arrived() {
      return events.stream()
          .anyMatch(event ->
              DeliveryStatus.reported(event.status()).rank() >= DeliveryStatus.DELIVERED.rank());
    }

    /** Returns a copy for staff, with the meaning after each error of the provider. */
    public Sent explained(Channels channels) {
      return new Sent(
          seq,
          id,
          turn,
          messageId,
          kind,
          channel,
          status,
          attempts,
          retryOf,
          template,
          providerId,
          Outbox.explained(channels, channel, errorCode, errorCode),
          Outbox.explained(channels, channel, reason, failureCode),
          resendable,
          failure,
          failureCode,
          segments,
          encoding,
          plannedAt,
          notBefore,
          endedAt,
          price,
          priceUnit,
          templateCategory,
          events);
    }
  }

  /** A provider's report on a message. */
  public record Reported(String status, @Nullable String errorCode, Instant at) {}

  /**
   * Returns the newest deliveries to a participant, newest first.
   *
   * @param before a {@code seq}; {@link Long#MAX_VALUE} for the newest of all
   */
  public List<Sent> deliveries(String participantId, long before, int most) {
    return transactions.read(() -> {
      var newest = rows.newest(participantId, before, most);
      var reported = reported(newest);
      var resendable = Resends.resendable(rows, reports, newest);
      return newest.stream()
          .map(row -> {
            var id = row.providerId();
            return sent(
                row,
                resendable.contains(row.id()),
                id == null ? List.of() : reported.getOrDefault(id, List.of()));
          })
          .toList();
    });
  }

  /**
   * A message that did not arrive, or has not been sent yet.
   *
   * @param id the id of the delivery
   * @param resendable whether staff may send it again
   * @param messageId the message that it carries, or the alert to staff; {@code null} for a message
   *     outside the transcript
   * @param open whether it may still be sent
   * @param notBefore when it is tried next, if it is put off
   * @param outsideWindow whether free-form messages are not allowed to the participant now
   * @param before the delivery that this one repeats, if it repeats one
   * @param saidAt when it was planned in study time; {@code plannedAt} is system time
   */
  public record Held(
      String id,
      boolean resendable,
      String participantId,
      @Nullable String messageId,
      @Nullable Integer turn,
      OutboundKind kind,
      ChannelKind channel,
      DeliveryStatus status,
      boolean open,
      boolean outsideWindow,
      @Nullable Instant notBefore,
      @Nullable String errorCode,
      @Nullable String reason,
      @Nullable String failureCode,
      @Nullable Before before,
      Instant plannedAt,
      Instant saidAt) {

    /** Returns a copy for staff, with the meaning after each error of the provider. */
    public Held explained(Channels channels) {
      return new Held(
          id,
          resendable,
          participantId,
          messageId,
          turn,
          kind,
          channel,
          status,
          open,
          outsideWindow,
          notBefore,
          Outbox.explained(channels, channel, errorCode, errorCode),
          Outbox.explained(channels, channel, reason, failureCode),
          failureCode,
          before == null
              ? null
              : new Before(
                  Outbox.explained(channels, channel, before.errorCode(), before.errorCode())),
          plannedAt,
          saidAt);
    }
  }

  /** Explains an error. Of a message whose outcome is unknown, the reason itself is the code. */
  private static @Nullable String explained(
      Channels channels, ChannelKind channel, @Nullable String sentence, @Nullable String code) {
    return sentence == null
        ? null
        : channels.explained(channel, sentence, code == null ? sentence : code);
  }

  /** A delivery that the provider accepted and could not complete. */
  public record Before(@Nullable String errorCode) {}

  /** Returns unsent replies, longest wait first, from the first 10,000 open messages. */
  public List<Held> unsentAnswers(int most) {
    return transactions.read(() -> held(rows.unsentAnswers(Waiting.COUNTED, most)));
  }

  /** Returns the message to a participant that is due to be sent first, except debug messages. */
  public Optional<Held> firstOpen(String participantId) {
    return transactions.read(() ->
        held(
                rows.firstOpen(participantId).stream()
                    .filter(row -> row.kind() != OutboundKind.DEBUG)
                    .sorted(Comparator.comparingLong(JdbcOutbox.Row::order))
                    .limit(1)
                    .toList())
            .stream()
            .findFirst());
  }

  /**
   * Returns messages that did not arrive, or of which it is not known whether they did, newest
   * first; without those that were sent again, and without those to people who have opted out,
   * except safety messages and alerts to staff: nothing can be done about the others.
   *
   * @param within how long ago they were planned at most, in study time
   */
  public List<Held> undelivered(Duration within, int most) {
    var since = clock.instant().minus(within);
    return transactions.read(() ->
        held(
            DeliveryStatus.NOT_DELIVERED.stream()
                .flatMap(word ->
                    rows.undelivered(word, since, DeliveryStatus.DELIVERED.rank(), most).stream())
                .sorted(Comparator.comparingLong(JdbcOutbox.Row::seq).reversed())
                .limit(most)
                .toList()));
  }

  private List<Held> held(List<JdbcOutbox.Row> texts) {
    var repeated = texts.stream().flatMap(row -> Stream.ofNullable(row.retryOf())).toList();
    var before =
        repeated.isEmpty()
            ? Map.<String, Before>of()
            : rows.these(repeated).stream()
                .collect(Collectors.toMap(JdbcOutbox.Row::id, row -> new Before(row.errorCode())));
    var resendable = Resends.resendable(rows, reports, texts);
    return texts.stream()
        .map(row ->
            held(
                row,
                resendable.contains(row.id()),
                row.retryOf() == null ? null : before.get(row.retryOf())))
        .toList();
  }

  private static Held held(JdbcOutbox.Row row, boolean resendable, @Nullable Before before) {
    return new Held(
        row.id(),
        resendable,
        row.participantId(),
        row.messageId(),
        row.turn(),
        row.kind(),
        row.channel(),
        row.status(),
        row.open(),
        row.outsideWindow(),
        row.notBefore(),
        row.errorCode(),
        row.reason(),
        row.failureCode(),
        before,
        row.plannedAt(),
        row.saidAt());
  }

  /**
   * The progress of a message, over all of its deliveries.
   *
   * @param at when it reached this stage, by the provider's reports or our own record
   * @param sentAt when it was last given to its channel, or {@code null} unless the provider
   *     accepted it
   */
  public record Progress(Stage stage, Instant at, @Nullable Instant sentAt) {}

  /** The stage of a message: that of its delivery that got least far. */
  public enum Stage {
    /** The provider or Habitline gave it up. */
    FAILED,
    /** It was not sent, because it was no longer wanted or too late. */
    CANCELLED,
    /** It is waiting or on its way, or nothing more is known. */
    SENT,
    DELIVERED,
    READ;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the progress of messages by their id; those without a delivery are left out. */
  public Map<String, Progress> progress(List<String> messageIds) {
    if (messageIds.isEmpty()) {
      return Map.of();
    }
    return transactions.read(() -> {
      var texts = rows.ofMessages(messageIds);
      var reported = reported(texts);
      var repeated =
          texts.stream().flatMap(row -> Stream.ofNullable(row.retryOf())).collect(toSet());
      return texts.stream()
          .filter(row -> row.messageId() != null && !repeated.contains(row.id()))
          .collect(
              Collectors.toMap(
                  row -> String.valueOf(row.messageId()),
                  row -> progress(row, reported),
                  BinaryOperator.minBy(comparing(Progress::stage))));
    });
  }

  private static Progress progress(JdbcOutbox.Row row, Map<String, List<Reported>> reported) {
    var id = row.providerId();
    var last = id == null ? List.<Reported>of() : reported.getOrDefault(id, List.of());
    var own = row.endedAt() == null ? row.plannedAt() : row.endedAt();
    return new Progress(
        stage(row),
        last.isEmpty() ? own : last.getLast().at(),
        id == null ? null : row.attemptedAt());
  }

  private static Stage stage(JdbcOutbox.Row row) {
    return switch (row.status()) {
      case DELIVERED -> Stage.DELIVERED;
      case READ -> Stage.READ;
      case FAILED, UNDELIVERED -> Stage.FAILED;
      case CANCELED -> Stage.CANCELLED;
      case REFUSED -> row.attempts() == 0 ? Stage.CANCELLED : Stage.FAILED;
      case PLANNED, SENDING, LOOKING, UNKNOWN, SCHEDULED, ACCEPTED, QUEUED, SENT -> Stage.SENT;
    };
  }

  private Map<String, List<Reported>> reported(List<JdbcOutbox.Row> texts) {
    var ids = texts.stream().flatMap(row -> Stream.ofNullable(row.providerId())).toList();
    return ids.isEmpty()
        ? Map.of()
        : reports.of(ids).stream()
            .collect(
                Collectors.groupingBy(
                    JdbcDeliveryEvents.Row::providerId,
                    Collectors.mapping(
                        row -> new Reported(row.status(), row.errorCode(), row.receivedAt()),
                        Collectors.toList())));
  }

  private static Sent sent(JdbcOutbox.Row row, boolean resendable, List<Reported> reported) {
    return new Sent(
        row.seq(),
        row.id(),
        row.turn(),
        row.messageId(),
        row.kind(),
        row.channel(),
        row.status(),
        row.attempts(),
        row.retryOf(),
        row.template() != null || row.buttons() != null,
        row.providerId(),
        row.errorCode(),
        row.reason(),
        resendable,
        row.failure(),
        row.failureCode(),
        row.segments(),
        row.encoding(),
        row.plannedAt(),
        row.open() ? row.notBefore() : null,
        row.endedAt(),
        row.price(),
        row.priceUnit(),
        row.templateCategory(),
        reported);
  }
}
