package org.habitline.timers;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import io.micronaut.core.convert.ConversionService;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.LocalTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the settings of the timers; {@code Settings} has validated them before. */
@Factory
final class TimersFactory {

  @Singleton
  PromptTimes promptTimes(
      @Value("${allowed-hours}") String allowedHours,
      @Value("${scheduler.prep-time-minutes}") int prepTimeMinutes,
      @Value("${daily-prompt.max-lateness}") Duration maxLateness,
      @Value("${daily-prompt.reminder-delay}") String reminderDelay,
      @Value("${auto-feedback.after-prompt-enabled}") boolean autoFeedback,
      @Value("${auto-feedback.delay}") Duration autoFeedbackDelay,
      @Value("${feedback.initial-timeout}") Duration initialTimeout,
      @Value("${feedback.followup-delay}") Duration followupDelay,
      @Nullable @Value("${default-schedule:}") String defaultSchedule) {
    return new PromptTimes(
        AllowedHours.read(allowedHours).orElseThrow(),
        Duration.ofMinutes(prepTimeMinutes),
        maxLateness,
        reminderDelay(reminderDelay),
        autoFeedback,
        autoFeedbackDelay,
        initialTimeout,
        followupDelay,
        Optional.ofNullable(defaultSchedule).filter(time -> !time.isBlank()).map(LocalTime::parse));
  }

  private static Duration reminderDelay(String text) {
    return text.startsWith("-")
        ? Duration.ZERO
        : ConversionService.SHARED.convert(text, Duration.class).orElseThrow();
  }
}
