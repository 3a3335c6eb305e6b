package org.habitline.conversation.stored;

import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.habitline.participants.Participant;
import org.habitline.timers.DailyTime;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Timers;
import org.habitline.timers.Wakeup;
import org.habitline.timers.WakeupKind;
import org.jspecify.annotations.Nullable;

/**
 * Renders the state data of seed 003 that is stored in separate tables: schedules, timers and daily
 * prompts. Timestamps are RFC 3339, UTC.
 */
@Singleton
final class PromptState {

  private static final Map<WakeupKind, String> TIMER_KEYS =
      new EnumMap<>(
          Map.of(
              WakeupKind.CHECK_IN, "feedbackTimerID",
              WakeupKind.FOLLOW_UP, "feedbackFollowupTimerID",
              WakeupKind.TRANSITION, "stateTransitionTimerID",
              WakeupKind.AUTO_FEEDBACK, "autoFeedbackTimerID",
              WakeupKind.REMINDER, "dailyPromptReminderTimerID"));

  /** How many occurrences are searched for the newest timestamp of each kind. */
  private static final int OCCURRENCES_LOOKED_AT = 400;

  private final OccurrenceReader prompts;
  private final Timers timers;

  PromptState(OccurrenceReader prompts, Timers timers) {
    this.prompts = prompts;
    this.timers = timers;
  }

  /** Returns the state data by key, without keys that have no value. */
  Map<String, Object> of(Participant participant) {
    var state = new LinkedHashMap<String, Object>();
    var open = timers.open(participant.id());
    state.put("scheduleRegistry", registry(participant, open));
    open.forEach(wakeup ->
        Optional.ofNullable(TIMER_KEYS.get(wakeup.kind()))
            .ifPresent(key -> state.put(key, wakeup.id())));
    var occurrences = prompts.newest(participant.id(), null, OCCURRENCES_LOOKED_AT);
    occurrences.stream()
        .filter(Occurrence::pending)
        .findFirst()
        .ifPresent(it -> state.put("dailyPromptPending", pending(participant, it)));
    newest(occurrences, Occurrence::sentAt).ifPresent(at -> state.put("lastPromptSentAt", at));
    newest(occurrences, Occurrence::remindedAt)
        .ifPresent(at -> state.put("dailyPromptReminderSentAt", at));
    newest(occurrences, Occurrence::respondedAt)
        .ifPresent(at -> state.put("dailyPromptRespondedAt", at));
    return state;
  }

  private static Optional<String> newest(
      List<Occurrence> occurrences, Function<Occurrence, @Nullable Instant> at) {
    return occurrences.stream()
        .flatMap(it -> Stream.ofNullable(at.apply(it)))
        .max(Comparator.naturalOrder())
        .map(Instant::toString);
  }

  private static Map<String, Object> pending(Participant participant, Occurrence occurrence) {
    var pending = new LinkedHashMap<String, Object>();
    pending.put("sent_at", String.valueOf(occurrence.sentAt()));
    pending.put("to", participant.phone().e164());
    if (occurrence.reminderDueAt() != null) {
      pending.put("reminder_due_at", occurrence.reminderDueAt().toString());
    }
    pending.put("occurrence", occurrence.key().text());
    return pending;
  }

  /** Returns the running schedules in the form of {@code scheduleRegistry}. */
  List<Map<String, Object>> registry(Participant participant) {
    return registry(participant, timers.open(participant.id()));
  }

  private List<Map<String, Object>> registry(Participant participant, List<Wakeup> open) {
    return prompts.standing(participant).agenda().planned().stream()
        .map(planned -> {
          var schedule = planned.schedule();
          var entry = new LinkedHashMap<String, Object>();
          entry.put("id", schedule.id());
          entry.put("type", schedule.time().type());
          switch (schedule.time()) {
            case DailyTime.Fixed fixed -> entry.put("fixed_time", fixed.at().toString());
            case DailyTime.Random random -> {
              entry.put("random_start_time", random.start().toString());
              entry.put("random_end_time", random.end().toString());
            }
          }
          entry.put("timezone", participant.zone().getId());
          entry.put("created_at", schedule.createdAt().toString());
          timer(open, schedule.slot())
              .ifPresent(wakeup -> {
                entry.put("timer_id", wakeup.id());
                entry.put("next_at", wakeup.dueAt().toString());
              });
          return (Map<String, Object>) entry;
        })
        .toList();
  }

  private static Optional<Wakeup> timer(List<Wakeup> open, int slot) {
    return open.stream()
        .filter(it -> it.kind() == WakeupKind.DAILY_PROMPT)
        .filter(it -> Occurrence.Key.read(it.guard()).slot() == slot)
        .findFirst();
  }
}
