package org.habitline.ops.health;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.ClosedTurn;
import org.habitline.conversation.turn.TurnListener;

/** Remembers this process's turns that failed because of the model, for {@link #REMEMBERED}. */
@Singleton
public final class ModelFailures implements TurnListener {

  static final Duration REMEMBERED = Duration.ofMinutes(10);
  private static final Set<Outcome> FAILED = EnumSet.of(Outcome.MODEL_FAILED, Outcome.OTHER_MODEL);

  private static final int AT_MOST = 10_000;

  private final Clock systemClock;
  private final Deque<Instant> failed = new ArrayDeque<>();

  ModelFailures(@Named("system") Clock systemClock) {
    this.systemClock = systemClock;
  }

  @Override
  public synchronized void closed(ClosedTurn turn) {
    if (FAILED.contains(turn.outcome()) && failed.size() < AT_MOST) {
      failed.add(systemClock.instant());
    }
  }

  /** Returns the number of recent failures in words, or empty if there were none. */
  Optional<String> told() {
    var failed = lately();
    return failed == 0
        ? Optional.empty()
        : Optional.of(
            "no usable answer in "
                + failed
                + (failed == 1 ? " turn" : " turns")
                + " of the last "
                + REMEMBERED.toMinutes()
                + " minutes");
  }

  /** Returns the number of recent failures. */
  synchronized int lately() {
    var since = systemClock.instant().minus(REMEMBERED);
    failed.removeIf(at -> at.isBefore(since));
    return failed.size();
  }
}
