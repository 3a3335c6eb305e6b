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
 * Lets one transaction at a time write to an H2 file. A commit there stores the tables one after
 * the other while other transactions go on writing, so that what it stores can hold half of
 * another's transaction; a process that is killed right then leaves a table and its index, or two
 * tables, that do not fit together (seen with 2.4.240). With one writer there is no other half, and
 * commits are no slower: they wait for each other in any case. Reading needs no turn.
 */
final class H2WriteLock {

  private static final Pattern READS =
      Pattern.compile("\\s*select\\b(?!.*\\bfor\\s+update\\b).*", Pattern.DOTALL);

  private static final ThreadLocal<@Nullable Turn> MINE = new ThreadLocal<>();

  private final Duration patience;
  private final Semaphore free = new Semaphore(1, true);

  /**
   * @param patience who gets no turn within it is refused
   */
  H2WriteLock(Duration patience) {
    this.patience = patience;
  }

  /** A transaction's turn to write; given back once, by whichever thread ends it. */
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

  /** What one connection has of it. Not for two threads at once, like the connection. */
  final class Seat {
    private @Nullable Turn turn;

    /**
     * Waits for a turn if what is called now may write.
     *
     * @throws SQLTransientConnectionException if there was none in time
     */
    void before(Method method, @Nullable Object @Nullable [] arguments) throws SQLException {
      if (turn == null && mayWrite(method, arguments)) {
        turn = take();
      }
    }

    /** Gives the turn back if what was called ended the transaction. */
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
      // A second connection of a thread that writes: waiting for itself it would wait for ever.
      return null;
    }
    try {
      if (!free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new SQLTransientConnectionException(
            "Others wrote to the database for " + patience.toSeconds() + " s.");
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
      // To a savepoint it ends nothing.
      case "rollback" -> method.getParameterCount() == 0;
      default -> false;
    };
  }
}
