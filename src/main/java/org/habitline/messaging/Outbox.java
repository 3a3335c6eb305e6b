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
import java.util.Map;
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
  private final Events events;
  private final Provider<OutboxWorker> worker;
  private final TransactionOperations<Connection> transactions;
  private final Clock systemClock;

  Outbox(
      JdbcOutbox rows,
      Events events,
      Provider<OutboxWorker> worker,
      TransactionOperations<Connection> transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.events = events;
    this.worker = worker;
    this.transactions = transactions;
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
   * parts, one after the other.
   */
  public void plan(Planned text) {
    var parts =
        text.channel() == ChannelKind.SIMULATOR ? List.of(text.body()) : Parts.of(text.body());
    parts.forEach(part -> plan(text, part));
    if (!text.kind().isBulk() && text.channel() != ChannelKind.SIMULATOR) {
      var _ = rows.hurry(text.participantId());
    }
    AfterCommit.run(transactions, () -> worker.get().planned(text.participantId(), text.channel()));
  }

  private void plan(Planned text, String part) {
    var id = Ids.next("dlv");
    var now = systemClock.instant();
    rows.insert(
        id,
        text.participantId(),
        text.turn(),
        text.messageId(),
        text.kind().word(),
        text.channel().word(),
        part,
        now,
        text.kind().isBulk(),
        now.plus(text.keeps()),
        Template.stored(text.template()),
        Template.stored(text.buttons()));
    events.emit("delivery.updated", text.participantId(), Map.of("id", id, "status", "planned"));
  }

  /**
   * Ends what is planned for the participant and may not go to them as they are now, so that it
   * does not go out later either, should they come back. Joins the running transaction.
   */
  public void withhold(Participant receiver) {
    worker.get().withhold(receiver);
  }

  /** How a text fares. {@code seq} says where it stands in the order of planning. */
  public record Sent(
      long seq,
      String id,
      @Nullable Integer turn,
      @Nullable String messageId,
      String kind,
      String channel,
      String status,
      int attempts,
      @Nullable String providerId,
      @Nullable String errorCode,
      @Nullable String reason,
      Instant plannedAt,
      @Nullable Instant endedAt) {}

  /**
   * Returns the newest texts to a participant, newest first.
   *
   * @param before a {@code seq}; {@link Long#MAX_VALUE} for the newest of all
   */
  public List<Sent> deliveries(String participantId, long before, int most) {
    return transactions.executeRead(status ->
        rows.newest(participantId, before, most).stream()
            .map(row ->
                new Sent(
                    row.seq(),
                    row.id(),
                    row.turn(),
                    row.messageId(),
                    row.kind(),
                    row.channel(),
                    row.status(),
                    row.attempts(),
                    row.providerId(),
                    row.errorCode(),
                    row.reason(),
                    row.plannedAt(),
                    row.endedAt()))
            .toList());
  }
}
