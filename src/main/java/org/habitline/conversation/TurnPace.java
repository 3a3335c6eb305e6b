package org.habitline.conversation;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.habitline.messaging.inbox.Input;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many turns a minute a participant's texts get: at the limit, the next turn waits until
 * the first of those turns is a minute old. The texts are still stored, wait in order and get one
 * reply together. Only turns for texts count, in system time, so that a moved study clock slows no
 * one. STOP, START and HELP do not wait.
 */
@Singleton
final class TurnPace {

  private static final Duration WINDOW = Duration.ofMinutes(1);

  /** An upper bound on a participant's turns within a minute that are not for texts. */
  private static final int OTHERS = 50;

  private final int perMinute;
  private final Clock systemClock;

  TurnPace(TurnRateSettings settings, @Named("system") Clock systemClock) {
    this.perMinute = settings.perMinute();
    this.systemClock = systemClock;
  }

  /**
   * Returns the position, newest first from 0, of the turn for texts that must be at least a minute
   * old before the next begins.
   */
  int later() {
    return Math.max(0, perMinute - 1);
  }

  /** Returns among how many of the newest turns that turn is looked for. */
  int looked() {
    return perMinute + OTHERS;
  }

  /**
   * Returns the system time as the beginning of a turn for texts, or {@code null} for other turns,
   * which do not count.
   */
  @Nullable Instant begins(List<Input> inputs) {
    return said(inputs) ? systemClock.instant() : null;
  }

  /**
   * Returns how long these inputs must wait; zero if they need not.
   *
   * @param began system time at which the turn for texts at position {@link #later()} began, or
   *     {@code null} if there is none among the newest {@link #looked()} turns
   */
  Duration pause(@Nullable Instant began, List<Input> inputs) {
    if (perMinute == 0 || began == null || !said(inputs) || wishes(inputs)) {
      return Duration.ZERO;
    }
    var left = Duration.between(systemClock.instant(), began.plus(WINDOW));
    return left.compareTo(WINDOW) > 0 ? Duration.ZERO : left;
  }

  private static boolean said(List<Input> inputs) {
    return inputs.getFirst() instanceof Input.Said;
  }

  private static boolean wishes(List<Input> inputs) {
    return inputs.stream()
        .anyMatch(input -> input instanceof Input.Said said && said.wish() != null);
  }
}
