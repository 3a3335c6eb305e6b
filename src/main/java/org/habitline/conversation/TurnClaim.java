package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import org.habitline.audit.Events;
import org.habitline.conversation.configuration.ConfigurationVersions;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcTurns;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.conversation.stored.Situation;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.flows.Prompt;
import org.habitline.messaging.Lease;
import org.habitline.messaging.Leases;
import org.habitline.messaging.Restored;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.Inbox.Gathered;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Timers;

/**
 * Begins turns: takes a participant's input under a lease and pins what the turn sees, resumes a
 * turn that was left unfinished, or gives one back.
 */
@Singleton
final class TurnClaim {

  private final Leases leases;
  private final Inbox inbox;
  private final Outbox outbox;
  private final Participants participants;
  private final OccurrenceReader occurrences;
  private final Timers timers;
  private final FlowCatalog flows;
  private final PromptTexts promptTexts;
  private final ConfigurationVersions configurations;
  private final Events events;
  private final JdbcTurns turns;
  private final Transactions transactions;
  private final TurnPace pace;
  private final Restored restored;
  private final Clock clock;

  TurnClaim(
      Leases leases,
      Inbox inbox,
      Outbox outbox,
      Participants participants,
      OccurrenceReader occurrences,
      Timers timers,
      FlowCatalog flows,
      PromptTexts promptTexts,
      ConfigurationVersions configurations,
      Events events,
      JdbcTurns turns,
      Transactions transactions,
      TurnPace pace,
      Restored restored,
      Clock clock) {
    this.leases = leases;
    this.inbox = inbox;
    this.outbox = outbox;
    this.participants = participants;
    this.occurrences = occurrences;
    this.timers = timers;
    this.flows = flows;
    this.promptTexts = promptTexts;
    this.configurations = configurations;
    this.events = events;
    this.turns = turns;
    this.transactions = transactions;
    this.pace = pace;
    this.restored = restored;
    this.clock = clock;
  }

  /** The result of trying to take a participant's input. */
  sealed interface Taken {
    record Claimed(Claim claim) implements Taken {}

    record Gathering(Duration pause) implements Taken {}

    record Nothing() implements Taken {}

    /** The participant is leaving; their waiting input was closed. */
    record Closed() implements Taken {}
  }

  /**
   * Takes a participant's waiting input under a lease, or resumes a turn that was left unfinished.
   */
  Taken take(String participantId) {
    if (restored.waits().isPresent() && !isToConfirm(participantId)) {
      return new Taken.Nothing();
    }
    return transactions.write(() -> {
      var taken = look(participantId);
      if (taken instanceof Taken.Nothing || taken instanceof Taken.Gathering) {
        transactions.rollBack();
      }
      return taken;
    });
  }

  /** Returns whether a STOP of the participant is in force and awaits its confirmation. */
  private boolean isToConfirm(String participantId) {
    return inbox.saysStop(participantId)
        && participants.find(participantId).filter(Participant::optedOut).isPresent();
  }

  /**
   * Reads the lease first and takes it last, so that no other node can have changed what is read in
   * between.
   */
  private Taken look(String participantId) {
    var found =
        Situation.of(participantId, turns.situation(participantId, pace.later(), pace.looked()));
    if (found.isEmpty() || !leases.free(found.get().lease())) {
      return new Taken.Nothing();
    }
    var situation = found.get();
    if (situation.row().running() != null) {
      if (restored.waits().isPresent()) {
        return new Taken.Nothing();
      }
      return resumed(situation);
    }
    return switch (inbox.gather(participantId)) {
      case Gathered.Nothing nothing -> new Taken.Nothing();
      case Gathered.Gathering gathering -> new Taken.Gathering(gathering.pause());
      case Gathered.Ready ready ->
          inTime(readAgainForTimer(situation, ready.inputs()), ready.inputs());
    };
  }

  /**
   * Reads the conversation again if a timer rang. A delivery changes it without the lease, so what
   * was read before the timer's input may be out of date.
   */
  private Situation readAgainForTimer(Situation read, List<Input> inputs) {
    var id = read.lease().participantId();
    return inputs.getFirst() instanceof Input.Woke
        ? Situation.of(id, turns.situation(id, pace.later(), pace.looked()))
            .orElse(read)
            .under(read.lease())
        : read;
  }

  /** Begins the turn, or delays it if the participant texts very often. */
  private Taken inTime(Situation situation, List<Input> inputs) {
    var pause = pace.pause(situation.row().pacedBy(), inputs);
    return pause.isPositive() ? new Taken.Gathering(pause) : begun(situation, inputs);
  }

