package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.mvstore.MVStore;
import org.habitline.RunningLine;
import org.habitline.storage.ConnectionLane;
import org.habitline.storage.Database;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On an H2 file one transaction writes at a time. */
class H2WriteLockTest {

  private static final String INSERT = "INSERT INTO t VALUES (1)";
  private static final int TOGETHER = 8;

  private final HikariDataSource pool = new HikariDataSource(settings());
  private final GatedConnections connections =
      new GatedConnections(
          pool,
          new GatedConnections.Gate(3, Duration.ofSeconds(1)),
          new GatedConnections.Gate(3, Duration.ofSeconds(1)),
          () -> ConnectionLane.current().orElse(ConnectionLane.BACKGROUND),
          Optional.of(new H2WriteLock(Duration.ofMillis(200))));

  H2WriteLockTest() throws SQLException {
    try (var connection = pool.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (n INT)");
    }
  }

  private static HikariConfig settings() {
    var settings = new HikariConfig();
    settings.setJdbcUrl("jdbc:h2:mem:one_writer");
    settings.setMaximumPoolSize(5);
    return settings;
  }

  @AfterEach
  void close() {
    pool.close();
  }

  private Connection begun() throws SQLException {
    var connection = connections.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private static void write(Connection connection) throws SQLException {
    run(connection, INSERT);
  }

  /** Whether another thread may do this now. */
  private boolean others(String sql) {
    return CompletableFuture.supplyAsync(
            () -> {
              try (var connection = begun();
                  var statement = connection.prepareStatement(sql)) {
                var _ = statement.execute();
                connection.rollback();
                return true;
              } catch (SQLTransientConnectionException e) {
                return false;
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            })
        .join();
  }

  @Test
  void othersReadWhileOneWritesAndWriteWhenItHasEnded() throws SQLException {
    try (var one = begun()) {
      assertThat(others(INSERT)).isTrue();
      write(one);
      assertThat(others("SELECT n FROM t")).isTrue();
      assertThat(others(INSERT)).isFalse();
      assertThat(others("select n from t\n for  UPDATE")).isFalse();
      one.commit();
      assertThat(others(INSERT)).isTrue();
      write(one);
      assertThat(others(INSERT)).isFalse();
      one.rollback();
      assertThat(others(INSERT)).isTrue();
      write(one);
    }
    assertThat(others(INSERT)).isTrue();
  }

  @Test
  void aRollbackToASavepointEndsNothing() throws SQLException {
    try (var one = begun()) {
      write(one);
      one.rollback(one.setSavepoint());
      assertThat(others(INSERT)).isFalse();
      one.rollback();
    }
  }

  @Test
  void aThreadThatWritesDoesNotWaitForItself() throws SQLException {
    try (var one = begun();
        var second = begun()) {
      write(one);
      write(second);
      second.commit();
      assertThat(others(INSERT)).isFalse();
      one.commit();
      assertThat(others(INSERT)).isTrue();
    }
  }

  @Test
  void whoWaitsTooLongIsToldLikeOneWhoGotNoConnection() throws SQLException {
    try (var one = begun()) {
      write(one);
      assertThatThrownBy(() ->
              CompletableFuture.runAsync(
                      () -> {
                        try (var other = begun()) {
                          write(other);
                        } catch (SQLException e) {
                          throw new IllegalStateException(e);
                        }
                      })
                  .join())
          .hasRootCauseInstanceOf(SQLTransientConnectionException.class);
      one.rollback();
    }
  }

  @Test
  void theFileOfALineHasOneWriter() throws SQLException {
    try (var line = RunningLine.onFile(H2WriteLockTest.class).start()) {
      var source = DelegatingDataSource.unwrapDataSource(line.bean(DataSource.class));
      try (var one = source.getConnection()) {
        one.setAutoCommit(false);
        run(one, "UPDATE study_clock SET ahead_millis = ahead_millis");
        // Of another table, so that no row is in its way.
        var other =
            CompletableFuture.runAsync(() -> {
              try (var connection = source.getConnection()) {
                run(connection, "DELETE FROM debug_interval");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
        await().during(Duration.ofMillis(300)).until(() -> !other.isDone());
        one.commit();
        other.join();
      }
    }
  }

  @Test
  void commitsThatComeTogetherAreStoredByOneWriteAndEachReturnsWhenTheFileHasIt(
      @TempDir Path folder) throws Exception {
    onFile(
        folder,
        (source, store) -> {
          try (var one = source.getConnection()) {
            one.setAutoCommit(false);
            run(one, INSERT);
            var unsaved = new AtomicInteger();
            var others = new ArrayList<Thread>();
            for (int i = 0; i < TOGETHER; i++) {
              others.add(Thread.ofPlatform().start(() -> insert(source, store, unsaved)));
            }
            await().until(() -> others.stream().allMatch(H2WriteLockTest::waitsToWrite));
            var before = store.getCurrentVersion();
            one.commit();
            for (var other : others) {
              other.join();
            }
            assertThat(store.getCurrentVersion()).isEqualTo(before + 1);
            assertThat(unsaved).hasValue(0);
          }
        });
  }

  @Test
  void aThreadThatIsInterruptedStillWaitsUntilTheFileHasItsCommit(@TempDir Path folder)
      throws Exception {
    onFile(
        folder,
        (source, store) -> {
          try (var one = source.getConnection()) {
            one.setAutoCommit(false);
            run(one, INSERT);
            Thread.currentThread().interrupt();
            one.commit();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(store.hasUnsavedChanges()).isFalse();
          }
        });
  }

  @Test
  void aCommitThatTheFileDoesNotGetAnyMoreFails(@TempDir Path folder) throws Exception {
    onFile(
        folder,
        (source, store) -> {
          var one = source.getConnection();
          one.setAutoCommit(false);
          run(one, INSERT);
          var writes = new CountDownLatch(1);
          var closed = new CountDownLatch(1);
          var next = Thread.ofPlatform().start(() -> writeUntil(source, writes, closed));
          await().until(() -> waitsToWrite(next));
          var committing =
              CompletableFuture.supplyAsync(() -> {
                try {
                  one.commit();
                  return Optional.<SQLException>empty();
                } catch (SQLException e) {
                  return Optional.of(e);
                }
              });
          writes.await();
          store.closeImmediately();
          closed.countDown();
          next.join();
          assertThat(committing.join()).isPresent();
          // This thread would never be gated again.
          assertThatThrownBy(one::close).isInstanceOf(SQLException.class);
        });
  }

  @Test
  void ofACommitThatTheFileDoesNotGetInTimeTheOutcomeIsUnknown(@TempDir Path folder)
      throws Exception {
    onFile(
        folder,
        Duration.ofSeconds(5),
        (source, store) -> {
          try (var one = source.getConnection()) {
            one.setAutoCommit(false);
            run(one, INSERT);
            var writes = new CountDownLatch(1);
            var refused = new CountDownLatch(1);
            var next = Thread.ofPlatform().start(() -> writeUntil(source, writes, refused));
            try {
              await().pollInterval(Duration.ofMillis(10)).until(() -> waitsToWrite(next));
              assertThatThrownBy(one::commit).matches(Database::isOutcomeUnknown);
            } finally {
              refused.countDown();
              next.join();
            }
          }
        });
  }

  /** Writes, and keeps the lock until this is over. */
  private static void writeUntil(DataSource source, CountDownLatch writes, CountDownLatch over) {
    try (var connection = source.getConnection()) {
      connection.setAutoCommit(false);
      run(connection, INSERT);
      writes.countDown();
      over.await();
    } catch (SQLException e) {
      // It cannot end well without a file.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean waitsToWrite(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        && Stream.of(thread.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(H2WriteLock.class.getName()));
  }

  private interface OnFile {
    void run(DataSource source, MVStore store) throws Exception;
  }

  /** Runs this with the connections to a file in which there is a table. */
  private static void onFile(Path folder, OnFile test) throws Exception {
    onFile(folder, Duration.ofSeconds(30), test);
  }

  private static void onFile(Path folder, Duration patience, OnFile test) throws Exception {
    var file = new HikariConfig();
    file.setJdbcUrl("jdbc:h2:file:" + folder.resolve("file") + ";WRITE_DELAY=0");
    file.setMaximumPoolSize(TOGETHER + 2);
    try (var files = new HikariDataSource(file);
        var reader = files.getConnection()) {
      run(reader, "CREATE TABLE t (n INT)");
      // Each connection that is opened sets WRITE_DELAY again.
      await().until(() -> files.getHikariPoolMXBean().getTotalConnections() == TOGETHER + 2);
      test.run(gated(files, patience, TOGETHER + 1), FileCompaction.store(reader).orElseThrow());
    }
  }

  /** Inserts a row, and counts if the file does not have it when the commit returns. */
  private static void insert(DataSource source, MVStore store, AtomicInteger unsaved) {
    try (var connection = source.getConnection()) {
      connection.setAutoCommit(false);
      run(connection, INSERT);
      connection.commit();
      if (store.hasUnsavedChanges()) {
        unsaved.incrementAndGet();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static GatedConnections gated(HikariDataSource pool, Duration patience, int most) {
    return new GatedConnections(
        pool,
        new GatedConnections.Gate(most, patience),
        new GatedConnections.Gate(most, patience),
        () -> ConnectionLane.current().orElse(ConnectionLane.BACKGROUND),
        Optional.of(new H2WriteLock(patience)));
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      statement.executeUpdate();
    }
  }
}
