package org.habitline.audit;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Records who did what. An entry is written in the transaction of the action (or one of its own),
 * so that there is no action without an entry, also if it left everything as it was: who did it,
 * when and why is what the log is asked for. When a participant is erased, their entries lose their
 * values and reasons, and the erasure is recorded as the last one.
 */
@Singleton
public final class AuditLog implements ParticipantListener {

  private final JdbcAudit rows;
  private final JdbcEvents events;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;

  AuditLog(
      JdbcAudit rows,
      JdbcEvents events,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.events = events;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  public void record(AuditEntry entry) {
    transactions.write(() -> {
      rows.insert(
          systemClock.instant(),
          clock.instant(),
          entry.actor(),
          entry.role(),
          entry.action(),
          entry.participantId(),
          entry.subject(),
          entry.oldValue(),
          entry.newValue(),
          entry.reason());
    });
  }

  /**
   * Selects entries; a blank value does not restrict the selection.
   *
   * @param participantIds entries about one of these; empty for all
   * @param actor the whole name of a key or session
   * @param action the whole action, such as {@code participant enrolled}
   * @param from the first time, in system time
   * @param until the time before which the last one was
   */
  public record Filter(
      List<String> participantIds, String actor, String action, Instant from, Instant until) {

    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    /** Selects entries of any time. */
    public Filter(String participantId, String actor, String action) {
      this(
          participantId.isEmpty() ? List.of() : List.of(participantId),
          actor,
          action,
          Instant.EPOCH,
          LAST);
    }

    /** Returns these entries of a time; {@code null} does not restrict it. */
    public Filter within(@Nullable Instant first, @Nullable Instant end) {
      return new Filter(
          participantIds, actor, action, first == null ? from : first, end == null ? until : end);
    }
  }

  /** An entry as stored. */
  public record Written(long seq, Instant at, AuditEntry entry) {}

  /**
   * Returns entries before a place ({@link Long#MAX_VALUE} at first), newest first.
   *
   * @param most how many entries to return at most
   */
  public List<Written> entries(Filter filter, long before, int most) {
    var found = new ArrayList<Written>();
    for (var row :
        transactions.read(() ->
            rows.newest(
                filter.participantIds().isEmpty(),
                // The list of an IN must have an element.
                filter.participantIds().isEmpty() ? List.of("") : filter.participantIds(),
                filter.actor(),
                filter.action(),
                filter.from(),
                filter.until(),
                before,
                most))) {
      found.add(
          new Written(
              row.seq(),
              row.at(),
              new AuditEntry(
                  row.actor(),
                  row.role(),
                  row.action(),
                  row.participantId(),
                  row.subject(),
                  row.oldValue(),
                  row.newValue(),
                  row.reason())));
    }
    return List.copyOf(found);
  }

  /** Returns every action that was recorded so far, in alphabetical order. */
  public List<String> actions() {
    return transactions.read(() -> rows.actions());
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.redact(participantId);
    events.erase(participantId);
    events.eraseWatched(participantId);
    record(AuditEntry.of("habitline", "system", AuditAction.PARTICIPANT_ERASED).to(participantId));
  }
}
