package org.habitline.conversation;

import com.fasterxml.jackson.core.type.TypeReference;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.audit.Events;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.Inbox;
import org.habitline.messaging.Inbox.Gathered;
import org.habitline.messaging.Input;
import org.habitline.messaging.Lease;
import org.habitline.messaging.LeaseLost;
import org.habitline.messaging.Leases;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.Outbox;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.Participants;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.habitline.timers.Schedules;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.habitline.tools.Effect;
import org.habitline.tools.ProfileJson;
import org.jspecify.annotations.Nullable;

/**
 * The two ends of a turn in the database: the claim, which pins what the turn sees, and the one
 * transaction that commits everything it came to.
 */
@Singleton
final class Turns {

  private static final TypeReference<Claim.Pinned> PINNED = new TypeReference<>() {};

  private static final int LONGEST_REASON = 1000;

  /** What the coach says; the line itself and staff say the rest. */
  private static final Set<OutboundKind> OF_THE_COACH =
      Set.of(
          OutboundKind.REPLY,
          OutboundKind.PROMPT_NOW,
          OutboundKind.PROMPT,
          OutboundKind.INTENSITY,
          OutboundKind.REMINDER,
          OutboundKind.CHECK_IN);

  private static final String TAKEN =
      Claim.Staff.HELD + ": they took it over while it was answered";

  private static final List<WakeupKind> MOVES =
      List.of(WakeupKind.TRANSITION, WakeupKind.AUTO_FEEDBACK);

  private final Leases leases;
  private final Inbox inbox;
  private final Outbox outbox;
  private final OutboundTexts texts;
  private final DebugMessages debug;
  private final Participants participants;
  private final Schedules schedules;
  private final Timers timers;
  private final PromptLife prompts;
  private final Scripts scripts;
  private final FlowCatalog flows;
  private final PromptTexts promptTexts;
  private final ProfileJson profiles;
  private final Events events;
  private final List<TurnListener> listeners;
  private final JdbcTurns turns;
  private final JdbcStates states;
  private final JdbcTranscript transcript;
  private final Transactions transactions;
  private final TurnPace pace;
  private final Clock clock;

