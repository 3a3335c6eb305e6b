package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.Doorbell;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Sends a message again that did not arrive, because staff ask for it. The new delivery has the
 * same words and waits behind what is planned already; each failed delivery is sent again once, by
 * staff or by Habitline. What may be sent to the participant now is checked at once, so that staff
 * learn why not, and again before the message is sent. What kept the failed delivery back, such as
 * an opt-out that has ended, does not count.
 */
@Singleton
public final class Resends {

  private static final Duration KEEPS = Duration.ofHours(24);

  private final JdbcOutbox rows;
  private final JdbcDeliveryEvents reports;
  private final NextDelivery next;
  private final Participants participants;
  private final DeliveryNews news;
  private final Doorbell doorbell;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;

  Resends(
      JdbcOutbox rows,
      JdbcDeliveryEvents reports,
      NextDelivery next,
      Participants participants,
      DeliveryNews news,
      Doorbell doorbell,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.reports = reports;
    this.next = next;
    this.participants = participants;
    this.news = news;
    this.doorbell = doorbell;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /** Why a delivery is not sent again, whatever the participant's state. */
  public enum Never {
    /** The participant has no such delivery. */
    NO_DELIVERY,
    /** It waits, is on its way, or arrived, perhaps after the provider reported a failure. */
    NOT_FAILED,
    /** Habitline still asks the provider whether it was sent. */
    LOOKED_UP,
    /**
     * Habitline did not try to send it: it was no longer wanted, or too late. A message that was
     * sent again and then not tried may be sent again: there is no other way to send it.
     */
    NOT_TRIED,
    /** It is neither a reply nor a message that staff wrote. */
    OF_ANOTHER_KIND,
    /** The number is not reachable. */
    BAD_NUMBER,
    /** The message went out more than once; this is the extra delivery. */
    DUPLICATE,
    /** Retention or an incident cleared its words. */
    CLEARED
  }

  /** The result of {@link #resend}. */
  public sealed interface Resent {
    /**
     * The message is planned.
     *
     * @param delivery the id of the new delivery
     * @param mayArriveTwice whether the first delivery may have arrived, which the caller accepted
     */
    record Planned(String delivery, boolean mayArriveTwice) implements Resent {}

    /** It was sent again before; nothing was changed. */
    record Already() implements Resent {}

    /** It may have arrived, and the caller did not accept that it may arrive twice. */
    record MayHaveArrived() implements Resent {}

    record Refused(Never why) implements Resent {}

    /**
     * The message may not go to the participant as things are.
     *
     * @param reason for people, without a full stop
     */
    record NotNow(String reason) implements Resent {}

    /**
     * It is outside the participant's allowed hours, and nothing else is in the way.
     *
     * @param left how long until they begin
     */
    record OutsideHours(Duration left) implements Resent {}
  }

  /**
   * Plans a message again.
   *
   * @param evenIfArrived whether it is sent also if it may have arrived
   */
  public Resent resend(Participant participant, String delivery, boolean evenIfArrived) {
    return transactions.write(() -> {
      participants.hold(participant.id());
      var found =
          rows.these(List.of(delivery)).stream()
              .filter(row -> row.participantId().equals(participant.id()))
              .findFirst();
      if (found.isEmpty()) {
        return new Resent.Refused(Never.NO_DELIVERY);
      }
      var row = found.get();
      if (rows.repeats(participant.id(), delivery) > 0) {
        return new Resent.Already();
      }
      var never = never(row);
      if (never.isPresent()) {
        return new Resent.Refused(never.get());
      }
      if (row.status() == DeliveryStatus.UNKNOWN && !evenIfArrived) {
        return new Resent.MayHaveArrived();
      }
      return next.whyNot(row, participant).orElseGet(() -> planned(row));
    });
  }

  /** Returns why a delivery is never sent again, or empty if staff may send it again. */
  private Optional<Never> never(JdbcOutbox.Row row) {
    if (rows.isStray(row.id()) > 0) {
      return Optional.of(Never.DUPLICATE);
    }
    var never = byItself(row);
    return never.isEmpty() && !arrived(reports, List.of(row)).isEmpty()
        ? Optional.of(Never.NOT_FAILED)
        : never;
  }

  /**
   * Returns the ids of those deliveries that staff may send again, as far as the deliveries decide
   * it; joins the running transaction.
   */
  static Set<String> resendable(
      JdbcOutbox rows, JdbcDeliveryEvents reports, List<JdbcOutbox.Row> deliveries) {
    var failed = deliveries.stream().filter(row -> byItself(row).isEmpty()).toList();
    if (failed.isEmpty()) {
      return Set.of();
    }
    var ids = failed.stream().map(JdbcOutbox.Row::id).collect(Collectors.toSet());
    ids.removeAll(rows.straysAmong(List.copyOf(ids)));
    var arrived = arrived(reports, failed);
    failed.stream()
        .filter(row -> row.providerId() != null && arrived.contains(row.providerId()))
        .forEach(row -> ids.remove(row.id()));
    return ids;
  }

  /**
   * Returns the provider's ids of those failed messages that it reported to have arrived after all.
   * The status of such a delivery does not change, because a failure is final.
   */
  private static List<String> arrived(JdbcDeliveryEvents reports, List<JdbcOutbox.Row> failed) {
    var ids = failed.stream().flatMap(row -> Stream.ofNullable(row.providerId())).toList();
    return ids.isEmpty() ? List.of() : reports.arrived(ids, DeliveryStatus.DELIVERED.rank());
  }

  private Resent planned(JdbcOutbox.Row row) {
    var id = Ids.ordered("dlv");
    var now = systemClock.instant();
    if (rows.insertResend(id, row.id(), now, clock.instant(), now.plus(KEEPS)) == 0) {
      return new Resent.Refused(Never.CLEARED);
    }
    rows.stopAsking(row.id());
    news.moved(row.participantId(), id, row.channel(), DeliveryStatus.PLANNED, null);
    transactions.afterCommit(() -> doorbell.planned(row.participantId(), row.channel(), false));
    return new Resent.Planned(id, row.status() == DeliveryStatus.UNKNOWN);
  }

  /** Returns why a delivery is never sent again, as far as its own row decides it. */
  private static Optional<Never> byItself(JdbcOutbox.Row row) {
    return Optional.ofNullable(whyNever(row));
  }

  private static @Nullable Never whyNever(JdbcOutbox.Row row) {
    if (row.open() && row.status().mayHaveGoneOut()) {
      return Never.LOOKED_UP;
    }
    if (row.open() || !DeliveryStatus.NOT_DELIVERED.contains(row.status())) {
      return Never.NOT_FAILED;
    }
    if (!isWritten(row.kind())) {
      return Never.OF_ANOTHER_KIND;
    }
    if (row.failure() == DeliveryFailure.BAD_NUMBER) {
      return Never.BAD_NUMBER;
    }
    if (row.status() == DeliveryStatus.REFUSED && row.attempts() == 0 && row.retryOf() == null) {
      return Never.NOT_TRIED;
    }
    return row.body().isEmpty() ? Never.CLEARED : null;
  }

  /** Returns whether staff may send a message of this kind again. */
  private static boolean isWritten(OutboundKind kind) {
    return switch (kind) {
      case REPLY, STAFF -> true;
      // Prompts and what follows them belong to their moment: a later one may have come since.
      case PROMPT, PROMPT_NOW, REMINDER, CHECK_IN, NUDGE, SCRIPTED, CHOSEN, INTENSITY -> false;
      case DEBUG, STATUS, HELP, CONFIRMATION, NOTICE, CRISIS, CONSENT, ALERT -> false;
    };
  }
}
