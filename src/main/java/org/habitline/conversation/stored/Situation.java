package org.habitline.conversation.stored;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.flows.Flow;
import org.habitline.messaging.Leases;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Wakeup;
import org.jspecify.annotations.Nullable;

/**
 * The state of a conversation before its next turn, read before the lease is taken.
 *
 * @param data state data by key
 */
public record Situation(Leases.Seen lease, JdbcTurns.Situation row, Map<String, String> data) {

  /** Puts the rows together; empty if there are none, because the participant is gone. */
  public static Optional<Situation> of(String participantId, List<JdbcTurns.Situation> rows) {
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    var row = rows.getFirst();
    var data = new LinkedHashMap<String, String>();
    for (var datum : rows) {
      if (datum.dataKey() != null && datum.dataValue() != null) {
        data.put(datum.dataKey(), datum.dataValue());
      }
    }
    var lease =
        new Leases.Seen(
            participantId, row.leaseOwner(), row.leaseToken(), row.heldUntil(), row.handedOver());
    return Optional.of(new Situation(lease, row, data));
  }

  /** Returns the same conversation under a lease that was read earlier. */
  public Situation under(Leases.Seen earlier) {
    return new Situation(earlier, row, data);
  }

  /**
   * Returns the stored module, or the initial one if none is stored or the flow no longer has it.
   */
  public static String module(Flow flow, Map<String, String> data) {
    var stored = data.getOrDefault(StateKeys.CONVERSATION_STATE, "");
    return flow.module(stored).isPresent() ? stored : flow.initialState();
  }

  /** Returns what a turn or a tool call sees of the conversation. */
  public Claim.State state(
      OccurrenceReader.Standing schedules, @Nullable Wakeup wakeup, boolean watched) {
    return new Claim.State(
        data,
        new Claim.Counters(row.successCount(), row.totalPrompts(), row.feedbackState()),
        schedules,
        wakeup,
        new Claim.Staff(row.mutedUntil(), row.mutedBy(), row.debugUntil(), row.incidentId()),
        watched);
  }
}
