package org.habitline.conversation.flags;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.conversation.flags.JdbcFlags.Flag;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.habitline.tools.FlagKind;

/**
 * Keeps what the coach flags for staff to see today, until a staff member closes it. A flag of a
 * kind that is open already is only counted, once for each turn.
 */
@Singleton
public final class Flags implements ParticipantListener {

  /** The type of the event when a flag was raised or closed. */
  public static final String CHANGED = "flag.changed";

  private final JdbcFlags rows;
  private final AuditLog audit;
  private final Events events;
  private final Transactions transactions;
  private final Clock clock;

  Flags(JdbcFlags rows, AuditLog audit, Events events, Transactions transactions, Clock clock) {
    this.rows = rows;
    this.audit = audit;
    this.events = events;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Raises a flag in the transaction of a turn, which has locked the participant. */
  public void raise(String participantId, int turn, FlagKind kind) {
    var now = clock.instant();
    if (rows.again(participantId, kind, turn, now) > 0) {
      return;
    }
    var id = Ids.next("flg");
    var _ =
        rows.save(
            new Flag(
                id,
                participantId,
                kind,
                FlagStatus.OPEN,
                turn,
                now,
                turn,
                now,
                1,
                null,
                null,
                null));
    audit.record(
        AuditEntry.of("coach", "system", AuditAction.FLAG_RAISED)
            .to(participantId)
            .about(id)
            .changed(null, kind.word()));
    changed(participantId, id);
  }

  /**
   * Closes a flag, in a transaction of its own or the running one; returns whether it was open.
   *
   * @param note what was done, at most 2,000 characters
   */
  public boolean close(Flag flag, String note, String by) {
    return transactions.write(() -> {
      if (rows.close(flag.id(), clock.instant(), by, note) == 0) {
        return false;
      }
      changed(flag.participantId(), flag.id());
      return true;
    });
  }

  private void changed(String participantId, String id) {
    events.emit(CHANGED, participantId, Map.of("flag_id", id));
  }

  /** Returns the flag, or empty if there is none with this id. */
  public Optional<Flag> find(String id) {
    return transactions.read(() -> rows.find(id));
  }

  /** Returns open flags, the longest open first, or closed ones, the newest first. */
  public List<Flag> list(FlagStatus status, int most) {
    return transactions.read(() -> status == FlagStatus.OPEN ? rows.open(most) : rows.closed(most));
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
