package org.habitline.conversation;

import com.fasterxml.jackson.core.type.TypeReference;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcTurns;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.messaging.Lease;
import org.habitline.messaging.Leases;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.Inbox.Gathered;
import org.habitline.messaging.inbox.Input;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Timers;

/**
 * The beginning of a turn: takes a participant's input under a lease and pins what the turn sees,
 * takes up a turn that was left half done, or gives one back.
 */
@Singleton
final class TurnClaim {

  private static final TypeReference<Claim.Pinned> PINNED = new TypeReference<>() {};

  private final Leases leases;
  private final Inbox inbox;
  private final Participants participants;
  private final OccurrenceReader occurrences;
  private final Timers timers;
  private final FlowCatalog flows;
  private final PromptTexts promptTexts;
  private final Events events;
  private final JdbcTurns turns;
  private final Transactions transactions;
  private final TurnPace pace;
  private final Clock clock;

  TurnClaim(
      Leases leases,
      Inbox inbox,
      Participants participants,
      OccurrenceReader occurrences,
      Timers timers,
      FlowCatalog flows,
      PromptTexts promptTexts,
      Events events,
      JdbcTurns turns,
      Transactions transactions,
      TurnPace pace,
      Clock clock) {
    this.leases = leases;
    this.inbox = inbox;
    this.participants = participants;
    this.occurrences = occurrences;
    this.timers = timers;
    this.flows = flows;
    this.promptTexts = promptTexts;
    this.events = events;
    this.turns = turns;
    this.transactions = transactions;
    this.pace = pace;
    this.clock = clock;
  }

  /** What a try to take a participant's input came to. */
  sealed interface Taken {
    record Claimed(Claim claim) implements Taken {}

    record Gathering(Duration pause) implements Taken {}

    record Nothing() implements Taken {}

    /** The participant is leaving: what came for them meanwhile is closed. */
    record Closed() implements Taken {}
  }

  /**
   * Takes what waits for a participant under a lease, or takes up a turn that was left half done.
   */
  Taken take(String participantId) {
    return transactions.write(() -> {
      var taken = look(participantId);
      if (taken instanceof Taken.Nothing || taken instanceof Taken.Gathering) {
        transactions.rollBack();
      }
      return taken;
    });
  }

  /** The lease is seen first and taken last: what is read between, nobody else has changed then. */
  private Taken look(String participantId) {
    var rows = turns.situation(participantId, pace.turns());
    if (rows.isEmpty()) {
      return new Taken.Nothing();
    }
    var situation = Situation.of(participantId, rows);
    if (!leases.free(situation.lease())) {
      return new Taken.Nothing();
    }
    if (situation.row().running() != null) {
      return resumed(situation);
    }
    return switch (inbox.gather(participantId)) {
      case Gathered.Nothing nothing -> new Taken.Nothing();
      case Gathered.Gathering gathering -> new Taken.Gathering(gathering.pause());
      case Gathered.Ready ready -> inTime(situation, ready.inputs());
    };
  }

  /** Somebody who texts very often is answered a little later. */
  private Taken inTime(Situation situation, List<Input> inputs) {
    var pause = pace.pause(situation.row().pacedBy(), inputs);
    return pause.isPositive() ? new Taken.Gathering(pause) : begun(situation, inputs);
  }

  /**
   * Where a conversation stands before its next turn.
   *
   * @param data state data by key
   */
  private record Situation(Leases.Seen lease, JdbcTurns.Situation row, Map<String, String> data) {

    static Situation of(String participantId, List<JdbcTurns.Situation> rows) {
      var row = rows.getFirst();
      var data = new LinkedHashMap<String, String>();
      for (var datum : rows) {
        if (datum.dataKey() != null && datum.dataValue() != null) {
          data.put(datum.dataKey(), datum.dataValue());
        }
      }
      return new Situation(
          new Leases.Seen(
              participantId, row.leaseOwner(), row.leaseToken(), row.heldUntil(), row.handedOver()),
          row,
          data);
    }
  }

  /** What a turn is made of, read before it is anybody's. */
  private record Read(Participant participant, List<Input> inputs, Claim.State state) {}

  /** The participant is read after the texts, so that what a STOP among them did is seen. */
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
    var flow = flows.flow(participant.flow());
    var module = flow.map(f -> subState(f, data)).orElse("");
    var pins =
        flow.flatMap(f -> f.module(module).map(m -> pin(f, m))).orElse(PromptTexts.Pins.NONE);
    var pinned =
        new Claim.Pinned(
            inputs.stream().map(Input::seq).toList(),
            clock.instant().toString(),
            module,
            pins.files(),
            data.getOrDefault(StateKeys.CONVERSATION_STATE, ""));
    var claim = new Claim(lease, participant, number, 1, false, inputs, pinned, pins, state);
    turns.begin(
        participant.id(),
        number,
        claim.kind(),
        module,
        TurnJson.write(pinned),
        pins.renderedJson(),
        clock.instant(),
        pace.begins(inputs));
    events.emit("turn.started", participant.id(), Map.of("turn", number));
    return claim;
  }

  /** A prompt that cannot be used is found again, and told, when the context is built. */
  private PromptTexts.Pins pin(Flow flow, FlowModule module) {
    try {
      return promptTexts.pin(flow, module);
    } catch (BrokenFlow e) {
      return PromptTexts.Pins.NONE;
    }
  }

  /**
   * The stored sub-state, or the initial one if there is none or the flow has no such module any
   * more.
   */
  private static String subState(Flow flow, Map<String, String> data) {
    var stored = data.getOrDefault(StateKeys.CONVERSATION_STATE, "");
    return flow.module(stored).isPresent() ? stored : flow.initialState();
  }

  private Taken resumed(Situation situation) {
    var pinned = TurnJson.read(Objects.requireNonNull(situation.row().pinned()), PINNED);
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
        lease,
        read.participant(),
        number,
        tries,
        true,
        read.inputs(),
        pinned,
        PromptTexts.Pins.of(pinned, row.rendered()),
        read.state());
  }

  private Claim.State state(Participant participant, Situation situation, List<Input> inputs) {
    var row = situation.row();
    return new Claim.State(
        situation.data(),
        new Claim.Counters(row.successCount(), row.totalPrompts(), row.feedbackState()),
        occurrences.standing(participant),
        inputs.getFirst() instanceof Input.Woke woke
            ? timers.find(woke.wakeupId()).orElse(null)
            : null,
        new Claim.Staff(row.mutedUntil(), row.mutedBy(), row.debugUntil()),
        events.isWatched(row.watchedUntil()));
  }

  /**
   * Gives a turn back after something went wrong; it will be resumed.
   *
   * @param handedOver whether it was not the turn's fault: it is not counted as a crash then
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
