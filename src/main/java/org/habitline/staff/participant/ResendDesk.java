package org.habitline.staff.participant;

import jakarta.inject.Singleton;
import java.time.Clock;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.messaging.outbox.Resends;
import org.habitline.messaging.outbox.Resends.Resent;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Times;
import org.habitline.storage.Transactions;

/** Sends a message again that did not arrive, for the pages and the REST API. */
@Singleton
public final class ResendDesk {

  private final EnrolmentDesk desk;
  private final Resends resends;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock clock;

  ResendDesk(
      EnrolmentDesk desk, Resends resends, AuditLog audit, Transactions transactions, Clock clock) {
    this.desk = desk;
    this.resends = resends;
    this.audit = audit;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Plans a message again, with its audit entry. Returns whether it did: if the message was sent
   * again before, nothing is changed.
   *
   * @param evenIfArrived whether it is sent also if it is not known whether it arrived
   * @throws ApiProblem 404 if there is no such participant or delivery, 409 if the delivery is not
   *     one to send again, or nothing may be sent to the participant now
   */
  public boolean resend(Actor actor, String id, String delivery, boolean evenIfArrived) {
    if (delivery.indexOf('\0') >= 0) {
      throw refused(Resends.Never.NO_DELIVERY);
    }
    return transactions.write(() -> {
      var participant = desk.held(id);
      return switch (resends.resend(participant, delivery, evenIfArrived)) {
        case Resent.Planned(var again, var mayArriveTwice) -> {
          audit.record(
              AuditEntry.of(
                      actor.name(),
                      actor.role(),
                      mayArriveTwice
                          ? AuditAction.MESSAGE_SENT_AGAIN_THOUGH_IT_MAY_HAVE_ARRIVED
                          : AuditAction.MESSAGE_SENT_AGAIN)
                  .to(id)
                  .about(delivery)
                  .changed(null, again));
          yield true;
        }
        case Resent.Already already -> false;
        case Resent.MayHaveArrived mayHave ->
            throw ApiProblem.conflict(
                "The provider did not report whether this message arrived. To send it anyway, set even_if_arrived=true.");
        case Resent.Refused(var why) -> throw refused(why);
        case Resent.NotNow(var reason) -> {
          TakeoverDesk.refuseSilent(participant);
          throw ApiProblem.conflict("The message cannot be sent now: " + reason + ".");
        }
        case Resent.OutsideHours(var left) ->
            throw ApiProblem.conflict(
                "The message cannot be sent now: it is outside the participant's allowed hours."
                    + " Try again from %s (participant's time)."
                        .formatted(Times.minutes(clock.instant().plus(left), participant.zone())));
      };
    });
  }

  private static ApiProblem refused(Resends.Never why) {
    return switch (why) {
      case NO_DELIVERY -> ApiProblem.notFound("The participant has no delivery with this id.");
      case NOT_FAILED ->
          ApiProblem.conflict("This message did not fail: it is on its way or was delivered.");
      case LOOKED_UP ->
          ApiProblem.conflict(
              "Habitline is asking the provider whether this message was sent. Try again in ten"
                  + " minutes.");
      case NOT_TRIED ->
          ApiProblem.conflict(
              "Habitline did not try to send this message, because it was no longer needed or its time had passed. Write a new message.");
      case OF_ANOTHER_KIND ->
          ApiProblem.conflict(
              "Only replies and messages written by staff can be sent again. Write a new"
                  + " message.");
      case BAD_NUMBER ->
          ApiProblem.conflict(
              "The provider reports that this number cannot be reached. Correct it, then write a new"
                  + " message.");
      case DUPLICATE ->
          ApiProblem.conflict(
              "This is an extra delivery of a message that was sent more than once. It cannot be sent again.");
      case CLEARED ->
          ApiProblem.conflict("The text of this message was deleted. Write a new message.");
    };
  }
}
