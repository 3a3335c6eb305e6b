package org.habitline.timers;

import java.time.Duration;
import java.time.LocalTime;
import java.util.Optional;

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
    Optional<LocalTime> standard) {}
