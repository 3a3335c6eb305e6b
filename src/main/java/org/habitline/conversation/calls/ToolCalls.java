package org.habitline.conversation.calls;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.AuditTally;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.RecordWriter;
import org.habitline.conversation.stored.Situation;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.stored.WorkingCopies;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;
import org.habitline.messaging.ConsentGate;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.habitline.timers.OccurrenceReader;
import org.habitline.tools.Effect;
import org.habitline.tools.ToolCatalog;
import org.habitline.tools.ToolOutcome;
import org.habitline.tools.ToolRun;
import org.habitline.tools.UnreadableProfile;

/**
 * Runs a participant's tools outside turns. A call and the participant's turns run one after the
 * other ({@link BetweenTurns}): it reads, runs the tool and writes its changes with the audit entry
 * in one transaction. That is possible because tools that may be called outside a turn ask no model
 * and no server.
 */
@Singleton
public final class ToolCalls {

  private final Participants participants;
  private final ConsentGate consents;
  private final JdbcStates states;
  private final BetweenTurns between;
  private final FlowCatalog flows;
  private final OccurrenceReader occurrences;
  private final WorkingCopies copies;
  private final ToolCatalog tools;
  private final RecordWriter records;
  private final Events events;
  private final AuditLog audit;
  private final AuditTally tally;
  private final Transactions transactions;
  private final Clock clock;

  ToolCalls(
      Participants participants,
      ConsentGate consents,
      JdbcStates states,
      BetweenTurns between,
      FlowCatalog flows,
      OccurrenceReader occurrences,
      WorkingCopies copies,
      ToolCatalog tools,
      RecordWriter records,
      Events events,
      AuditLog audit,
      AuditTally tally,
      Transactions transactions,
      Clock clock) {
    this.participants = participants;
    this.consents = consents;
    this.states = states;
    this.between = between;
    this.flows = flows;
    this.occurrences = occurrences;
    this.copies = copies;
    this.tools = tools;
    this.records = records;
    this.events = events;
    this.audit = audit;
    this.tally = tally;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Who calls, for the audit log. */
  public record Caller(String name, String role) {}

  /** The result of a call. */
  public sealed interface Called {

    /** The tool ran; its changes are committed. */
    record Done(ToolOutcome outcome) implements Called {}

    /** A turn did not end in time; nothing was changed. */
    record Busy() implements Called {}

    /** The participant is paused, completed or withdrawn; nothing was changed. */
    record NotActive(ParticipantStatus status) implements Called {}

    /** The participant has not consented; nothing was read or changed. */
    record NoConsent() implements Called {}

    /** The participant is being erased, or was; nothing was changed. */
    record Gone() implements Called {}
  }

  /**
   * Returns the tools that the participant's present module has and that may be called outside a
   * turn, in the order of the flow.
   */
  public List<ToolSpec> offered(Participant participant) {
    var stored =
        transactions.read(() -> states.datum(participant.id(), StateKeys.CONVERSATION_STATE));
    var data = stored.map(module -> Map.of(StateKeys.CONVERSATION_STATE, module)).orElse(Map.of());
    return flows
        .flow(participant.flow())
        .flatMap(flow ->
            flow.module(Situation.module(flow, data))
                .map(module -> tools.offeredOutsideTurns(flow, module)))
        .orElse(List.of());
  }

  /**
   * Runs one call and commits what it changes. Waits at most 5 seconds for a turn that is running
   * or waits to be resumed. A tool that the participant's module does not have gives an error
   * outcome, as do arguments that are not accepted.
   */
  public Called call(Caller by, String participantId, ToolCall call) {
    var called = ran(by, participantId, call);
    if (called instanceof Called.Done done && done.outcome().effects().isEmpty()) {
      tally.count(entry(by, participantId, call.name()));
    }
    return called;
  }

  private Called ran(Caller by, String participantId, ToolCall call) {
    try {
      return switch (between.run(participantId, situation -> called(by, situation, call))) {
        case BetweenTurns.Ran.Done(var called) -> called;
        case BetweenTurns.Ran.Busy() -> new Called.Busy();
        case BetweenTurns.Ran.Gone() -> new Called.Gone();
      };
    } catch (UnreadableProfile e) {
      return new Called.Done(
          ToolOutcome.error("What is stored about the participant cannot be read."));
    }
  }

  private Called called(Caller by, Situation situation, ToolCall call) {
    var participantId = situation.lease().participantId();
    var participant = participants.find(participantId).orElseThrow();
    if (participant.status() != ParticipantStatus.ACTIVE) {
      return new Called.NotActive(participant.status());
    }
    if (consents.isMissing(participant)) {
      return new Called.NoConsent();
    }
    var outcome = run(participant, situation, call);
    var changes = changes(outcome, call);
    if (!changes.isEmpty()) {
      records.apply(participantId, changes);
      audit.record(entry(by, participantId, call.name()).changed(null, named(changes)));
      events.emit("participant.changed", participantId, Map.of("what", "tool_called"));
    }
    return new Called.Done(outcome);
  }

  private ToolOutcome run(Participant participant, Situation situation, ToolCall call) {
    var flow = flows.flow(participant.flow());
    var module = flow.flatMap(it -> it.module(Situation.module(it, situation.data())));
    if (flow.isEmpty() || module.isEmpty()) {
      return ToolOutcome.error("The participant's flow no longer exists.");
    }
    var names =
        tools.offeredOutsideTurns(flow.get(), module.get()).stream().map(ToolSpec::name).toList();
    if (!names.contains(call.name())) {
      return ToolCatalog.notOffered(names);
    }
    var now = clock.instant();
    var state = situation.state(occurrences.standing(participant), null, false);
    return tools.call(
        new ToolRun(
            participant,
            flow.get(),
            module.get().id(),
            copies.of(participant, module.get().id(), state, now),
            now,
            flows,
            (request, prompt) -> {
              throw new IllegalStateException("a tool asked a model outside a turn");
            }),
        module.get(),
        call);
  }

  private static List<Effect.RecordChange> changes(ToolOutcome outcome, ToolCall call) {
    var changes = new ArrayList<Effect.RecordChange>();
    for (var effect : outcome.effects()) {
      if (!(effect instanceof Effect.RecordChange change)) {
        throw new IllegalStateException(
            "%s changed more than records outside a turn".formatted(call.name()));
      }
      changes.add(change);
    }
    return changes;
  }

  private static AuditEntry entry(Caller by, String participantId, String tool) {
    return AuditEntry.of(by.name(), by.role(), AuditAction.TOOL_CALLED)
        .to(participantId)
        .about(tool);
  }

  /** Returns which records changed, without what they hold. */
  private static String named(List<Effect.RecordChange> changes) {
    return changes.stream()
        .map(change ->
            switch (change) {
                  case Effect.PutRecord put -> "stored ";
                  case Effect.DeleteRecord delete -> "deleted ";
                }
                + change.key().kind()
                + " "
                + change.key().id())
        .collect(Collectors.joining(", "));
  }
}
