package org.habitline.ops;

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
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.habitline.participants.ConnectionLane;
import org.jspecify.annotations.Nullable;

/**
 * A pool behind two gates, one for requests and one for background work. A thread that holds a
 * connection and wants a second one passes freely: waiting for itself it would wait for ever. Who
 * waits too long gets the exception of a pool that has no connection.
 */
final class GatedConnections implements DataSource {

  private static final ThreadLocal<@Nullable Permit> HELD = new ThreadLocal<>();

  private final DataSource pool;
  private final Gate requests;
  private final Gate background;
  private final Supplier<ConnectionLane> lane;
  private final Optional<OneWriter> writer;

  /**
   * @param writer who may write, if only one may at a time
   */
  GatedConnections(
      DataSource pool,
      Gate requests,
      Gate background,
      Supplier<ConnectionLane> lane,
      Optional<OneWriter> writer) {
    this.writer = writer;
    this.pool = pool;
    this.requests = requests;
    this.background = background;
    this.lane = lane;
  }

  /** So many at a time; the others wait in their order, for a while. */
  static final class Gate {
    private final Semaphore free;
    private final Duration patience;

    Gate(int most, Duration patience) {
      this.free = new Semaphore(most, true);
      this.patience = patience;
    }

    private Permit pass() throws SQLException {
      try {
        if (!free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
          throw new SQLTransientConnectionException(
              "No connection was free within " + patience.toSeconds() + " s.");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SQLTransientConnectionException("Interrupted while waiting for a connection.", e);
      }
      return new Permit(free);
    }
  }

  /** Given back once, by whichever thread closes the connection. */
  private static final class Permit {
    private final Semaphore free;
    private final AtomicBoolean givenBack = new AtomicBoolean();

    private Permit(Semaphore free) {
      this.free = free;
    }

    private void giveBack() {
      if (givenBack.compareAndSet(false, true)) {
        free.release();
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
    var gate =
        switch (lane.get()) {
          case URGENT -> null;
          case ANSWERING -> requests;
          case BACKGROUND -> background;
        };
    var held = HELD.get();
    if (gate == null || (held != null && held.valid())) {
      return writer.isPresent() ? giving(null, pool.getConnection()) : pool.getConnection();
    }
    var permit = gate.pass();
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
            new Giving(permit, writer.map(it -> it.new Seat()).orElse(null), connection));
  }

  private record Giving(
      @Nullable Permit permit, OneWriter.@Nullable Seat seat, Connection connection)
      implements InvocationHandler {
    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      if (seat != null) {
        seat.before(method, arguments);
      }
      try {
        return method.invoke(connection, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause() == null ? e : e.getCause();
      } finally {
        if (seat != null) {
          seat.after(method);
        }
        if (permit != null
            && (method.getName().equals("close") || method.getName().equals("abort"))) {
          permit.giveBack();
        }
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
