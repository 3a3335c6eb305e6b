package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.budgets.Spending;
import org.habitline.conversation.flags.Flags;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.OutcomeWriter;
import org.habitline.conversation.stored.RecordWriter;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.participants.ConsentEntry;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.habitline.timers.OutcomeEntry;
import org.habitline.timers.Schedules;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.habitline.tools.Effect;
import org.habitline.tools.ExportFiles;
import org.habitline.tools.FlagUrgency;
import org.habitline.tools.ProfileJson;
import org.jspecify.annotations.Nullable;

/**
 * Applies what a turn changes about a participant: state data, profile, schedules, records. Joins
 * the turn's transaction.
 */
@Singleton
final class TurnEffects {

  private static final List<WakeupKind> MOVES =
      List.of(WakeupKind.TRANSITION, WakeupKind.AUTO_FEEDBACK);

  private final Participants participants;
  private final Schedules schedules;
  private final OutcomeWriter outcomes;
  private final Timers timers;
  private final ProfileJson profiles;
  private final JdbcStates states;
  private final RecordWriter records;
  private final AuditLog audit;
  private final Inbox inbox;
  private final Events events;
  private final Flags flags;
  private final ExportFiles exports;
  private final Spending spending;
  private final Transactions transactions;
  private final Clock clock;

