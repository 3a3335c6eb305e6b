package org.habitline.rehearsal;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.messaging.OutboundKind;
import org.habitline.timers.PromptTimes;
import org.jspecify.annotations.Nullable;

/**
 * The words that identify a flow's messages on a phone, and the study's delays.
 *
 * @param question the question about the outcome of a daily prompt; blank if the flow has none,
 *     like everything else about them
 * @param asksLater whether the question follows the prompt, in place of a reminder
 * @param reminder the one message that follows a prompt: the reminder, or the question
 * @param intensities all forms of the intensity question
 */
record FlowWords(
    String flow,
    String question,
    boolean asksLater,
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
          false,
          "",
          Set.of(),
          flow.texts().optOutConfirmation(),
          "",
          "",
          times.early(),
          times.reminderDelay());
    }
    var askAfter = daily.askAfter();
    return new FlowWords(
        flow.id(),
        daily.question(),
        askAfter != null,
        askAfter == null ? daily.reminder() : daily.question(),
        intensities(daily),
        flow.texts().optOutConfirmation(),
        daily.done(),
        daily.notDone(),
        times.early(),
        askAfter == null ? times.reminderDelay() : askAfter);
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

  /**
   * Returns whether a message is a daily prompt. One that does not ask about its outcome can only
   * be told from a reply by its kind.
   */
  boolean prompt(String body, @Nullable OutboundKind kind) {
    return asksLater ? kind == OutboundKind.PROMPT : prompted() && body.endsWith(question);
  }

  /** Returns whether a text is one of the quick replies. */
  boolean saysOutcome(String text) {
    return text.startsWith(done) || text.startsWith(notDone);
  }
}
