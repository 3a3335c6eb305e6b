package org.habitline.ops.database;

import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the slow steps of an upgrade once the service is open, on whichever node comes first:
 * indexes of large tables, which PostgreSQL builds without blocking writers, and back-fills in
 * small transactions. Both may be interrupted at any time and continue at the next start or a few
 * minutes later. Checks again regularly, because nodes of an earlier version may still write old
 * rows.
 */
@Singleton
public final class Upgrade {

  private static final Logger log = LoggerFactory.getLogger(Upgrade.class);

  /** The key of the advisory lock that lets only one node build indexes; the others skip them. */
  private static final long INDEXES = 7_214_035_598_131L;

  private static final Duration TOLD_EVERY = Duration.ofSeconds(30);

  private final List<Backfill> backfills;
  private final OwnConnections connections;
  private final Transactions transactions;
  private final Clock systemClock;
  private final Map<String, String> told = new ConcurrentHashMap<>();
  private volatile boolean stopped;

  Upgrade(
      List<Backfill> backfills,
      OwnConnections connections,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.backfills = List.copyOf(backfills);
    this.connections = connections;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** Returns the state of each unfinished step in words, by its name; empty if nothing is left. */
  public Map<String, String> told() {
    return new LinkedHashMap<>(told);
  }

  @EventListener
  void stop(ShutdownEvent event) {
    stopped = true;
  }

  @Scheduled(initialDelay = "10s", fixedDelay = "5m")
  synchronized void goOn() {
    attempt("indexes", this::indexes);
    backfills.forEach(backfill -> attempt(backfill.name(), () -> fill(backfill)));
  }

  private interface Work {
    void carryOut() throws SQLException;
  }

  private void attempt(String name, Work work) {
    try {
      work.carryOut();
      told.remove(name);
    } catch (SQLException | RuntimeException e) {
      if (!stopped) {
        told.put(name, "failed and is tried again within minutes");
        log.warn(
            "Upgrade: {} failed and continues from the same place within minutes: {}{}",
            name,
            e.getClass().getName(),
            sqlState(e));
      }
    }
  }

  private static String sqlState(Exception e) {
    var cause = e instanceof SQLException ? e : e.getCause();
    return cause instanceof SQLException sql ? ", SQLSTATE " + sql.getSQLState() : "";
  }

  // --- back-fills ---

  private record Row(String position, long seen, boolean caughtUp) {}

  /**
   * The progress of a pass after one transaction.
   *
   * @param news whether the first pass is not finished yet
   */
  private record Step(String position, long seen, boolean news, Backfill.Next next) {}

  private void fill(Backfill backfill) {
    @Nullable String position = null;
    var nextTold = systemClock.instant().plus(TOLD_EVERY);
    while (!stopped) {
      var from = position;
      Step step = transactions.writeWith(connection -> step(backfill, connection, from));
      position = step.position();
      if (step.news() && step.next() == Backfill.Next.NOTHING && step.seen() > 0) {
        log.info("Upgrade: {} is complete, {} rows were checked", backfill.name(), step.seen());
      }
      if (step.next() != Backfill.Next.MORE) {
        return;
      }
      if (step.news()) {
        told.put(backfill.name(), step.seen() + " rows checked so far");
        if (!systemClock.instant().isBefore(nextTold)) {
          log.info(
              "Upgrade: {} continues, {} rows were checked so far", backfill.name(), step.seen());
          nextTold = systemClock.instant().plus(TOLD_EVERY);
        }
      }
    }
  }

  /** Runs one batch; does nothing while another node works on this back-fill. */
  private Step step(Backfill backfill, Connection connection, @Nullable String from) {
    try {
      begin(backfill, connection);
      var row = take(backfill, connection);
      if (row == null || (row.caughtUp() && !backfill.goesOn())) {
        return new Step("", 0, false, Backfill.Next.NOTHING);
      }
      var position =
          from != null ? from : row.caughtUp() ? backfill.before(row.position()) : row.position();
      var progress = backfill.next(connection, position);
      var seen = row.seen() + (row.caughtUp() ? 0 : progress.seen());
      save(backfill, connection, progress, seen, row.caughtUp());
      return new Step(progress.position(), seen, !row.caughtUp(), progress.next());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void begin(Backfill backfill, Connection connection) throws SQLException {
    try (var insert =
        connection.prepareStatement(
            "INSERT INTO backfill (name, position, seen, started_at) VALUES (?, '', 0, ?)"
                + " ON CONFLICT DO NOTHING")) {
      insert.setString(1, backfill.name());
      insert.setTimestamp(2, Timestamp.from(systemClock.instant()));
      insert.executeUpdate();
    }
  }

  private static @Nullable Row take(Backfill backfill, Connection connection) throws SQLException {
    try (var select =
        connection.prepareStatement(
            "SELECT position, seen, caught_up_at FROM backfill WHERE name = ?"
                + " FOR UPDATE SKIP LOCKED")) {
      select.setString(1, backfill.name());
      try (var found = select.executeQuery()) {
        return found.next()
            ? new Row(found.getString(1), found.getLong(2), found.getTimestamp(3) != null)
            : null;
      }
    }
  }

  private void save(
      Backfill backfill,
      Connection connection,
      Backfill.Progress progress,
      long seen,
      boolean caughtUp)
      throws SQLException {
    try (var update =
        connection.prepareStatement(
            "UPDATE backfill SET position = ?, seen = ?, caught_up_at = ? WHERE name = ?")) {
      update.setString(1, progress.position());
      update.setLong(2, seen);
      update.setTimestamp(
          3,
          caughtUp || progress.next() == Backfill.Next.NOTHING
              ? Timestamp.from(systemClock.instant())
              : null);
      update.setString(4, backfill.name());
      update.executeUpdate();
    }
  }

  // --- indexes ---

  /**
   * Builds missing indexes, rebuilds those that an earlier try left unfinished, then drops the ones
   * they replace.
   */
  private void indexes() throws SQLException {
    if (!connections.onPostgresql()) {
      return;
    }
    var scripts = Migrations.indexes(connections);
    try (var connection = connections.open()) {
      var states = states(connection);
      if ((scripts.made().stream().allMatch(it -> states.getOrDefault(it.name(), false))
              && scripts.dropped().stream().noneMatch(states::containsKey))
          || !alone(connection)) {
        return;
      }
      for (var index : scripts.made()) {
        build(index, connection);
      }
      for (var name : scripts.dropped()) {
        drop(name, connection);
      }
    }
  }

  /** Returns whether this node got the lock, which it keeps until the connection is closed. */
  private static boolean alone(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var found = statement.executeQuery("SELECT pg_try_advisory_lock(" + INDEXES + ")")) {
      return found.next() && found.getBoolean(1);
    }
  }

  private void build(LightScripts.Index index, Connection connection) throws SQLException {
    // Read again: another node may have built it before this one got the lock.
    var valid = states(connection).get(index.name());
    if (stopped || Boolean.TRUE.equals(valid)) {
      return;
    }
    told.put("indexes", "building " + index.name());
    log.info(
        "Upgrade: the index {} is being built; the service keeps working meanwhile", index.name());
    try (var statement = connection.createStatement()) {
      // It waits for all running transactions; nothing waits for it.
      statement.execute("SET lock_timeout = '10min'");
      if (valid != null) {
        statement.execute("DROP INDEX CONCURRENTLY " + index.name());
      }
      statement.execute(index.statement());
    }
    log.info("Upgrade: the index {} is built", index.name());
  }

  private void drop(String name, Connection connection) throws SQLException {
    if (stopped || !states(connection).containsKey(name)) {
      return;
    }
    try (var statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = '10min'");
      statement.execute("DROP INDEX CONCURRENTLY IF EXISTS " + name);
    }
    log.info("Upgrade: the index {} was dropped because another index replaces it", name);
  }

  /** Returns whether each index is usable, by name. */
  private static Map<String, Boolean> states(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var found =
            statement.executeQuery(
                "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                    + " WHERE c.relnamespace = current_schema()::regnamespace")) {
      var states = new LinkedHashMap<String, Boolean>();
      while (found.next()) {
        states.put(found.getString(1), found.getBoolean(2));
      }
      return states;
    }
  }
}