  TurnEffects(
      Participants participants,
      Schedules schedules,
      OutcomeWriter outcomes,
      Timers timers,
      ProfileJson profiles,
      JdbcStates states,
      RecordWriter records,
      AuditLog audit,
      Inbox inbox,
      Events events,
      Flags flags,
      ExportFiles exports,
      Spending spending,
      Transactions transactions,
      Clock clock) {
    this.participants = participants;
    this.schedules = schedules;
    this.outcomes = outcomes;
    this.timers = timers;
    this.profiles = profiles;
    this.states = states;
    this.records = records;
    this.audit = audit;
    this.inbox = inbox;
    this.events = events;
    this.flags = flags;
    this.exports = exports;
    this.spending = spending;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Applies the effects in order, so that the last of each kind wins; every profile change is
   * logged.
   *
   * @param heard the participant's messages in the transcript, by their number in the inbox
   */
  void apply(Closing closing, Map<Long, String> heard) {
    var claim = closing.claim();
    var data = new LinkedHashMap<String, String>();
    if (!claim.pinned().module().isEmpty()) {
      // Without its flow a turn has no module; the stored module is kept in case the flow returns.
      data.put(StateKeys.CONVERSATION_STATE, claim.pinned().module());
    }
    var changes = new ArrayList<JdbcStates.ProfileChange>();
    var recordChanges = new ArrayList<Effect.RecordChange>();
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
        case Effect.AlertStaff alert ->
            audit.record(
                AuditEntry.of("coach", "system", AuditAction.PARTICIPANT_FLAGGED)
                    .to(claim.participant().id())
                    .changed(null, alert.flag()));
        case Effect.FlagForStaff flag -> {
          // TurnAlarms opened the incident of an urgent one.
          if (flag.urgency() == FlagUrgency.TODAY) {
            flags.raise(claim.participant().id(), claim.turn(), flag.kind());
          }
        }
        case Effect.StoreHabitPrompt prompt -> data.put(StateKeys.LAST_HABIT_PROMPT, prompt.text());
        case Effect.PrepareHabitPrompt prompt -> {
          data.put(StateKeys.LAST_HABIT_PROMPT, prompt.text());
          data.put(StateKeys.PREPARED_PROMPT, prompt.text());
        }
        case Effect.RecordOutcome said ->
            outcomes.record(
                claim.participant().id(),
                said.prompt(),
                new OutcomeEntry(said.outcome(), said.by(), claim.turn(), null, said.note()));
        case Effect.MoveZone move -> participants.update(claim.participant().id(), move.change());
        case Effect.SetLanguage set -> language(claim, set.language());
        case Effect.OptOut _ -> inbox.optOut(claim.participant().id());
        case Effect.Plan plan ->
            participants
                .find(claim.participant().id())
                .ifPresent(participant -> schedules.run(participant, plan.planned()));
        case Effect.Unplan unplan ->
            schedules.end(
                claim.participant().id(),
                unplan.scheduleId(),
                "the coach deleted them in turn " + claim.turn());
        case Effect.PublishExport publish ->
            // A crash before this is made good by ExportCopies: the file is on disk already.
            transactions.afterCommit(
                () -> exports.publish(publish.conversationId(), publish.edition()));
        case Effect.AnswerConsent answer -> consent(claim, answer, heard);
        case Effect.RecordChange change -> recordChanges.add(change);
      }
    }
    if (closing.effects().stream().anyMatch(Effect.SetLanguage.class::isInstance)) {
      // What this turn prepared was written in the language before.
      data.remove(StateKeys.PREPARED_PROMPT);
    }
    closing
        .action()
        .data(claim)
        .forEach((key, value) ->
            value.ifPresentOrElse(
                it -> data.put(key, it), () -> states.remove(claim.participant().id(), key)));
    if (closing.texts().stream().anyMatch(say -> say.kind() == OutboundKind.SCRIPTED)) {
      schedules.askedSomethingElse(claim.participant().id());
    }
    if (closing.texts().stream().anyMatch(say -> say.kind() == OutboundKind.CHOSEN)) {
      states.remove(claim.participant().id(), StateKeys.OPEN_BRANCH);
    }
    closing.texts().stream()
        .map(DraftMessage::statusSent)
        .flatMap(Optional::stream)
        .forEach(sent -> {
          if (sent.equals(DraftMessage.OVER_BUDGET)) {
            spending.textSent(claim.participant());
          } else {
            data.put(StateKeys.STATUS_TEXT_SENT, sent);
          }
        });
    data.forEach((key, value) -> store(claim, key, value));
    if (!changes.isEmpty()) {
      states.saveAll(changes);
    }
    records.apply(claim.participant().id(), recordChanges);
  }

  /** Sets the language and records it, because only the state after it is stored. */
  private void language(Claim claim, String language) {
    var id = claim.participant().id();
    participants
        .update(id, ParticipantChange.ofLanguage(language))
        .filter(updated -> !updated.before().equals(updated.after()))
        .ifPresent(updated ->
            audit.record(
                AuditEntry.of("coach", "system", AuditAction.LANGUAGE_CHANGED)
                    .to(id)
                    .changed(updated.before().language(), updated.after().language())));
  }

  /** Stores an answer; a newcomer's greeting is an input of its own, so that no crash loses it. */
  private void consent(Claim claim, Effect.AnswerConsent answer, Map<Long, String> heard) {
    var id = claim.participant().id();
    if (participants
        .find(id)
        .filter(it -> it.consent().equals(claim.participant().consent()))
        .isEmpty()) {
      // Staff recorded consent while the turn ran.
      return;
    }
    participants.consent(
        id,
        answer.now(),
        answer.steps().stream()
            .map(step ->
                new ConsentEntry(
                    step.entry().step(),
                    step.entry().version(),
                    step.entry().words(),
                    step.seq() == null ? null : heard.get(step.seq())))
            .toList());
    if (answer.greets()) {
      inbox.consented(claim.participant(), claim.turn(), claim.channel());
    }
    events.emit("participant.changed", id, Map.of("what", "consent"));
  }

  private JdbcStates.ProfileChange logged(Claim claim, Effect.Change change) {
    return new JdbcStates.ProfileChange(
        null,
        claim.participant().id(),
        claim.turn(),
        change.field(),
        change.before().isNull() ? null : TurnJson.write(change.before()),
        change.after().isNull() ? null : TurnJson.write(change.after()),
        clock.instant(),
        null);
  }

  private void store(Claim claim, String key, String value) {
    if (key.equals(StateKeys.CONVERSATION_STATE)) {
      storeSubState(claim, value);
    } else if (!value.equals(claim.data().get(key))) {
      states.put(claim.participant().id(), key, value, clock.instant());
    }
  }

  /** Plans a delayed move; skips it if staff changed the module while the turn was running. */
  private void moveLater(Claim claim, Effect.MoveLater move) {
    var id = claim.participant().id();
    if (states.datum(id, StateKeys.CONVERSATION_STATE).equals(Optional.ofNullable(before(claim)))) {
      timers.plan(
          new Timers.Plan(
              id, WakeupKind.TRANSITION, move.dueAt(), claim.participant().zone(), move.to()));
    }
  }

  /** Returns the module that was stored when the turn began, also for a resumed turn. */
  private static @Nullable String before(Claim claim) {
    var pinned = claim.pinned().subState();
    return pinned.isEmpty() ? null : pinned;
  }

  /** Stores the module; skips the write if staff changed it while the turn was running. */
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
}
