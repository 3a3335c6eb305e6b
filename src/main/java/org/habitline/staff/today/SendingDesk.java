package org.habitline.staff.today;

import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.messaging.Restored;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.habitline.timers.Timers;
import org.jspecify.annotations.Nullable;

/**
 * Stops and resumes all sending, and decides about what waits in a restored backup, for the page
 * and the REST API; writes each change to the audit log.
 */
@Singleton
final class SendingDesk {

  private static final String CHANGED = "sending.changed";

  private final SendingStop sending;
  private final Restored restored;
  private final Inbox inbox;
  private final Outbox outbox;
  private final Timers timers;
  private final AuditLog audit;
  private final Events events;
  private final Transactions transactions;

  SendingDesk(
      SendingStop sending,
      Restored restored,
      Inbox inbox,
      Outbox outbox,
      Timers timers,
      AuditLog audit,
      Events events,
      Transactions transactions) {
    this.sending = sending;
    this.restored = restored;
    this.inbox = inbox;
    this.outbox = outbox;
    this.timers = timers;
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

  /** What waits in a restored backup about which nobody has decided, and when it was made. */
  record Backup(Instant madeAt, long texts, long messages, long wakeups) {}

  /** Returns what waits in a restored backup, or empty if there is none to decide about. */
  Optional<Backup> backup() {
    return restored
        .waits()
        .map(madeAt ->
            transactions.read(() ->
                new Backup(
                    madeAt,
                    inbox.waiting().stream()
                        .filter(queue -> queue.what() == InputKind.SAID)
                        .mapToLong(Waiting::count)
                        .sum(),
                    outbox.waiting().stream().mapToLong(Waiting::count).sum(),
                    timers.late().count())));
  }

  /**
   * Decides about what waits in a restored backup.
   *
   * @param what {@code skip} or {@code send}
   * @throws ApiProblem 400 for anything else, 409 if there is nothing to decide
   */
  void decide(Actor actor, @Nullable String what) {
    if (what == null || !Set.of("skip", "send").contains(what)) {
      throw ApiProblem.bad(
          "what_waits: expected skip, which closes it, or send, which answers and sends it.");
    }
    transactions.write(() -> {
      var before = backup();
      if (!restored.decide(what.equals("skip"))) {
        throw ApiProblem.conflict(
            "No restored backup waits for a decision; somebody may have decided just now.");
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.BACKUP_RESTORED)
              .changed(
                  before.map(it -> "backup of " + it.madeAt()).orElse(null),
                  what.equals("skip") ? "skipped" : "answered and sent"));
      events.emit(CHANGED, null, Map.of("restored", what));
    });
  }
}
