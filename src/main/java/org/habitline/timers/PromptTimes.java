package org.habitline.timers;

import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The study's settings for times and delays.
 *
 * @param allowed {@code ALLOWED_HOURS}, local
 * @param early {@code SCHEDULER_PREP_TIME_MINUTES}: prompts leave this long before their wall time
 * @param maxLateness {@code DAILY_PROMPT_MAX_LATENESS}: a prompt later than this is missed, not
 *     sent
 * @param reminderDelay {@code DAILY_PROMPT_REMINDER_DELAY} after the provider accepted a prompt;
 *     zero or less for no reminders
 * @param autoFeedback {@code AUTO_FEEDBACK_AFTER_PROMPT_ENABLED}
 * @param autoFeedbackDelay {@code AUTO_FEEDBACK_DELAY} after the provider accepted a prompt
 * @param checkInAfter {@code FEEDBACK_INITIAL_TIMEOUT} after the provider accepted a prompt from
 *     the conversation
 * @param followUpAfter {@code FEEDBACK_FOLLOWUP_DELAY} after the provider accepted the check-in
 * @param standard {@code DEFAULT_SCHEDULE}: the time of a requested prompt that is scheduled
 *     without one, if set
 */
public record PromptTimes(
    AllowedHours allowed,
    Duration early,
    Duration maxLateness,
    Duration reminderDelay,
    boolean autoFeedback,
    Duration autoFeedbackDelay,
    Duration checkInAfter,
    Duration followUpAfter,
    Optional<LocalTime> standard) {

  /** Returns whether a prompt with this wall time goes out within the allowed hours. */
  public boolean allow(LocalTime wall) {
    return allowed.allow(wall.minus(early));
  }

  /** Returns whether that holds for every minute from one wall time to another. */
  public boolean allow(LocalTime start, LocalTime end) {
    return LongStream.rangeClosed(0, ChronoUnit.MINUTES.between(start, end))
        .allMatch(minutes -> allow(start.plusMinutes(minutes)));
  }

  /** Returns a sentence that says that a time of day is outside the allowed hours. */
  public String outside(DailyTime time) {
    var before =
        early.isZero() ? "" : ", %d minutes before their time,".formatted(early.toMinutes());
    return ("%s is not possible: prompts are sent%s only within %s, the participant's local time."
            + " Choose another time.")
        .formatted(time.text(), before, allowed.text());
  }
}
