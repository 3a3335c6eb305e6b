package org.habitline.messaging;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.toSet;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.audit.Events;
import org.habitline.participants.AfterCommit;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Ids;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/** What must go out. A planned text leaves once its transaction is committed, and only then. */
@Singleton
public final class Outbox {

  private final JdbcOutbox rows;
  private final JdbcDeliveryEvents reports;
  private final Events events;
  private final Provider<OutboxWorker> worker;
  private final TransactionOperations<Connection> transactions;
  private final Clock clock;
  private final Clock systemClock;

  Outbox(
      JdbcOutbox rows,
      JdbcDeliveryEvents reports,
      Events events,
      Provider<OutboxWorker> worker,
      TransactionOperations<Connection> transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.reports = reports;
    this.events = events;
    this.worker = worker;
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
    var parts = Parts.of(text.channel(), text.body());
    // A template says it all: where one must go out, it goes out once.
    for (int i = 0; i < parts.size(); i++) {
      plan(text, parts.get(i), i == 0);
    }
    if (!text.kind().isBulk() && text.channel() != ChannelKind.SIMULATOR) {
      var _ = rows.hurry(text.participantId(), OutboxWorker.WAITS_FOR_DAY);
    }
    AfterCommit.run(transactions, () -> worker.get().planned(text.participantId(), text.channel()));
  }

  private void plan(Planned text, Parts.Part part, boolean first) {
    var id = Ids.next("dlv");
    var now = systemClock.instant();
    rows.insert(
        id,
        text.participantId(),
        text.turn(),
        text.messageId(),
        text.kind().word(),
        text.channel().word(),
        part.body(),
        now,
        clock.instant(),
        text.kind().isBulk(),
        now.plus(text.keeps()),
        Template.stored(first ? text.template() : null),
        Template.stored(first ? text.buttons() : null),
        part.segments(),
        Optional.ofNullable(part.encoding()).map(Encoding::word).orElse(null));
    events.emit(
        DeliveryUpdate.TYPE,
        text.participantId(),
        DeliveryUpdate.of(id, "planned", text.channel().word(), null));
  }

  /**
   * Ends what is planned for the participant and may not go to them as they are now, so that it
   * does not go out later either, should they come back. Joins the running transaction.
   */
  public void withhold(Participant receiver) {
    worker.get().withhold(receiver);
  }

  /**
   * Returns whether free words may go to a participant on a channel now; where they may not,
   * nothing but a template goes out until they text. WhatsApp's rule.
   */
  public boolean takesFreeWords(String participantId, ChannelKind channel) {
    return worker.get().takesFreeWords(participantId, channel);
  }

  /** Returns when the first text was planned that a provider takes, or empty before it. */
  public Optional<Instant> firstToProviders() {
    return transactions.executeRead(status -> rows.firstToProviders());
  }

  /** Returns what is to go out and has not come to an end, by the word of the channel. */
  public List<Waiting> waiting() {
    return transactions.executeRead(status -> rows.queued(Waiting.COUNTED)).stream()
        .map(JdbcOutbox.Queued::waiting)
        .toList();
  }

  /**
   * Returns how many texts went out, within this time, from a process that did not have them any
   * more: a second time, or after they were withdrawn.
   */
  public int strays(Duration within) {
    return transactions.executeRead(status -> rows.strays(systemClock.instant().minus(within)));
  }

  /**
   * How a text fares.
   *
   * @param seq where it stands in the order of planning
   * @param retryOf the text that it repeats, which the provider took and could not deliver
   * @param segments as how many texts it is charged
   * @param encoding of an SMS: {@code gsm-7} or {@code ucs-2}
   * @param template whether it may go out as a template of the provider
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
      String kind,
      String channel,
      String status,
      int attempts,
      @Nullable String retryOf,
      boolean template,
      @Nullable String providerId,
      @Nullable String errorCode,
      @Nullable String reason,
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
          errorCode == null ? null : channels.explained(channel, errorCode),
          reason == null ? null : channels.explained(channel, reason),
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
    return transactions.executeRead(status -> {
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
      String kind,
      String channel,
      String status,
      boolean open,
      boolean outsideWindow,
      @Nullable Instant notBefore,
      @Nullable String errorCode,
      @Nullable String reason,
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
          explained(channels, errorCode),
          explained(channels, reason),
          before == null ? null : new Before(explained(channels, before.errorCode())),
          plannedAt,
          saidAt);
    }

    private @Nullable String explained(Channels channels, @Nullable String code) {
      return code == null ? null : channels.explained(channel, code);
    }
  }

  /** A text that the provider took and could not deliver. */
  public record Before(@Nullable String errorCode) {}

  /** Statuses of texts that did not reach anybody, or of which that is not known. */
  private static final List<String> NOT_DELIVERED =
      List.of("failed", "undelivered", "canceled", "refused", "unknown");

  /**
   * Returns answers that are written and have not left, the one that waits longest first; of the
   * first 10,000 texts that are open.
   */
  public List<Held> unsentAnswers(int most) {
    return transactions.executeRead(status -> held(rows.unsentAnswers(Waiting.COUNTED, most)));
  }

  /** Returns the text that is to leave first of those to a participant, but no debug message. */
  public Optional<Held> firstOpen(String participantId) {
    return transactions.executeRead(status ->
        held(
                rows.firstOpen(participantId).stream()
                    .filter(row -> !row.kind().equals(OutboundKind.DEBUG.word()))
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
    return transactions.executeRead(status ->
        held(
            NOT_DELIVERED.stream()
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
    READ
  }

  /** Returns how these messages fare, by their id; those without a text are left out. */
  public Map<String, Progress> progress(List<String> messageIds) {
    if (messageIds.isEmpty()) {
      return Map.of();
    }
    return transactions.executeRead(status -> {
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
      case "delivered" -> Stage.DELIVERED;
      case "read" -> Stage.READ;
      case "failed", "undelivered" -> Stage.FAILED;
      case "canceled" -> Stage.CANCELLED;
      case "refused" -> row.attempts() == 0 ? Stage.CANCELLED : Stage.FAILED;
      default -> Stage.SENT;
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
