package org.habitline.rehearsal;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.timers.PromptTimes;

/**
 * The words that identify a flow's messages on a phone, and the study's delays.
 *
 * @param question the question at the end of every daily prompt; blank if the flow has none, like
 *     everything else about them
 * @param intensities all forms of the intensity question
 */
record FlowWords(
    String flow,
    String question,
    String reminder,
    Set<String> intensities,
    String confirmation,
    String done,
    String notDone,
    Duration early,
    Duration reminderDelay) {

  FlowWords {
    intensities = Set.copyOf(intensities);
  }

  static FlowWords of(Flow flow, PromptTimes times) {
    var daily = flow.dailyPrompt();
    if (daily == null) {
      return new FlowWords(
          flow.id(),
          "",
          "",
          Set.of(),
          flow.texts().optOutConfirmation(),
          "",
          "",
          times.early(),
          times.reminderDelay());
    }
    return new FlowWords(
        flow.id(),
        daily.question(),
        daily.reminder(),
        intensities(daily),
        flow.texts().optOutConfirmation(),
        daily.done(),
        daily.notDone(),
        times.early(),
        times.reminderDelay());
  }

  private static Set<String> intensities(DailyPrompt daily) {
    var asked = daily.intensity();
    return asked == null
        ? Set.of()
        : asked.field().values().stream().map(asked::question).collect(Collectors.toSet());
  }

  /** Returns whether the flow sends daily prompts. */
  boolean prompted() {
    return !question.isEmpty();
  }

  boolean prompt(String body) {
    return prompted() && body.endsWith(question);
  }
}
