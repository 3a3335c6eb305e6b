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

/** What must go out. A planned text leaves once its transaction is committed, and only then. */
@Singleton
public final class Outbox implements OptOutListener {

  private final JdbcOutbox rows;
  private final JdbcPlanned planned;
  private final JdbcDeliveryEvents reports;
  private final Refusals refusals;
  private final DeliveryNews news;
  private final Doorbell doorbell;
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
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.planned = planned;
    this.reports = reports;
    this.refusals = refusals;
    this.news = news;
    this.doorbell = doorbell;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /** What could not be sent for this long is no answer any more. */
  private static final Duration KEEPS = Duration.ofHours(24);

  /**
   * A text to be sent.
   *
   * @param turn the turn that says it, if one does
   * @param messageId its row in the transcript, if it has one
   * @param keeps for how long it is worth sending
   * @param template what goes out in its place where free words are not allowed any more
   * @param buttons what goes out in its place where they are, with the same words and buttons
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
      @Nullable Template buttons) {

    public Planned(
        String participantId,
        @Nullable Integer turn,
        @Nullable String messageId,
        OutboundKind kind,
        ChannelKind channel,
        String body) {
      this(participantId, turn, messageId, kind, channel, body, KEEPS, null, null);
    }
  }

  /**
   * Plans a text in the running transaction; one that is too long for its channel goes out in
   * parts, one after the other. What is stored of an SMS is what is sent, in characters that cost
   * the least; the transcript has what was said.
   */
  public void plan(Planned text) {
    var parts = SmsSplitter.of(text.channel(), text.body());
    // A template says it all: where one must go out, it goes out once.
    for (int i = 0; i < parts.size(); i++) {
      plan(text, parts.get(i), i == 0);
    }
    if (!text.kind().isBulk() && !text.channel().isSimulated()) {
      var _ = rows.hurry(text.participantId());
    }
    transactions.afterCommit(() -> doorbell.planned(text.participantId(), text.channel()));
  }

