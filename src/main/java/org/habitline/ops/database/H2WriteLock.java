package org.habitline.ops.database;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.h2.engine.Database;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets only one transaction at a time write to an H2 file, and puts what several of them committed
 * on the disk with one write and one force. H2 stores the tables one after the other while other
 * transactions keep writing, so it can store half of another transaction; a process killed right
 * then leaves a table that does not match its index or another table (seen with 2.4.240). With one
 * writer that cannot happen. Reading does not take the lock. H2 itself never forces the file.
 *
 * <p>A commit only changes the tables in memory and lets the next writer go on. It returns when the
 * disk has it: the first waiting thread stores everything committed by then, and the others find
 * their commits already stored. Another transaction may read a commit that is not stored yet, but
 * no commit that builds on it returns before both are stored.
 *
 * <p>If the file cannot be written or forced, it is closed as if the process had ended, because a
 * later force would say nothing about these bytes; the next connection opens it again.
 */
@Singleton
public final class H2WriteLock {

  private static final Logger log = LoggerFactory.getLogger(H2WriteLock.class);

  /** As long as H2 itself waits for a row lock. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final String SELECT = "select";
  private static final Pattern FOR_UPDATE =
      Pattern.compile("\\bfor\\s+update\\b", Pattern.CASE_INSENSITIVE);

  private static final ThreadLocal<@Nullable Turn> MINE = new ThreadLocal<>();

  /** Turns off H2's own storing, at each commit and in a background thread. */
  private static final int STORED_BY_US = -1;

  private final Duration patience;
  private final Semaphore free = new Semaphore(1, true);

  /** Held while storing. A thread that holds {@link #free} never waits for it. */
  private final ReentrantLock storing = new ReentrantLock();

  /** How many transactions have ended; only a holder of {@link #free} reads and changes it. */
  private long ended;

  /** How many of them are on the disk. */
  private volatile long stored;

  private volatile boolean failing;

  @Inject
  H2WriteLock() {
    this(PATIENCE);
  }

  /**
   * @param patience how long a transaction waits for the lock before it fails
   */
  H2WriteLock(Duration patience) {
    this.patience = patience;
  }

  /** Returns whether the last attempt to write the file failed. */
  public boolean isFailing() {
    return failing;
  }

  /** A transaction's right to write; ended once, by whichever thread ends the transaction. */
  private final class Turn {
    private final AtomicBoolean over = new AtomicBoolean();
    private final Optional<Database> file;

    private Turn(Optional<Database> file) {
      this.file = file;
    }

    private boolean lastsFor(H2WriteLock writer) {
      return writer == H2WriteLock.this && !over.get();
    }

    /**
     * Lets the next transaction write, and returns when the disk has this one. A rollback waits
     * too: a second connection of its thread, or a statement that H2 commits at once, may have
     * committed something that nobody else stores.
     */
    private void end() throws SQLException {
      if (MINE.get() == this) {
        MINE.remove();
      }
      if (over.compareAndSet(false, true)) {
        var number = ++ended;
        free.release();
        if (file.isPresent()) {
          store(file.get(), number);
        }
      }
    }
  }

