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
 * How often somebody who texts without a pause is answered: so many turns a minute, the next when
 * the first of them is a minute old. Their texts are taken in all the same, wait in their order,
 * and are answered together. System time, and turns for texts only: a study clock that is moved
 * does not slow anybody. STOP, START and HELP do not wait.
 */
@Singleton
final class TurnPace {

  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final int perMinute;
  private final Clock systemClock;

  TurnPace(TurnRateSettings settings, @Named("system") Clock systemClock) {
    this.perMinute = settings.perMinute();
    this.systemClock = systemClock;
  }

  /** How many turns back the one is that must be a minute old. */
  int turns() {
    return perMinute;
  }

  /** When a turn for this input began, as it counts here; {@code null} if it does not. */
  @Nullable Instant begins(List<Input> inputs) {
    return said(inputs) ? systemClock.instant() : null;
  }

  /**
   * How long these wait; zero if they do not.
   *
   * @param began when the turn {@link #turns()} back began, if it was one for texts
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
