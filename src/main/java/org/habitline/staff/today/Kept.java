package org.habitline.staff.today;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A value that takes a while to read, and that every open page asks for again and again. It is kept
 * {@value #SHARE} times as long as reading it took, at most a minute of real and of study time. In
 * a small study it is thus always current. Safe for any number of threads.
 */
final class Kept<T> {

  private static final int SHARE = 20;
  private static final Duration AT_MOST = Duration.ofMinutes(1);

  private final Clock systemClock;
  private final Clock studyClock;
  private final AtomicReference<State<T>> state = new AtomicReference<>(new State<>(null));

  /**
   * The kept value. Every change replaces this object, even if it is empty, so that a read in
   * progress notices the change.
   */
  private record State<T>(@Nullable Read<T> read) {

    State<T> with(UnaryOperator<T> change) {
      return new State<>(read == null ? null : read.with(change.apply(read.value())));
    }
  }

  Kept(Clock systemClock, Clock studyClock) {
    this.systemClock = systemClock;
    this.studyClock = studyClock;
  }

  /**
   * What was read.
   *
   * @param at system time
   * @param studyAt study time, which may be moved forward
   * @param kept for how long
   */
  private record Read<T>(Instant at, Instant studyAt, Duration kept, T value) {

    boolean isFresh(Instant now, Instant studyNow) {
      return Duration.between(at, now).compareTo(kept) < 0
          && Duration.between(studyAt, studyNow).compareTo(AT_MOST) < 0;
    }

    Read<T> with(T changed) {
      return new Read<>(at, studyAt, kept, changed);
    }
  }

  /** Returns the value that is kept, or reads it. */
  T get(Supplier<T> reading) {
    var now = systemClock.instant();
    var studyNow = studyClock.instant();
    var before = state.get();
    var read = before.read();
    if (read != null && read.isFresh(now, studyNow)) {
      return read.value();
    }
    var value = reading.get();
    var took = Duration.between(now, systemClock.instant()).multipliedBy(SHARE);
    var kept = took.compareTo(AT_MOST) < 0 ? took : AT_MOST;
    // What was read before a change is not kept.
    var _ = state.compareAndSet(before, new State<>(new Read<>(now, studyNow, kept, value)));
    return value;
  }

  /** Changes the value that is kept, if there is one. */
  void change(UnaryOperator<T> change) {
    var _ = state.updateAndGet(it -> it.with(change));
  }
}
