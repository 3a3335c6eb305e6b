package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.habitline.budgets.Charges;
import org.habitline.budgets.Spending;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundMessage;
import org.habitline.participants.Participants;
import org.habitline.storage.Ids;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the outcome of a send or a look-up and announces it. All methods join the running
 * transaction. They lock the participant first, as a STOP and an erasure do, then the message and
 * the rows that depend on it.
 */
@Singleton
final class DeliveryRecorder {

  private static final Logger log = LoggerFactory.getLogger(DeliveryRecorder.class);

  /** The reason in the row of a message that was sent without being planned. */
  private static final String STRAY =
      "sent a second time, or after it was withdrawn: the process that sent it had been suspended";

  private static final String CONFIGURATION = "configuration: ";

  private final JdbcOutbox rows;
  private final Senders senders;
  private final Participants participants;
  private final RetryPolicy retries;
  private final Refusals refusals;
  private final DeliveryReports reports;
  private final DeliveryNews news;
  private final Spending spending;
  private final Charges charges;
  private final Clock systemClock;

  DeliveryRecorder(
      JdbcOutbox rows,
      Senders senders,
      Participants participants,
      RetryPolicy retries,
      Refusals refusals,
      DeliveryReports reports,
      DeliveryNews news,
      Spending spending,
      Charges charges,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.senders = senders;
    this.participants = participants;
    this.retries = retries;
    this.refusals = refusals;
    this.reports = reports;
    this.news = news;
    this.spending = spending;
    this.charges = charges;
    this.systemClock = systemClock;
  }

  void record(Job.Send send, Delivery delivery) {
    var message = send.message();
    participants.hold(message.participantId());
    switch (delivery) {
      case Delivery.Accepted accepted -> {
        senders.took(message.channel(), send.taken());
        if (!accept(message, send.attempts(), accepted.providerId())) {
          stray(send, accepted.providerId());
        }
      }
      case Delivery.Refused refused -> {
        refused(send, refused);
        takeBack(send.row());
      }
      case Delivery.Deferred deferred -> {
        deferred(send, deferred);
        takeBack(send.row());
      }
      case Delivery.Unknown unknown -> {
        log.warn(
            "It is not known whether delivery {} was sent; it is looked up first", message.id());
        unknown(message, DeliveryStatus.SENDING, send.attempts(), unknown.reason(), Duration.ZERO);
      }
    }
  }

  void record(Job.Find find, LookUp found) {
    var message = find.message();
    participants.hold(message.participantId());
    switch (found) {
      case LookUp.Sent sent -> {
        var _ = accept(message, find.attempts(), sent.providerId());
      }
      case LookUp.NotSent notSent -> {
        if (putBack(message, DeliveryStatus.LOOKING, find.attempts(), null, null, Duration.ZERO)) {
          rows.these(List.of(message.id())).forEach(this::takeBack);
        }
      }
      case LookUp.CannotTell cannotTell -> {
        if (RetryPolicy.isGivenUp(find.unknownSince(), systemClock.instant())) {
          endUnknown(find, cannotTell.reason());
        } else {
          unknown(
              message,
              DeliveryStatus.LOOKING,
              find.attempts(),
              cannotTell.reason(),
              RetryPolicy.LOOK_AGAIN);
        }
      }
    }
  }

  /** Takes segments back that were counted when the message was taken and that nobody charges. */
  private void takeBack(JdbcOutbox.Row row) {
    participants
        .findWithLeaving(row.participantId())
        .ifPresent(receiver -> spending.addSegments(receiver, -row.segments(), row.channel()));
  }

  /** Records that a message whose look-ups had ended was sent after all. */
  void foundAfterAll(OutboundMessage message, String providerId) {
    participants.hold(message.participantId());
    var askAt = systemClock.instant().plus(StaleDeliveries.ASKED_AFTER);
    if (rows.foundAfterAll(message.id(), providerId, askAt) > 0) {
      charges.message(message.id(), message.channel());
      news.accepted(message);
      reports.join(providerId);
    }
  }

