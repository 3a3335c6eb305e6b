package org.habitline.conversation.calls;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.Situation;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.stored.StateReader;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.ProfileField;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.timers.Agenda;
import org.habitline.timers.Schedule;
import org.habitline.timers.Schedules;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.jspecify.annotations.Nullable;

/**
 * Moves a participant to another flow. The conversation, the profile and what tools keep stay; the
 * new flow's first module replies next, and what the modules of the old flow planned is cancelled.
 */
@Singleton
public final class FlowMoves {

  /** What modules of a flow plan for later, and what follows its prompts. */
  private static final List<WakeupKind> OF_MODULES =
      List.of(
          WakeupKind.TRANSITION,
          WakeupKind.REMINDER,
          WakeupKind.AUTO_FEEDBACK,
          WakeupKind.CHECK_IN,
          WakeupKind.FOLLOW_UP,
          WakeupKind.NUDGE);

  private final Participants participants;
  private final Schedules schedules;
  private final Timers timers;
  private final StateReader reader;
  private final JdbcStates states;
  private final FlowCatalog flows;
  private final Events events;
  private final Clock clock;

  FlowMoves(
      Participants participants,
      Schedules schedules,
      Timers timers,
      StateReader reader,
      JdbcStates states,
      FlowCatalog flows,
      Events events,
      Clock clock) {
    this.participants = participants;
    this.schedules = schedules;
    this.timers = timers;
    this.reader = reader;
    this.states = states;
    this.flows = flows;
    this.events = events;
    this.clock = clock;
  }

  /**
   * What a move to another flow does.
   *
   * @param module the module that replies next
   * @param ending schedules that the new flow does not allow
   * @param staying schedules that go on as they are
   * @param unused profile fields that are kept, and that the new flow does not use
   * @param prepared whether a prompt that is already written is dropped
   * @param planned what is planned for later and is cancelled
   * @param language the language of the participant that the new flow does not have, or {@code
   *     null}; they get the flow's own
   */
  public record Consequences(
      String module,
      List<Schedule> ending,
      List<Schedule> staying,
      List<String> unused,
      boolean prepared,
      List<WakeupKind> planned,
      @Nullable String language) {}

  /** Returns what a move would do now. */
  public Consequences consequences(Participant participant, Flow to) {
    var running =
        schedules.standing(participant).agenda().planned().stream()
            .map(Agenda.Planned::schedule)
            .toList();
    var most = Optional.ofNullable(to.dailyPrompt()).map(DailyPrompt::most).orElse(0);
    return new Consequences(
        to.initialState(),
        running.stream().filter(it -> it.slot() > most).toList(),
        running.stream().filter(it -> it.slot() <= most).toList(),
        unused(participant, to),
        reader.preparedPrompt(participant.id()).isPresent(),
        timers.open(participant.id()).stream()
            .map(wakeup -> wakeup.kind())
            .filter(OF_MODULES::contains)
            .distinct()
            .toList(),
        Optional.ofNullable(participant.language())
            .filter(language -> !to.languages().all().contains(language))
            .orElse(null));
  }

  /** Returns the stored fields that the flow does not have, or has with another type. */
  private List<String> unused(Participant participant, Flow to) {
    return reader.storedProfile(participant).stream()
        .flatMap(profile -> profile.fields().entrySet().stream())
        .filter(stored ->
            to.profile().stream()
                .filter(field -> field.name().equals(stored.getKey()))
                .map(ProfileField::type)
                .noneMatch(type -> type.isKindOf(stored.getValue())))
        .map(stored -> stored.getKey())
        .toList();
  }

  /**
   * Moves a participant and returns what it did. Joins the running transaction, in which no turn of
   * the participant may begin ({@link BetweenTurns}).
   *
   * @param by the staff member, for people who read why something was cancelled
   */
  public Consequences move(Participant participant, Flow to, String by) {
    var id = participant.id();
    var consequences = consequences(participant, to);
    var why = "moved to another flow by " + by;
    consequences.ending().forEach(schedule -> schedules.end(id, schedule.id(), why));
    timers.cancel(id, OF_MODULES, why);
    schedules.nonePending(id);
    var now = clock.instant();
    states.put(id, StateKeys.CONVERSATION_STATE, to.initialState(), now);
    states.remove(id, StateKeys.PREPARED_PROMPT);
    states.endFeedback(id);
    states.notNudged(id);
    var _ =
        participants.changeFlow(
            id, to.id(), consequences.language() == null ? participant.language() : null, by);
    events.emit("participant.changed", id, Map.of("what", "flow"));
    return consequences;
  }

  /** Returns the module that replies to a participant now, in the flow they have. */
  public String module(Participant participant, Situation situation) {
    return flows
        .flow(participant.flow())
        .map(flow -> Situation.module(flow, situation.data()))
        .orElseGet(() ->
            Objects.requireNonNullElse(
                situation.data().get(StateKeys.CONVERSATION_STATE), "no module"));
  }
}
