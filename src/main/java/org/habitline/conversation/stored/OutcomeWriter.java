package org.habitline.conversation.stored;

import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OutcomeEntry;
import org.habitline.timers.PromptOutcome;
import org.habitline.timers.Schedules;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.jspecify.annotations.Nullable;

/**
 * Records what came of daily prompts, whoever says so: counts successes, and drops the reminder or
 * question that is no longer needed. Joins the running transaction, which must hold the
 * participant.
 */
@Singleton
public final class OutcomeWriter {

  private final Schedules schedules;
  private final Timers timers;
  private final JdbcStates states;

  OutcomeWriter(Schedules schedules, Timers timers, JdbcStates states) {
    this.schedules = schedules;
    this.timers = timers;
    this.states = states;
  }

  /**
   * Records an outcome; returns false if the prompt was not sent or has this outcome already.
   * Nothing changes then.
   */
  public boolean record(String participantId, Occurrence.Key key, OutcomeEntry entry) {
    var change = schedules.outcome(participantId, key, entry);
    change.ifPresent(it -> {
      var more = successes(it.after()) - successes(it.before());
      if (more != 0) {
        states.countSuccess(participantId, more);
      }
      if (it.wasPending()) {
        timers.cancel(participantId, List.of(WakeupKind.REMINDER), "an outcome was recorded");
      }
    });
    return change.isPresent();
  }

  /**
   * Removes the outcome of the prompt of a turn that did not arrive: nobody did what it asked. To
   * be called before the prompt is ended, because an ended prompt keeps its outcome.
   */
  public void notArrived(String participantId, int turn) {
    schedules
        .ofTurn(participantId, turn)
        .ifPresent(prompt -> record(participantId, prompt.key(), OutcomeEntry.notArrived()));
  }

  private static int successes(@Nullable PromptOutcome outcome) {
    return outcome == PromptOutcome.DONE ? 1 : 0;
  }
}