  private void refused(Job.Send send, Delivery.Refused refused) {
    var message = send.message();
    var row = send.row();
    switch (refused.why()) {
      case OPTED_OUT -> {
        participants.blockedByProvider(message.participantId());
        end(send, Trouble.met(refused).put("opted out at the provider: " + refused.reason()));
        participants.findWithContacts(message.participantId()).ifPresent(refusals::withhold);
      }
      case WINDOW_CLOSED -> {
        if (RetryPolicy.hasTemplateLeft(row)) {
          rows.outsideWindow(row.id(), send.attempts());
        } else if (endSent(send, Trouble.met(refused).put(Trouble.WINDOW_CLOSED))) {
          news.missed(row, message, Trouble.WINDOW_CLOSED);
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

  /**
   * Records a send that may be tried again. If the error stops the sender, another message is tried
   * next. If the sender accepted other messages since this one failed, the fault is with this one's
   * destination, and it must not stop the others again.
   */
  private void deferred(Job.Send send, Delivery.Deferred deferred) {
    var message = send.message();
    var trouble = Trouble.met(deferred);
    var configuration = CONFIGURATION + deferred.reason();
    if (deferred.why() == DeliveryFailure.MISCONFIGURED
        && send.attempts() > 1
        && !senders.isStopped(message.channel())) {
      end(send, trouble.put(configuration + ", although the provider accepts other messages"));
      return;
    }
    var triedEvery = RetryPolicy.stopsSender(deferred.why());
    triedEvery.ifPresent(every -> senders.stop(message.channel(), deferred.reason(), false, every));
    var met = triedEvery.isPresent() ? trouble.put(configuration) : trouble;
    var receiver = participants.findWithContacts(message.participantId());
    retries
        .afterAnswer(deferred, send.attempts(), receiver)
        .ifPresentOrElse(
            pause -> {
              var _ =
                  putBack(
                      message,
                      DeliveryStatus.SENDING,
                      send.attempts(),
                      RetryPolicy.waitsFor(deferred.why()),
                      met,
                      pause);
            },
            () -> end(send, met));
  }

  /** Lets a message wait again; returns false if another worker has it by now. */
  private boolean putBack(
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
        == 0) {
      return false;
    }
    news.moved(message, DeliveryStatus.PLANNED, code);
    return true;
  }

  private void unknown(
      OutboundMessage message, DeliveryStatus was, int attempts, String reason, Duration pause) {
    var now = systemClock.instant();
    if (rows.unknown(message.id(), was, attempts, reason, now.plus(pause), now) > 0) {
      news.moved(message, DeliveryStatus.UNKNOWN, null);
    }
  }

  /**
   * Records that the provider accepted the message; returns whether the provider's id belongs to
   * one of our messages now, as it may have before.
   */
  private boolean accept(OutboundMessage message, int attempts, String providerId) {
    var now = systemClock.instant();
    var askAt = now.plus(StaleDeliveries.ASKED_AFTER);
    if (rows.accepted(message.id(), attempts, providerId, now, askAt) == 0
        && rows.foundAfterAll(message.id(), providerId, askAt) == 0) {
      return rows.sentAs(providerId).isPresent();
    }
    if (message.template() != null) {
      rows.insertTemplate(message.template().id());
      rows.wentOutAs(message.id(), message.template().id());
    }
    charges.message(message.id(), message.channel());
    news.accepted(message);
    reports.join(providerId);
    return true;
  }

  /** Records a message that was sent although its row says that it was not, or was sent before. */
  private void stray(Job.Send send, String providerId) {
    var message = send.message();
    var id = Ids.ordered("dlv");
    var now = systemClock.instant();
    if (rows.insertStray(
            id,
            message.id(),
            providerId,
            STRAY,
            send.taken(),
            now,
            now.plus(StaleDeliveries.ASKED_AFTER))
        == 0) {
      return;
    }
    rows.stray(id, message.participantId(), message.id(), now);
    charges.message(id, message.channel());
    log.error(
        "The provider accepted delivery {} as {} after another worker had taken it over: it was sent a"
            + " second time, or after it was withdrawn; it is recorded as {}",
        message.id(),
        providerId,
        id);
    news.moved(message.participantId(), id, message.channel(), DeliveryStatus.ACCEPTED, null);
    reports.join(providerId);
  }

  /**
   * Ends a message whose outcome stays unknown, so that later ones are sent; the provider is still
   * asked from time to time.
   */
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
            now.plus(StaleDeliveries.ASKED_AFTER))
        > 0) {
      news.lost(message, reason);
    }
  }

  /** Ends a message that the provider refused in this attempt. */
  private void end(Job.Send send, Trouble trouble) {
    if (endSent(send, trouble)) {
      news.refused(send.row(), send.message(), trouble.words());
    }
  }

  private boolean endSent(Job.Send send, Trouble trouble) {
    return refusals.end(send.message(), DeliveryStatus.SENDING, send.attempts(), trouble);
  }
}