  Turns(
      Leases leases,
      Inbox inbox,
      Outbox outbox,
      OutboundTexts texts,
      DebugMessages debug,
      Participants participants,
      Schedules schedules,
      Timers timers,
      PromptLife prompts,
      Scripts scripts,
      FlowCatalog flows,
      PromptTexts promptTexts,
      ProfileJson profiles,
      Events events,
      List<TurnListener> listeners,
      JdbcTurns turns,
      JdbcStates states,
      JdbcTranscript transcript,
      Transactions transactions,
      TurnPace pace,
      Clock clock) {
    this.leases = leases;
    this.inbox = inbox;
    this.outbox = outbox;
    this.texts = texts;
    this.debug = debug;
    this.participants = participants;
    this.schedules = schedules;
    this.timers = timers;
    this.prompts = prompts;
    this.scripts = scripts;
    this.flows = flows;
    this.promptTexts = promptTexts;
    this.profiles = profiles;
    this.events = events;
    this.listeners = listeners;
    this.turns = turns;
    this.states = states;
    this.transcript = transcript;
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
        schedules.standing(participant),
        inputs.getFirst() instanceof Input.Woke woke
            ? timers.find(woke.wakeupId()).orElse(null)
            : null,
        new Claim.Staff(row.mutedUntil(), row.mutedBy(), row.debugUntil()),
        events.isWatched(row.watchedUntil()));
  }

  /**
   * Everything a turn came to.
   *
   * @param failure why the model failed, if it did
   * @param heldByStaff whether what was said is left to staff, who keep the coach silent
   * @param texts what goes out, in order
   * @param deed what the turn of a wake-up does besides
   * @param reply what the participant's texts mean by themselves
   */
  record Closing(
      Claim claim,
      Outcome outcome,
      @Nullable String reason,
      @Nullable ModelFailure failure,
      boolean heldByStaff,
      List<Effect> effects,
      List<Say> texts,
      Deed deed,
      QuickReply reply,
      Journal journal) {

    /** What a turn for texts or an enrolment came to. */
    static Closing of(
        Claim claim,
        Outcome outcome,
        @Nullable String reason,
        List<Effect> effects,
        List<Say> texts,
        QuickReply reply,
        Journal journal) {
      return new Closing(
          claim, outcome, reason, null, false, effects, texts, new Deed.Nothing(), reply, journal);
    }

    /** What the turn of a wake-up came to. */
    static Closing woke(
        Claim claim,
        Outcome outcome,
        @Nullable String reason,
        List<Effect> effects,
        List<Say> texts,
        Deed deed,
        Journal journal) {
      return new Closing(
          claim, outcome, reason, null, false, effects, texts, deed, QuickReply.none(), journal);
    }

    /** The same without the coach's words, which staff took the place of; the line's own stay. */
    private Closing takenOver() {
      var own = texts.stream().filter(it -> !OF_THE_COACH.contains(it.kind())).toList();
      return own.size() == texts.size()
          ? this
          : new Closing(
              claim,
              Outcome.TAKEN_OVER,
              TAKEN,
              failure,
              true,
              effects,
              own,
              withoutWords(),
              reply,
              journal);
    }

    /** What a wake-up does whose words are not said. */
    private Deed withoutWords() {
      return switch (deed) {
        case Deed.Prompted prompted -> new Deed.Missed(prompted.key(), TAKEN);
        case Deed.Reminded reminded -> new Deed.NotReminded(reminded.key());
        case Deed.CheckedIn asked -> new Deed.CheckedIn(Wakings.COMPLETED);
        case Deed.Scripted scripted ->
            new Deed.Scripted(scripted.errand(), Deed.Settled.cancelled(TAKEN));
        default -> deed;
      };
    }

    /** The same, and this besides. */
    Closing with(Deed more) {
      return new Closing(
          claim, outcome, reason, failure, heldByStaff, effects, texts, more, reply, journal);
    }

    /** The same of a turn whose model may have failed. */
    Closing because(@Nullable ModelFailure why) {
      return new Closing(
          claim, outcome, reason, why, heldByStaff, effects, texts, deed, reply, journal);
    }

    /** The same of what staff are to answer. */
    Closing leftToStaff() {
      return new Closing(
          claim, outcome, reason, failure, true, effects, texts, deed, reply, journal);
    }

    /** The same when it turns out that nobody wants it any more. */
    private Closing unwanted() {
      return new Closing(
          claim,
          Outcome.DROPPED,
          "it was taken back meanwhile",
          null,
          false,
          List.of(),
          List.of(),
          new Deed.Nothing(),
          reply,
          journal);
    }
  }

  /**
   * Commits a turn: transcript, state data, profile, outbox, inbox and the turn itself, or nothing.
   *
   * @throws LeaseLost if someone else may answer this participant now
   */
  void commit(Closing wanted) {
    transactions.write(() -> {
      events.together(() -> write(wanted));
    });
  }

  private void write(Closing wanted) {
    var claim = wanted.claim();
    participants.hold(claim.participant().id());
    leases.release(claim.lease());
    var closing = followUp(advance(claim) ? wanted : wanted.takenOver());
    var rows = transcriptRows(closing);
    transcript.saveAll(rows);
    applyEffects(closing);
    plan(closing, rows);
    settle(closing, rows);
    inbox.done(claim.participant().id(), claim.turn(), claim.inputs());
    closing.journal().finish();
    closing
        .journal()
        .broadcast()
        .said(
            rows.subList(rows.size() - closing.texts().size(), rows.size()).stream()
                .map(row -> new Broadcast.Spoken(row.id(), row.content()))
                .toList());
    turns.close(
        claim.participant().id(),
        claim.turn(),
        closing.outcome().failed() ? TurnStatus.FAILED : TurnStatus.DONE,
        closing.outcome(),
        bounded(closing.reason()),
        closing.failure(),
        closing.heldByStaff(),
        clock.instant());
    events.emit(
        closing.outcome().failed() ? "turn.failed" : "turn.completed",
        claim.participant().id(),
        Map.of("turn", claim.turn(), "kind", claim.kind().word()));
    if (closing.outcome() == Outcome.BRAKED) {
      events.emit("turn.braked", claim.participant().id(), Map.of("turn", claim.turn()));
    }
    transactions.afterCommit(() -> {
      var closed = closed(closing);
      listeners.forEach(listener -> listener.closed(closed));
    });
  }

  private static ClosedTurn closed(Closing closing) {
    var iterations = closing.journal().ended();
    return new ClosedTurn(
        closing.claim().kind(),
        closing.outcome(),
        iterations.size(),
        iterations.stream()
            .flatMap(iteration -> iteration.toolCalls().stream())
            .map(call -> new ClosedTurn.Call(call.name(), TurnJson.status(call.result())))
            .toList(),
        Stream.concat(
                closing.effects().stream()
                    .filter(Effect.MoveState.class::isInstance)
                    .map(effect -> ((Effect.MoveState) effect).to()),
                closing.deed() instanceof Deed.Moved moved ? Stream.of(moved.to()) : Stream.empty())
            .toList());
  }

  /** Returns whether the coach may say what it came to: staff may hold the conversation by now. */
  private boolean advance(Claim claim) {
    var id = claim.participant().id();
    var next = claim.turn() + 1;
    var now = clock.instant();
    if (claim.said().isEmpty()) {
      return states.advance(id, next, now) > 0 || states.advanceMuted(id, next) == 0;
    }
    return states.advanceReplied(id, next, now) > 0 || states.advanceRepliedMuted(id, next) == 0;
  }

  /** What the input itself leads to, whatever was said about it. */
  private Closing followUp(Closing closing) {
    var claim = closing.claim();
    if (!claim.said().isEmpty()) {
      prompts.replied(claim, closing.reply());
    }
    if (claim.woke().isEmpty()) {
      return closing;
    }
    var dropped = closing.outcome() == Outcome.DROPPED;
    return prompts.woken(claim, closing.deed(), dropped, Optional.ofNullable(closing.reason()))
        ? closing
        : closing.unwanted();
  }

  private static @Nullable String bounded(@Nullable String reason) {
    return reason == null || reason.length() <= LONGEST_REASON
        ? reason
        : reason.substring(0, LONGEST_REASON);
  }

  private List<JdbcTranscript.Row> transcriptRows(Closing closing) {
    var claim = closing.claim();
    var rows = new ArrayList<JdbcTranscript.Row>();
    for (var input : claim.inputs()) {
      if (input instanceof Input.Said said) {
        rows.add(heard(claim, said));
      }
    }
    for (var say : closing.texts()) {
      rows.add(spoken(claim, say));
    }
    return rows;
  }

  private static JdbcTranscript.Row heard(Claim claim, Input.Said said) {
    return new JdbcTranscript.Row(
        null,
        Ids.next("msg"),
        claim.participant().id(),
        claim.participant().id(),
        MessageRole.USER,
        said.text(),
        said.channel(),
        claim.turn(),
        Author.PARTICIPANT,
        said.receivedAt(),
        null);
  }

  private JdbcTranscript.Row spoken(Claim claim, Say say) {
    return new JdbcTranscript.Row(
        null,
        Ids.next("msg"),
        claim.participant().id(),
        claim.participant().id(),
        MessageRole.ASSISTANT,
        say.text(),
        claim.channel(),
        claim.turn(),
        say.author(),
        clock.instant(),
        say.by());
  }

  private void plan(Closing closing, List<JdbcTranscript.Row> rows) {
    var claim = closing.claim();
    var spoken = rows.subList(rows.size() - closing.texts().size(), rows.size());
    for (int i = 0; i < spoken.size(); i++) {
      outbox.plan(
          texts.outbound(
              claim, closing.texts().get(i).kind(), spoken.get(i).id(), spoken.get(i).content()));
    }
    debug
        .of(closing)
        .ifPresent(text ->
            outbox.plan(
                new Outbox.Planned(
                    claim.participant().id(),
                    claim.turn(),
                    null,
                    OutboundKind.DEBUG,
                    claim.channel(),
                    text)));
  }

  /** What scripts asked for, and what is said to it, is kept where they look. */
  private void settle(Closing closing, List<JdbcTranscript.Row> rows) {
    var claim = closing.claim();
    if (closing.deed() instanceof Deed.Scripted deed) {
      scripts.settle(claim, deed, rows.isEmpty() ? null : rows.getLast().id());
    }
    if (closing.deed() instanceof Deed.Chosen) {
      rows.stream()
          .filter(row -> row.authorName() != null)
          .forEach(row -> scripts.chosen(claim, row.authorName(), row.id()));
    }
    if (claim.data().containsKey(StateKeys.TEXTED_BY_SCRIPT)) {
      scripts.heard(claim);
    }
  }

  /** The newest of each kind of effect is what holds; every change of the profile is logged. */
  private void applyEffects(Closing closing) {
    var claim = closing.claim();
    var data = new LinkedHashMap<String, String>();
    if (!claim.pinned().module().isEmpty()) {
      // Without its flow a turn has no module; the sub-state then stays for when the flow is back.
      data.put(StateKeys.CONVERSATION_STATE, claim.pinned().module());
    }
    var changes = new ArrayList<JdbcStates.ProfileChange>();
    for (var effect : closing.effects()) {
      switch (effect) {
        case Effect.MoveState move -> {
          data.put(StateKeys.CONVERSATION_STATE, move.to());
          timers.cancel(claim.participant().id(), MOVES, "moved to " + move.to());
        }
        case Effect.MoveLater move -> moveLater(claim, move);
        case Effect.SaveProfile save -> {
          data.put(StateKeys.USER_PROFILE, profiles.write(save.profile()));
          save.changes().forEach(change -> changes.add(logged(claim, change)));
        }
        case Effect.StoreHabitPrompt prompt -> data.put(StateKeys.LAST_HABIT_PROMPT, prompt.text());
        case Effect.PrepareHabitPrompt prompt -> {
          data.put(StateKeys.LAST_HABIT_PROMPT, prompt.text());
          data.put(StateKeys.PREPARED_PROMPT, prompt.text());
        }
        case Effect.MoveZone move ->
            participants.update(claim.participant().id(), ParticipantChange.ofZone(move.zone()));
        case Effect.Plan plan ->
            participants
                .find(claim.participant().id())
                .ifPresent(participant -> schedules.run(participant, plan.planned()));
        case Effect.Unplan unplan ->
            schedules.end(
                claim.participant().id(), unplan.scheduleId(), "deleted in turn " + claim.turn());
      }
    }
    if (closing.deed() instanceof Deed.Moved moved) {
      data.put(StateKeys.CONVERSATION_STATE, moved.to());
    }
    if (closing.deed() instanceof Deed.Prompted prompted) {
      states.remove(claim.participant().id(), StateKeys.PREPARED_PROMPT);
      prompted
          .asksIntensity()
          .ifPresent(date -> data.put(StateKeys.LAST_INTENSITY_PROMPT_DATE, date.toString()));
    }
    if (closing.deed() instanceof Deed.Scripted(var errand, var settled)
        && settled.status() == Deed.Settled.Status.QUEUED) {
      data.put(
          StateKeys.TEXTED_BY_SCRIPT,
          claim.data().getOrDefault(StateKeys.TEXTED_BY_SCRIPT, clock.instant().toString()));
      if (settled.opens() != null) {
        data.put(StateKeys.OPEN_BRANCH, settled.opens().json());
      }
    }
    if (closing.deed() instanceof Deed.Chosen) {
      states.remove(claim.participant().id(), StateKeys.OPEN_BRANCH);
    }
    closing.texts().stream()
        .map(Say::statusSent)
        .flatMap(Optional::stream)
        .forEach(sent -> data.put(StateKeys.STATUS_TEXT_SENT, sent));
    data.forEach((key, value) -> store(claim, key, value));
    if (!changes.isEmpty()) {
      states.saveAll(changes);
    }
  }

  private JdbcStates.ProfileChange logged(Claim claim, Effect.Change change) {
    return new JdbcStates.ProfileChange(
        null,
        claim.participant().id(),
        claim.turn(),
        change.field(),
        change.before().isNull() ? null : TurnJson.write(change.before()),
        change.after().isNull() ? null : TurnJson.write(change.after()),
        clock.instant());
  }

  private void store(Claim claim, String key, String value) {
    var before = claim.data().get(key);
    if (key.equals(StateKeys.CONVERSATION_STATE)) {
      storeSubState(claim, value);
    } else if (before == null) {
      states.insert(claim.participant().id(), key, value, clock.instant());
    } else if (!before.equals(value)) {
      states.update(claim.participant().id(), key, value, clock.instant());
    }
  }

  /** Unless another module was forced while the turn ran, which then stays. */
  private void moveLater(Claim claim, Effect.MoveLater move) {
    var id = claim.participant().id();
    if (states.datum(id, StateKeys.CONVERSATION_STATE).equals(Optional.ofNullable(before(claim)))) {
      timers.plan(
          new Timers.Plan(
              id, WakeupKind.TRANSITION, move.dueAt(), claim.participant().zone(), move.to()));
    }
  }

  /** The sub-state that was stored when the turn began, also if it was resumed since. */
  private static @Nullable String before(Claim claim) {
    var pinned = claim.pinned().subState();
    return pinned == null || pinned.isEmpty()
        ? pinned == null ? claim.data().get(StateKeys.CONVERSATION_STATE) : null
        : pinned;
  }

  /** One that was forced while the turn ran stays. */
  private void storeSubState(Claim claim, String value) {
    var id = claim.participant().id();
    var key = StateKeys.CONVERSATION_STATE;
    var before = before(claim);
    if (before == null) {
      states.insertNew(id, key, value, clock.instant());
    } else if (!before.equals(value)) {
      states.replace(id, key, before, value, clock.instant());
    }
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
