package org.habitline.staff.today;

import jakarta.inject.Singleton;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.takeover.Retries;
import org.habitline.staff.participant.TakeoverDesk;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;

/** Lets the coach reply to a text whose turn failed, for the page and the REST API. */
@Singleton
final class RetryDesk {

  private final EnrolmentDesk desk;
  private final Retries retries;
  private final AuditLog audit;
  private final Transactions transactions;

  RetryDesk(EnrolmentDesk desk, Retries retries, AuditLog audit, Transactions transactions) {
    this.desk = desk;
    this.retries = retries;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * Plans a reply to the text of a failed turn. Asking twice plans it once.
   *
   * @throws ApiProblem 404 if there is no such participant or turn, 409 if the turn did not fail,
   *     the text has a reply by now, or the coach may not write to the participant
   */
  void retry(Actor actor, String id, int number) {
    transactions.write(() -> {
      var participant = desk.held(id);
      TakeoverDesk.refuseSilent(participant);
      switch (retries.retry(participant, number)) {
        case PLANNED ->
            audit.record(
                AuditEntry.of(actor.name(), actor.role(), AuditAction.REPLY_RETRIED)
                    .to(id)
                    .about("turn " + number));
        case ALREADY -> {}
        case NO_TURN -> throw ApiProblem.notFound("The participant has no turn with this number.");
        case NOT_FAILED -> throw ApiProblem.conflict("This turn did not fail.");
        case ANSWERED ->
            throw ApiProblem.conflict(
                "The participant has got a reply since; a second one is not sent.");
        case NO_TEXT ->
            throw ApiProblem.conflict("No text of the participant waits for a reply of the coach.");
        case NEWER_TEXT ->
            throw ApiProblem.conflict(
                "The participant has sent a newer text; the coach is replying to it.");
        case TAKEN_OVER ->
            throw ApiProblem.conflict(
                "Staff have taken over this conversation. Reply on the participant's page, or hand"
                    + " back; the coach then replies to texts that have no reply.");
        case PAUSED ->
            throw ApiProblem.conflict(
                "Coaching is paused for a safety incident until staff release it.");
      }
    });
  }
}
