package org.habitline.staff.today;

import jakarta.inject.Singleton;
import java.util.Map;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Stops and resumes all sending for the page and the REST API, and writes each change to the audit
 * log.
 */
@Singleton
final class SendingDesk {

  private static final String CHANGED = "sending.changed";

  private final SendingStop sending;
  private final AuditLog audit;
  private final Events events;
  private final Transactions transactions;

  SendingDesk(SendingStop sending, AuditLog audit, Events events, Transactions transactions) {
    this.sending = sending;
    this.audit = audit;
    this.events = events;
    this.transactions = transactions;
  }

  /**
   * Stops all sending of the study.
   *
   * @throws ApiProblem 400 without a reason, 409 if it is stopped already
   */
  void stop(Actor actor, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    if (why == null) {
      throw ApiProblem.bad(
          "reason: missing; write why sending stops, so that everyone who sees the stop knows.");
    }
    transactions.write(() -> {
      if (!sending.stop(actor.name(), why)) {
        throw ApiProblem.conflict("Sending is already stopped; an admin can resume it.");
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.SENDING_STOPPED)
              .changed("sending", "stopped")
              .because(why));
      events.emit(CHANGED, null, Map.of("stopped", true));
    });
  }

  /**
   * Resumes sending.
   *
   * @param reason why, or blank
   * @throws ApiProblem 409 if sending is not stopped
   */
  void resume(Actor actor, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    transactions.write(() -> {
      var stopped = sending.resume();
      if (stopped.isEmpty()) {
        throw ApiProblem.conflict("Sending is not stopped.");
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.SENDING_RESUMED)
              .changed("stopped by " + stopped.get().by() + " at " + stopped.get().at(), "sending")
              .because(why));
      events.emit(CHANGED, null, Map.of("stopped", false));
    });
  }
}