  /** The data of a turn, read before its lease is taken. */
  private record Read(Participant participant, List<Input> inputs, Claim.State state) {}

  /** Reads the participant after the texts, so that the effect of a STOP among them is seen. */
  private Optional<Read> read(Situation situation, List<Input> inputs) {
    return participants
        .findWithContacts(situation.lease().participantId())
        .map(participant -> new Read(participant, inputs, state(participant, situation, inputs)));
  }

  private Taken begun(Situation situation, List<Input> inputs) {
    var read = read(situation, inputs);
    if (read.isEmpty()) {
      inbox.close(situation.lease().participantId());
      return new Taken.Closed();
    }
    return leases
        .take(situation.lease())
        .<Taken>map(
            lease -> new Taken.Claimed(begin(read.get(), situation.row().nextTurn(), lease)))
        .orElseGet(Taken.Nothing::new);
  }

  private Claim begin(Read read, int number, Lease lease) {
    var participant = read.participant();
    var inputs = read.inputs();
    var state = read.state();
    var data = state.data();
    var flow = flows.flow(participant.flow(), participant.language());
    var module = flow.map(f -> Situation.module(f, data)).orElse("");
    // Read first, so that an edit shows. The configuration then keeps the prompts of all flows in
    // one order on every node, before the turn keeps its own.
    var prompts =
        flow.flatMap(f -> f.module(module).map(m -> prompts(f, m)))
            .orElseGet(Collections::emptyNavigableMap);
    var configuration = configurations.current();
    var pins = prompts.isEmpty() ? PromptTexts.Pins.NONE : promptTexts.pin(prompts);
    var pinned =
        new Claim.Pinned(
            inputs.stream().map(Input::seq).toList(),
            clock.instant().toString(),
            module,
            pins,
            data.getOrDefault(StateKeys.CONVERSATION_STATE, ""));
    var claim = new Claim(lease, participant, number, 1, false, inputs, pinned, state);
    turns.begin(
        participant.id(),
        number,
        claim.kind(),
        module,
        TurnJson.write(pinned),
        configuration,
        clock.instant(),
        pace.begins(inputs));
    events.emit("turn.started", participant.id(), Map.of("turn", number));
    return claim;
  }

  /**
   * Returns the prompts to pin, or none if a prompt cannot be used; building the context reports
   * that.
   */
  private SequencedMap<String, Prompt> prompts(Flow flow, FlowModule module) {
    try {
      return promptTexts.inUse(flow, module);
    } catch (BrokenFlow e) {
      return Collections.emptyNavigableMap();
    }
  }

  private Taken resumed(Situation situation) {
    var pinned = Claim.Pinned.read(Objects.requireNonNull(situation.row().pinned()));
    var inputs = inbox.taken(situation.lease().participantId(), pinned.inbox());
    return read(situation, inputs)
        .flatMap(read ->
            leases
                .take(situation.lease())
                .<Taken>map(
                    lease -> new Taken.Claimed(resume(read, situation.row(), pinned, lease))))
        .orElseGet(Taken.Nothing::new);
  }

  private Claim resume(Read read, JdbcTurns.Situation row, Claim.Pinned pinned, Lease lease) {
    int number = Objects.requireNonNull(row.running());
    var tries = Objects.requireNonNull(row.attempts()) + (lease.handedOver() ? 0 : 1);
    turns.resume(read.participant().id(), number, tries);
    return new Claim(
        lease, read.participant(), number, tries, true, read.inputs(), pinned, read.state());
  }

  private Claim.State state(Participant participant, Situation situation, List<Input> inputs) {
    var standing = occurrences.standing(participant);
    return situation.state(
        inputs.getFirst() instanceof Input.Woke ? standing : readable(participant, standing),
        inputs.getFirst() instanceof Input.Woke woke
            ? timers.find(woke.wakeupId()).orElse(null)
            : null,
        events.isWatched(situation.row().watchedUntil()));
  }

  /** Leaves prompts out that wait in the outbox: what a participant says is not about them. */
  private OccurrenceReader.Standing readable(
      Participant participant, OccurrenceReader.Standing standing) {
    return standing.without(prompt ->
        prompt.status() == Occurrence.Status.PROMPTING
            && prompt.turn() != null
            && outbox.isPromptUnsent(participant.id(), prompt.turn()));
  }

  /**
   * Gives a turn back after a failure, so that it can be resumed.
   *
   * @param handedOver whether the turn itself was not at fault, so that no crash is counted
   */
  void giveBack(Claim claim, boolean handedOver) {
    transactions.write(() -> {
      if (handedOver) {
        leases.handOver(claim.lease());
      } else {
        leases.release(claim.lease());
      }
    });
  }
}