  private void plan(Planned text, SmsSplitter.Part part, boolean first) {
    var id = Ids.next("dlv");
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
            text.kind().isBulk(),
            now.plus(text.keeps()),
            Template.stored(first ? text.template() : null),
            Template.stored(first ? text.buttons() : null),
            part.segments(),
            Optional.ofNullable(part.encoding()).map(Encoding::word).orElse(null)));
    news.moved(text.participantId(), id, text.channel(), DeliveryStatus.PLANNED, null);
  }

  /**
   * Ends what is planned for the participant and may not go to them as they are now, so that it
   * does not go out later either, should they come back. Joins the running transaction.
   */
  public void withhold(Participant receiver) {
    refusals.withhold(receiver);
  }

  @Override
  public void optedOut(Participant participant) {
    withhold(participant);
  }

  /** Ends what waits for somebody who leaves; joins the running transaction. */
  public void giveUp(String participantId, String reason) {
    var now = systemClock.instant();
    rows.cancel(participantId, reason, now);
    rows.giveUp(participantId, reason, now, now.plus(StaleDeliveries.ASKED_AFTER));
  }

  /** Everything about the participant goes; joins the running transaction. */
  public void erase(String participantId) {
    rows.eraseStrays(participantId);
    rows.erase(participantId);
  }

  /** Erases what a node of an earlier version left; joins the running transaction. */
  public int eraseLeftOvers() {
    return rows.eraseLeftOvers();
  }

  /**
   * Lets whatever a process that died was sending be looked up; joins the running transaction.
   * Returns how many texts that were.
   */
  public int interrupted() {
    return rows.interrupted(systemClock.instant());
  }

  /** Whether a text could go on at this moment; joins the running transaction. */
  public boolean hasUnsent() {
    return rows.unsent(systemClock.instant()) > 0;
  }

  /** Returns when the first text was planned that a provider takes, or empty before it. */
  public Optional<Instant> firstToProviders() {
    return transactions.read(() -> rows.firstToProviders());
  }

  /** Returns what is to go out and has not come to an end, by channel. */
  public List<Waiting<ChannelKind>> waiting() {
    return transactions.read(() -> rows.queued(Waiting.COUNTED)).stream()
        .map(row -> new Waiting<>(row.what(), row.count(), row.oldest(), row.due()))
        .toList();
  }

  /**
   * Returns how many texts went out, within this time, from a process that did not have them any
   * more: a second time, or after they were withdrawn.
   */
  public int strays(Duration within) {
    return transactions.read(() -> rows.strays(systemClock.instant().minus(within)));
  }

  /**
   * How a text fares.
   *
   * @param seq where it stands in the order of planning
   * @param retryOf the text that it repeats, which the provider took and could not deliver
   * @param segments as how many texts it is charged
   * @param encoding of an SMS: {@code gsm-7} or {@code ucs-2}
   * @param template whether it may go out as a template of the provider
   * @param failure what the provider's error means for it, if it met one
   * @param failureCode the provider's error of the last attempt to send it
   * @param price what the provider charged for it, once it says so
   * @param priceUnit the currency of the price (ISO 4217)
   * @param templateCategory of the template that it went out as, in the provider's word: {@code
   *     utility}, {@code marketing}, {@code authentication}
   * @param events what the provider reported, in the order in which it came
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

    /** The same as staff read it: beside an error of the provider stands what it means. */
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

  /** One thing that a provider reported of a text. */
  public record Reported(String status, @Nullable String errorCode, Instant at) {}

  /**
   * Returns the newest texts to a participant, newest first.
   *
   * @param before a {@code seq}; {@link Long#MAX_VALUE} for the newest of all
   */
  public List<Sent> deliveries(String participantId, long before, int most) {
    return transactions.read(() -> {
      var newest = rows.newest(participantId, before, most);
      var reported = reported(newest);
      return newest.stream()
          .map(row -> {
            var id = row.providerId();
            return sent(row, id == null ? List.of() : reported.getOrDefault(id, List.of()));
          })
          .toList();
    });
  }

  /**
   * A text to somebody that did not arrive, or has not left yet.
   *
   * @param open whether it may still leave
   * @param notBefore when it is tried next, if it is put off
   * @param outsideWindow whether free words are not allowed to them now
   * @param before the text that this one repeats, if it repeats one
   * @param saidAt when it was planned in study time; {@code plannedAt} is the machine's
   */
  public record Held(
      String participantId,
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

    /** The same as staff read it: beside an error of the provider stands what it means. */
    public Held explained(Channels channels) {
      return new Held(
          participantId,
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

  /** A text that was refused by a version before this one has its code in its reason only. */
  private static @Nullable String explained(
      Channels channels, ChannelKind channel, @Nullable String sentence, @Nullable String code) {
    return sentence == null
        ? null
        : channels.explained(channel, sentence, code == null ? sentence : code);
  }

  /** A text that the provider took and could not deliver. */
  public record Before(@Nullable String errorCode) {}

  /**
   * Returns answers that are written and have not left, the one that waits longest first; of the
   * first 10,000 texts that are open.
   */
  public List<Held> unsentAnswers(int most) {
    return transactions.read(() -> held(rows.unsentAnswers(Waiting.COUNTED, most)));
  }

  /** Returns the text that is to leave first of those to a participant, but no debug message. */
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
   * Returns texts that did not arrive, or of which nobody knows whether they did, the newest first;
   * without those that were sent again.
   *
   * @param within how long ago they were planned at most, study time
   */
  public List<Held> undelivered(Duration within, int most) {
    var since = clock.instant().minus(within);
    return transactions.read(() ->
        held(
            DeliveryStatus.NOT_DELIVERED.stream()
                .flatMap(word -> rows.ofStatus(word, since, most).stream())
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
    return texts.stream()
        .map(row -> held(row, row.retryOf() == null ? null : before.get(row.retryOf())))
        .toList();
  }

  private static Held held(JdbcOutbox.Row row, @Nullable Before before) {
    return new Held(
        row.participantId(),
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
        row.saidAt() == null ? row.plannedAt() : row.saidAt());
  }

  /**
   * How a message fares, all of its texts together.
   *
   * @param at when it came so far, by the provider's reports or our own ledger
   */
  public record Progress(Stage stage, Instant at) {}

  /** How far the text came that came least far, of all that a message took. */
  public enum Stage {
    /** The provider or the line gave it up. */
    FAILED,
    /** It did not leave: it was not wanted any more, or too late. */
    CANCELLED,
    /** It waits, is on its way, or nothing more is known. */
    SENT,
    DELIVERED,
    READ;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns how these messages fare, by their id; those without a text are left out. */
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
    return new Progress(stage(row), last.isEmpty() ? own : last.getLast().at());
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

  private static Sent sent(JdbcOutbox.Row row, List<Reported> reported) {
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
