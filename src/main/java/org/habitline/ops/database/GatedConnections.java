package org.habitline.ops.database;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.habitline.storage.ConnectionLane;
import org.jspecify.annotations.Nullable;

/**
 * A connection pool behind two gates, one for requests and one for background work. A thread that
 * holds a connection and asks for a second one is not gated, because it would wait for itself
 * forever. A caller that waits too long gets the exception of an exhausted pool.
 */
final class GatedConnections implements DataSource {

  private static final ThreadLocal<@Nullable Permit> HELD = new ThreadLocal<>();

  private final DataSource pool;
  private final Gate requests;
  private final Gate background;
  private final Supplier<ConnectionLane> lane;
  private final Optional<H2WriteLock> writer;

  /**
   * @param writer the write lock, if only one transaction may write at a time
   */
  GatedConnections(
      DataSource pool,
      Gate requests,
      Gate background,
      Supplier<ConnectionLane> lane,
      Optional<H2WriteLock> writer) {
    this.writer = writer;
    this.pool = pool;
    this.requests = requests;
    this.background = background;
    this.lane = lane;
  }

  /**
   * Lets a limited number of callers pass at a time; the others wait in order, callers in the lane
   * {@code FINISHING} before those that begin new work.
   */
  static final class Gate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiter> finishing = new ArrayDeque<>();
    private final Deque<Waiter> others = new ArrayDeque<>();
    private final Duration patience;
    private int free;

    Gate(int most, Duration patience) {
      this.free = most;
      this.patience = patience;
    }

    private Permit pass(boolean finishes) throws SQLException {
      lock.lock();
      try {
        if (free > 0) {
          free--;
        } else {
          await(finishes ? finishing : others);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SQLTransientConnectionException("Interrupted while waiting for a connection.", e);
      } finally {
        lock.unlock();
      }
      return new Permit(this);
    }

    private final class Waiter {
      private final Condition called = lock.newCondition();
      private boolean passed;
    }

    /** Waits until {@link #giveBack} hands a place to the first waiter. */
    private void await(Deque<Waiter> line) throws SQLException, InterruptedException {
      var waiter = new Waiter();
      line.addLast(waiter);
      var left = patience.toNanos();
      try {
        while (!waiter.passed) {
          if (left <= 0) {
            throw new SQLTransientConnectionException(
                "No connection was free within " + patience.toSeconds() + " s.");
          }
          left = waiter.called.awaitNanos(left);
        }
      } catch (InterruptedException e) {
        if (waiter.passed) {
          giveBack();
        }
        throw e;
      } finally {
        line.remove(waiter);
      }
    }

    private void giveBack() {
      lock.lock();
      try {
        var next = finishing.isEmpty() ? others.pollFirst() : finishing.pollFirst();
        if (next == null) {
          free++;
        } else {
          next.passed = true;
          next.called.signal();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** A place in a gate; given back once, by whichever thread closes the connection. */
  private static final class Permit {
    private final Gate gate;
    private final AtomicBoolean givenBack = new AtomicBoolean();

    private Permit(Gate gate) {
      this.gate = gate;
    }

    private void giveBack() {
      if (givenBack.compareAndSet(false, true)) {
        gate.giveBack();
      }
      if (HELD.get() == this) {
        HELD.remove();
      }
    }

    private boolean valid() {
      return !givenBack.get();
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    var wanted = lane.get();
    var gate =
        switch (wanted) {
          case URGENT -> null;
          case ANSWERING -> requests;
          case FINISHING, BACKGROUND -> background;
        };
    var held = HELD.get();
    if (gate == null || (held != null && held.valid())) {
      return writer.isPresent() ? giving(null, pool.getConnection()) : pool.getConnection();
    }
    var permit = gate.pass(wanted == ConnectionLane.FINISHING);
    try {
      var connection = pool.getConnection();
      HELD.set(permit);
      return giving(permit, connection);
    } catch (SQLException | RuntimeException | Error e) {
      permit.giveBack();
      throw e;
    }
  }

  private Connection giving(@Nullable Permit permit, Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            GatedConnections.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new Giving(permit, writer.map(it -> it.new Seat(connection)).orElse(null), connection));
  }

  private record Giving(
      @Nullable Permit permit, H2WriteLock.@Nullable Seat seat, Connection connection)
      implements InvocationHandler {
    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      if (seat != null) {
        seat.before(method, arguments);
      }
      try {
        var result = method.invoke(connection, arguments);
        after(method);
        return result;
      } catch (InvocationTargetException e) {
        var failed = e.getCause() == null ? e : e.getCause();
        try {
          after(method);
        } catch (SQLException second) {
          failed.addSuppressed(second);
        }
        throw failed;
      } finally {
        if (permit != null
            && (method.getName().equals("close") || method.getName().equals("abort"))) {
          permit.giveBack();
        }
      }
    }

    private void after(Method method) throws SQLException {
      if (seat != null) {
        seat.after(method);
      }
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return pool.getConnection(user, password);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() throws SQLException {
    return pool.getLogWriter();
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter writer) throws SQLException {
    pool.setLogWriter(writer);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    pool.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return pool.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return pool.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : pool.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || pool.isWrapperFor(type);
  }
}
