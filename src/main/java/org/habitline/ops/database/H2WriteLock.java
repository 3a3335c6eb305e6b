package org.habitline.ops.database;

import java.lang.reflect.Method;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets only one transaction at a time write to an H2 file. A commit stores the tables one after the
 * other while other transactions keep writing, so it can store half of another transaction; a
 * process killed right then leaves a table that does not match its index or another table (seen
 * with 2.4.240). With one writer that cannot happen, and commits are no slower, because they wait
 * for each other anyway. Reading does not take the lock.
 */
final class H2WriteLock {

  private static final Pattern READS =
      Pattern.compile("\\s*select\\b(?!.*\\bfor\\s+update\\b).*", Pattern.DOTALL);

  private static final ThreadLocal<@Nullable Turn> MINE = new ThreadLocal<>();

  private final Duration patience;
  private final Semaphore free = new Semaphore(1, true);

  /**
   * @param patience how long a transaction waits for the lock before it fails
   */
  H2WriteLock(Duration patience) {
    this.patience = patience;
  }

  /** A transaction's right to write; ended once, by whichever thread ends the transaction. */
  private final class Turn {
    private final AtomicBoolean over = new AtomicBoolean();

    private boolean lastsFor(H2WriteLock writer) {
      return writer == H2WriteLock.this && !over.get();
    }

    private void end() {
      if (over.compareAndSet(false, true)) {
        free.release();
      }
      if (MINE.get() == this) {
        MINE.remove();
      }
    }
  }

  /** The lock's state for one connection. Not thread-safe, like the connection. */
  final class Seat {
    private @Nullable Turn turn;

    /**
     * Takes the lock if the call may write.
     *
     * @throws SQLTransientConnectionException if the lock was not free in time
     */
    void before(Method method, @Nullable Object @Nullable [] arguments) throws SQLException {
      if (turn == null && mayWrite(method, arguments)) {
        turn = take();
      }
    }

    /** Releases the lock if the call ended the transaction. */
    void after(Method method) {
      var had = turn;
      if (had != null && ends(method)) {
        turn = null;
        had.end();
      }
    }
  }

  private @Nullable Turn take() throws SQLException {
    var held = MINE.get();
    if (held != null && held.lastsFor(this)) {
      // A second connection of the writing thread: it would wait for itself forever.
      return null;
    }
    try {
      if (!free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new SQLTransientConnectionException(
            "The write lock was not free within " + patience.toSeconds() + " s.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException("Interrupted while waiting to write.", e);
    }
    var turn = new Turn();
    MINE.set(turn);
    return turn;
  }

  private static boolean mayWrite(Method method, @Nullable Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "createStatement" -> true;
      case "prepareStatement", "prepareCall" ->
          arguments == null
              || !(arguments[0] instanceof String sql)
              || !READS.matcher(sql.toLowerCase(Locale.ROOT)).matches();
      default -> false;
    };
  }

  private static boolean ends(Method method) {
    return switch (method.getName()) {
      case "commit", "close", "abort" -> true;
      // A rollback to a savepoint does not end the transaction.
      case "rollback" -> method.getParameterCount() == 0;
      default -> false;
    };
  }
}
