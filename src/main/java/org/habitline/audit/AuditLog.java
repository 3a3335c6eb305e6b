package org.habitline.audit;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import org.habitline.participants.ParticipantListener;

/**
 * Who did what. An entry is written in the transaction of what it tells of (or one of its own), so
 * there is no act without an entry. When a participant is erased the entries stay without their
 * values and reasons, and the erasure itself is the last of them.
 */
@Singleton
public final class AuditLog implements ParticipantListener {

  private final JdbcAudit rows;
  private final JdbcEvents events;
  private final TransactionOperations<Connection> transactions;
  private final Clock systemClock;

  AuditLog(
      JdbcAudit rows,
      JdbcEvents events,
      TransactionOperations<Connection> transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.events = events;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  public void record(AuditEntry entry) {
    transactions.executeWrite(status -> {
      rows.insert(
          systemClock.instant(),
          entry.actor(),
          entry.role(),
          entry.action(),
          entry.participantId(),
          entry.subject(),
          entry.oldValue(),
          entry.newValue(),
          entry.reason());
      return true;
    });
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.redact(participantId);
    events.erase(participantId);
    events.eraseWatched(participantId);
    record(AuditEntry.of("habitline", "system", "participant erased").to(participantId));
  }
}
