package org.habitline.study;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.stored.CallRecord;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.protocol.RetentionPlan;
import org.habitline.protocol.RetentionPlan.Kind;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes data whose retention is over, each kind once a day and in batches. A cleared message
 * keeps its row with an empty text and the time of its clearing, and a cleared model call its
 * model, tokens, times and the names of the tools that it called, so that counts stay. The words of
 * a delivery that is still open go once it is closed. A run that is interrupted begins again where
 * the last finished one ended.
 */
@Singleton
public final class Retention {

  private static final Logger log = LoggerFactory.getLogger(Retention.class);

  /** A little less than a day, because the attempts are an hour apart. */
  private static final Duration ONCE = Duration.ofHours(23);

  private final RetentionPlan plan;
  private final JdbcRetention rows;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;

  Retention(
      StudyFile study,
      JdbcRetention rows,
      AuditLog audit,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.plan = study.retention();
    this.rows = rows;
    this.audit = audit;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /** Removes data of one kind. */
  public interface Removal {

    /**
     * Removes what is older than an instant, and returns how many rows or files those were. What is
     * older than {@code since} was removed before.
     */
    long remove(Instant since, Instant before);
  }

  /** Returns how long data is kept. */
  public RetentionPlan plan() {
    return plan;
  }

  /**
   * The last time data of a kind was looked at.
   *
   * @param at system time
   * @param changed how many rows or files were removed or cleared then
   */
  public record Ran(Kind kind, Instant at, long changed) {}

  /** Returns when data of each kind was last looked at. */
  public List<Ran> runs() {
    return transactions.read(() -> rows.runs()).stream()
        .map(run -> new Ran(run.kind(), run.ranAt(), run.changed()))
        .toList();
  }

  /** Removes the words of conversations and unmatched texts, and entries of the audit log. */
  public void apply() {
    once(Kind.TRANSCRIPTS, clock, this::clearTranscripts);
    once(Kind.UNCLAIMED_TEXTS, systemClock, (since, before) -> clearUnclaimed(before));
    once(Kind.AUDIT, systemClock, (since, before) -> deleteAudit(before));
  }

  /** Removes data of a kind that lies elsewhere, if its day has come; its times are system time. */
  public void once(Kind kind, Removal removal) {
    once(kind, systemClock, removal);
  }

  private void once(Kind kind, Clock its, Removal removal) {
    var days = plan.daysOf(kind);
    if (days.isEmpty()) {
      return;
    }
    var last =
        transactions.read(() -> rows.runs()).stream().filter(it -> it.kind() == kind).findFirst();
    var now = systemClock.instant();
    if (last.filter(it -> it.ranAt().plus(ONCE).isAfter(now)).isPresent()) {
      return;
    }
    var since = last.map(JdbcRetention.Run::clearedBefore).orElse(Instant.EPOCH);
    var before = its.instant().minus(Duration.ofDays(days.get()));
    var changed = before.isAfter(since) ? removal.remove(since, before) : 0;
    transactions.write(() -> ran(kind, before.isAfter(since) ? before : since, now, changed));
    if (changed > 0) {
      log.info(
          "{} of {} were older than {} days and are removed", changed, kind.word(), days.get());
    }
  }

  private void ran(Kind kind, Instant before, Instant now, long changed) {
    if (rows.ran(kind, before, now, changed) == 0) {
      var _ = rows.first(kind, before, now, changed);
    }
    if (changed > 0) {
      audit.record(
          AuditEntry.of("habitline", "system", AuditAction.RETENTION_APPLIED)
              .about(kind.word())
              .changed(null, String.valueOf(changed)));
    }
  }

  private long clearTranscripts(Instant since, Instant before) {
    var messages = new long[1];
    InBatches.of(transactions)
        .change(most -> {
          var old = rows.messages(since, before, most);
          if (!old.isEmpty()) {
            messages[0] += clear(old);
          }
          return old.size();
        });
    InBatches.of(transactions)
        .change(most -> {
          var old = rows.calls(since, before, most);
          var now = clock.instant();
          old.stream()
              .map(call -> new Turn(call.participantId(), call.turn()))
              .distinct()
              .forEach(turn -> {
                clearWithoutMessage(turn);
                clearTools(turn);
                rows.clearCalls(turn.participantId(), turn.number(), now);
              });
          return old.size();
        });
    InBatches.of(transactions)
        .change(most -> {
          var closed = rows.closedToClear(most);
          if (!closed.isEmpty()) {
            rows.clearPhones(closed);
            rows.clearClosed(closed);
          }
          return closed.size();
        });
    InBatches.of(transactions)
        .change(most -> {
          var old = rows.responses(before, most);
          if (!old.isEmpty()) {
            rows.clearResponses(old);
          }
          return old.size();
        });
    return messages[0];
  }

  private record Turn(String participantId, int number) {}

  private int clear(List<JdbcRetention.Said> old) {
    var ids = old.stream().map(JdbcRetention.Said::id).toList();
    var deliveries = rows.deliveries(ids);
    if (!deliveries.isEmpty()) {
      rows.clearPhones(deliveries);
    }
    rows.clearDeliveries(ids);
    rows.clearDeliveriesLater(ids);
    turns(old)
        .forEach(turn -> {
          rows.clearTexts(turn.participantId(), turn.number());
          clearWithoutMessage(turn);
        });
    return rows.clearMessages(ids, clock.instant());
  }

  private void clearWithoutMessage(Turn turn) {
    var deliveries = rows.withoutMessage(turn.participantId(), turn.number());
    if (!deliveries.isEmpty()) {
      rows.clearLater(deliveries);
    }
  }

  private void clearTools(Turn turn) {
    for (var call : rows.tools(turn.participantId(), turn.number())) {
      var left = TurnJson.calls(call.toolCalls()).stream().map(CallRecord::cleared).toList();
      rows.clearTools(
          turn.participantId(), turn.number(), call.number(), call.child(), TurnJson.calls(left));
    }
  }

  private static Stream<Turn> turns(List<JdbcRetention.Said> old) {
    return old.stream().map(it -> new Turn(it.participantId(), it.turn())).distinct();
  }

  private long clearUnclaimed(Instant before) {
    var cleared = new long[1];
    InBatches.of(transactions)
        .change(most -> {
          var old = rows.unclaimed(before, most);
          if (!old.isEmpty()) {
            cleared[0] += rows.clearUnclaimed(old);
          }
          return old.size();
        });
    return cleared[0];
  }

  private long deleteAudit(Instant before) {
    var deleted = new long[1];
    InBatches.of(transactions)
        .change(most -> {
          var old =
              rows.entries(most).stream()
                  .filter(entry -> entry.at().isBefore(before))
                  .map(JdbcRetention.Entry::seq)
                  .toList();
          if (!old.isEmpty()) {
            deleted[0] += rows.deleteEntries(old);
          }
          return old.size();
        });
    return deleted[0];
  }

  /** Returns how long data of a kind is kept, in words, or empty if the file does not say. */
  public Optional<String> says(Kind kind) {
    return plan.names(kind)
        ? Optional.of(plan.daysOf(kind).map(days -> days + " days").orElse("no limit"))
        : Optional.empty();
  }
}
