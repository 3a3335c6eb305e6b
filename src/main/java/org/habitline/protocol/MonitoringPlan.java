package org.habitline.protocol;

import java.time.Duration;
import org.habitline.config.Section;

/**
 * When a difference from the plan of a study counts: the section {@code monitoring} of {@code
 * config/study.yaml}.
 *
 * @param silentAfterDays after more than how many days without a text a participant is silent
 * @param lateAfter how much later than planned a daily prompt is late
 * @param stuckAfterDays after how many days in the flow's first module a participant is stuck
 * @param silentAfterPrompts after how many daily prompts without a text a participant is stuck
 */
public record MonitoringPlan(
    int silentAfterDays, Duration lateAfter, int stuckAfterDays, int silentAfterPrompts) {

  private static final int DAYS = 3;
  private static final int MOST_DAYS = 90;
  private static final int MINUTES = 15;
  private static final int MOST_MINUTES = 1440;
  private static final int STUCK_DAYS = 5;
  private static final int PROMPTS = 3;
  private static final int MOST_PROMPTS = 30;

  static MonitoringPlan usual() {
    return new MonitoringPlan(DAYS, Duration.ofMinutes(MINUTES), STUCK_DAYS, PROMPTS);
  }

  /** Returns what applies, in a sentence. */
  public String sentence() {
    return "a participant is silent after more than %d days without a text, and stuck after %d days in the first module or %d daily prompts without a text; a daily prompt is late after %d minutes."
        .formatted(silentAfterDays, stuckAfterDays, silentAfterPrompts, lateAfter.toMinutes());
  }

  static MonitoringPlan read(Section keys) {
    keys.only(
        "silent_after_days", "late_after_minutes", "stuck_after_days", "silent_after_prompts");
    return new MonitoringPlan(
        keys.integer("silent_after_days", 1, MOST_DAYS, DAYS),
        Duration.ofMinutes(keys.integer("late_after_minutes", 1, MOST_MINUTES, MINUTES)),
        keys.integer("stuck_after_days", 1, MOST_DAYS, STUCK_DAYS),
        keys.integer("silent_after_prompts", 1, MOST_PROMPTS, PROMPTS));
  }
}
