package org.habitline.safety.incidents;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.protocol.IncidentRetention;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;

/**
 * Removes the words of released incidents once the study's retention is over, as an erasure would:
 * the notes of staff, and what the participant wrote and was sent in a crisis. What stays are ids,
 * times, kinds and outcomes, so that incidents can still be counted. Texts of a concern are part of
 * the conversation and stay.
 */
@Singleton
public final class IncidentWords {

  private final Optional<IncidentRetention> retention;
  private final JdbcIncidentWords rows;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock clock;

  IncidentWords(
      StudyFile study,
      JdbcIncidentWords rows,
      AuditLog audit,
      Transactions transactions,
      Clock clock) {
    this.retention = study.incidents();
    this.rows = rows;
    this.audit = audit;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Removes what is older than the retention; without one, nothing. */
  public void removeOld() {
    retention.ifPresent(kept -> {
      var before = clock.instant().minus(Duration.ofDays(kept.days()));
      InBatches.of(transactions)
          .change(most -> {
            var old = rows.releasedBefore(before, most);
            old.forEach(this::remove);
            return old.size();
          });
    });
  }

  private void remove(String incidentId) {
    if (rows.removed(incidentId, clock.instant()) == 0) {
      return;
    }
    if (rows.isCrisis(incidentId) > 0) {
      var _ = rows.removePosts(incidentId);
      var _ = rows.removeUnclaimed(incidentId);
      var _ = rows.removeTexts(incidentId);
      var _ = rows.removeFromPhones(incidentId);
      var _ = rows.removeDeliveries(incidentId);
      var _ = rows.removeMessages(incidentId);
    }
    var _ = rows.removeNotes(incidentId);
    audit.record(
        AuditEntry.of("habitline", "system", AuditAction.WORDS_OF_INCIDENT_REMOVED)
            .about(incidentId));
  }
}
