package org.habitline.ops.database;

import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.core.annotation.Order;
import io.micronaut.core.order.Ordered;
import io.micronaut.http.context.ServerRequestContext;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.habitline.storage.ConnectionLane;

/**
 * Reserves connections of the pool: background work never holds all of them, and neither do
 * requests, however many arrive at once. Waiting is first come, first served. A request is soon
 * asked to retry; background work waits longer.
 */
@Singleton
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class ConnectionGate implements BeanCreatedEventListener<DataSource> {

  /** Connections that background work never uses. */
  private static final int LEFT_BY_BACKGROUND = 3;

  /** Connections that requests never use. */
  private static final int LEFT_BY_REQUESTS = 2;

  /** Shorter than the timeouts of clients and of the pool itself. */
  private static final Duration REQUESTS_WAIT = Duration.ofSeconds(5);

  /** As long as a lease: a turn that waits longer has lost its lease. */
  private static final Duration BACKGROUND_WAITS = Duration.ofSeconds(30);

  private final H2WriteLock writer;

  ConnectionGate(H2WriteLock writer) {
    this.writer = writer;
  }

  @Override
  public DataSource onCreated(BeanCreatedEvent<DataSource> event) {
    var pool = event.getBean();
    try {
      return pool.isWrapperFor(HikariDataSource.class)
          ? gated(pool, pool.unwrap(HikariDataSource.class))
          : pool;
    } catch (SQLException e) {
      throw new IllegalStateException("The connection pool does not report its type.", e);
    }
  }

  private DataSource gated(DataSource pool, HikariDataSource settings) {
    var size = settings.getMaximumPoolSize();
    var url = settings.getJdbcUrl();
    return new GatedConnections(
        pool,
        new GatedConnections.Gate(Math.max(1, size - LEFT_BY_REQUESTS), REQUESTS_WAIT),
        new GatedConnections.Gate(Math.max(1, size - LEFT_BY_BACKGROUND), BACKGROUND_WAITS),
        ConnectionGate::lane,
        url != null && url.startsWith("jdbc:h2:") ? Optional.of(writer) : Optional.empty());
  }

  private static ConnectionLane lane() {
    return ConnectionLane.current()
        .orElseGet(() ->
            ServerRequestContext.currentRequest().isPresent()
                ? ConnectionLane.ANSWERING
                : ConnectionLane.BACKGROUND);
  }
}
