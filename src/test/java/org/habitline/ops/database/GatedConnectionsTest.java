package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.habitline.storage.ConnectionLane;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gets a connection when there are few. */
class GatedConnectionsTest {

  private static final Duration SOON = Duration.ofMillis(200);

  private final HikariDataSource pool = new HikariDataSource(settings());
  private final GatedConnections connections =
      new GatedConnections(
          pool,
          new GatedConnections.Gate(2, SOON),
          new GatedConnections.Gate(1, SOON),
          () -> ConnectionLane.current().orElse(ConnectionLane.BACKGROUND),
          Optional.empty());

  private static HikariConfig settings() {
    var settings = new HikariConfig();
    settings.setJdbcUrl("jdbc:h2:mem:");
    settings.setMaximumPoolSize(4);
    return settings;
  }

  @AfterEach
  void close() {
    pool.close();
  }

  /** Takes a connection on a thread of its own and gives it back at once. */
  private boolean isFree(ConnectionLane lane) {
    return CompletableFuture.supplyAsync(() ->
            lane.call(() -> {
              try (var connection = connections.getConnection()) {
                return !connection.isClosed();
              } catch (SQLTransientConnectionException e) {
                return false;
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            }))
        .join();
  }

  @Test
  void backgroundWorkNeverTakesWhatIsLeftForRequests() throws SQLException {
    try (var held = connections.getConnection()) {
      assertThat(held.isClosed()).isFalse();
      assertThat(isFree(ConnectionLane.BACKGROUND)).isFalse();
      assertThat(isFree(ConnectionLane.ANSWERING)).isTrue();
      assertThat(isFree(ConnectionLane.URGENT)).isTrue();
    }
    assertThat(isFree(ConnectionLane.BACKGROUND)).isTrue();
  }

  @Test
  void aThreadThatHoldsOneIsGivenASecond() throws SQLException {
    try (var first = connections.getConnection();
        var second = connections.getConnection()) {
      assertThat(first.isClosed() || second.isClosed()).isFalse();
    }
    assertThat(isFree(ConnectionLane.BACKGROUND)).isTrue();
  }

  /** What a model was paid for is committed before anything new is begun. */
  @Test
  void whoeverRecordsGoesBeforeWhoeverBegins() throws Exception {
    var order = new ConcurrentLinkedQueue<ConnectionLane>();
    var patient =
        new GatedConnections(
            pool,
            new GatedConnections.Gate(2, SOON),
            new GatedConnections.Gate(1, Duration.ofMinutes(1)),
            () -> ConnectionLane.current().orElse(ConnectionLane.BACKGROUND),
            Optional.empty());
    var threads = new ArrayList<Thread>();
    try (var held = patient.getConnection()) {
      assertThat(held.isClosed()).isFalse();
      for (var lane : List.of(ConnectionLane.BACKGROUND, ConnectionLane.FINISHING)) {
        var thread =
            Thread.ofPlatform()
                .daemon()
                .start(() ->
                    lane.run(() -> {
                      try (var connection = patient.getConnection()) {
                        order.add(connection.isClosed() ? ConnectionLane.URGENT : lane);
                      } catch (SQLException e) {
                        throw new IllegalStateException(e);
                      }
                    }));
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        threads.add(thread);
      }
    }
    for (var thread : threads) {
      thread.join();
    }
    assertThat(order).containsExactly(ConnectionLane.FINISHING, ConnectionLane.BACKGROUND);
  }

  @Test
  void closingTwiceGivesBackOnce() throws SQLException {
    var connection = connections.getConnection();
    connection.close();
    connection.close();
    try (var held = connections.getConnection()) {
      assertThat(held.isClosed()).isFalse();
      assertThat(isFree(ConnectionLane.BACKGROUND)).isFalse();
    }
  }

  @Test
  void whatThePoolRefusesIsGivenBack() throws SQLException {
    pool.close();
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(connections::getConnection)
          .isInstanceOf(SQLException.class)
          .isNotInstanceOf(SQLTransientConnectionException.class);
    }
  }

  @Test
  void aFailureOfTheDatabaseIsToldAsItIs() throws SQLException {
    try (var connection = connections.getConnection();
        var statement = connection.createStatement()) {
      assertThatThrownBy(() -> connection.prepareStatement("SELECT nothing FROM nowhere"))
          .isInstanceOf(SQLException.class);
      assertThat(statement.execute("SELECT 1")).isTrue();
    }
  }
}