  /**
   * Returns when the disk has the transaction of this number. An interrupt does not end the wait:
   * the transaction is committed, and without the disk nobody knew whether it lasts.
   */
  private void store(Database file, long number) throws SQLException {
    var interrupted = false;
    try {
      while (!isStored(file, number)) {
        try {
          storeUpTo(file, number);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns whether the disk has the transaction; never if the file was closed since. */
  private boolean isStored(Database file, long number) {
    // In this order: the next file is opened only when this one is closed.
    return stored >= number && !store(file).isClosed();
  }

  private void storeUpTo(Database file, long number) throws SQLException, InterruptedException {
    if (!storing.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
      throw unknown(number);
    }
    try {
      if (store(file).isClosed()) {
        if (!file.isClosing()) {
          // H2 closed the store itself, when it could not write it.
          failed(file);
        }
        throw new SQLException(
            "The database file was closed. A commit may not be stored.",
            org.habitline.storage.Database.OUTCOME_UNKNOWN);
      }
      if (stored < number) {
        storeAll(file, number);
      }
    } finally {
      storing.unlock();
    }
  }

  /** Not transient: a client that repeated its request could do its work twice. */
  private SQLException unknown(long number) {
    return new SQLException(
        "Commit "
            + number
            + " was not stored within "
            + patience.toSeconds()
            + " s; it may still be stored.",
        org.habitline.storage.Database.OUTCOME_UNKNOWN);
  }

  private void storeAll(Database file, long number) throws SQLException, InterruptedException {
    var store = store(file);
    var wrote = false;
    try {
      // Nobody else stores what there is.
      wrote = store.hasUnsavedChanges();
      var now = written(store, number);
      store.sync();
      // H2 closes a file that it could not write, and then stores nothing without a word.
      if (store.isClosed()) {
        throw new MVStoreException(DataUtils.ERROR_CLOSED, "The file was closed");
      }
      stored = now;
    } catch (MVStoreException e) {
      failed(file);
      throw new SQLException(
          "The database file cannot be written. A commit may not be stored.",
          org.habitline.storage.Database.OUTCOME_UNKNOWN,
          e);
    }
    if (failing && wrote) {
      failing = false;
      log.info("The database file can be written again");
    }
  }

  /** Writes what is committed to the file while nobody else writes; returns up to which number. */
  private long written(MVStore store, long number) throws SQLException, InterruptedException {
    if (!free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
      throw unknown(number);
    }
    try {
      var _ = store.commit();
      return ended;
    } finally {
      free.release();
    }
  }

  private void failed(Database file) {
    if (!failing) {
      failing = true;
      log.error(
          "The database file cannot be written, so nothing is acknowledged. It is closed and opened"
              + " again until it can. Check the disk of the data folder and its free space");
    }
    file.shutdownImmediately();
  }

  private static MVStore store(Database file) {
    return file.getStore().getMvStore();
  }

  /** The lock's state for one connection. Not thread-safe, like the connection. */
  final class Seat {
    private final Connection connection;
    private @Nullable Turn turn;

    Seat(Connection connection) {
      this.connection = connection;
    }

    /**
     * Takes the lock if the call may write.
     *
     * @throws SQLTransientConnectionException if the lock was not free in time
     */
    void before(Method method, @Nullable Object @Nullable [] arguments) throws SQLException {
      if (turn == null && mayWrite(method, arguments)) {
        turn = take(connection);
      }
    }

    /**
     * Releases the lock if the call ended the transaction, and returns when the disk has it.
     *
     * @throws SQLException if the file could not be written, or not in time; the transaction may be
     *     stored later
     */
    void after(Method method) throws SQLException {
      var had = turn;
      if (had != null && ends(method)) {
        turn = null;
        had.end();
      }
    }
  }

  private @Nullable Turn take(Connection connection) throws SQLException {
    var held = MINE.get();
    if (held != null && held.lastsFor(this)) {
      // A second connection of the writing thread would wait for itself forever. What it commits is
      // stored when the first transaction ends.
      return null;
    }
    var turn = new Turn(storedHere(connection));
    try {
      if (!free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new SQLTransientConnectionException(
            "The write lock was not free within " + patience.toSeconds() + " s.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException("Interrupted while waiting to write.", e);
    }
    MINE.set(turn);
    return turn;
  }

  /**
   * Returns the file if commits are to be stored before they return ({@code WRITE_DELAY=0}). Each
   * connection that the pool opens sets the delay again; H2 then stores until the next transaction.
   */
  private static Optional<Database> storedHere(Connection connection) {
    var file =
        FileCompaction.database(connection)
            .filter(it -> store(it).isPersistent() && store(it).getAutoCommitDelay() <= 0);
    file.map(H2WriteLock::store)
        .filter(store -> store.getAutoCommitDelay() != STORED_BY_US)
        .ifPresent(store -> store.setAutoCommitDelay(STORED_BY_US));
    return file;
  }

  private static boolean mayWrite(Method method, @Nullable Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "createStatement" -> true;
      case "prepareStatement", "prepareCall" ->
          arguments == null || !(arguments[0] instanceof String sql) || mayWrite(sql);
      default -> false;
    };
  }

  private static boolean mayWrite(String sql) {
    var start = sql.length() - sql.stripLeading().length();
    return !sql.regionMatches(true, start, SELECT, 0, SELECT.length())
        || FOR_UPDATE.matcher(sql).find();
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
