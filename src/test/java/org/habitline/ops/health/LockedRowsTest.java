package org.habitline.ops.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.TestDatabase;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.ops.database.LockWaits;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.Participants;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;
import org.habitline.timers.Sweeps;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Somebody stands still in the middle of a transaction and holds rows on PostgreSQL that others
 * need, as a frozen node does.
 */
final class LockedRowsTest {

  private static final Map<String, Object> DATABASE = TestDatabase.postgres();

  /** An operator's own words to the server, in the address. */
  private static final String OWN = "?options=-c%20lock_timeout=7s%20-c%20search_path=public";

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = on(DATABASE, "").start();
    line.bean(Sweeps.class).start();
  }

  @AfterAll
  static void stop() {
    line.bean(Sweeps.class).stop();
    line.close();
  }

  private static RunningLine.Setup on(Map<String, Object> database, String options) {
    var setup = RunningLine.in(LockedRowsTest.class);
    database.forEach((key, value) -> setup.with(key, (String) value));
    return setup.with("database.url", database.get("database.url") + options);
  }

  /** A transaction of a process that does not go on. */
  private static final class Frozen implements AutoCloseable {
    private final Connection connection;

    private Frozen(Map<String, Object> database, String locks) throws SQLException {
      connection =
          DriverManager.getConnection(
              (String) database.get("database.url"),
              (String) database.get("database.user"),
              (String) database.get("database.password"));
      connection.setAutoCommit(false);
      try (var statement = connection.createStatement()) {
        statement.execute(locks);
      }
    }

    private void commit() throws SQLException {
      connection.commit();
      connection.close();
    }

    private void end() throws SQLException {
      if (!connection.isClosed()) {
        connection.rollback();
        connection.close();
      }
    }

    @Override
    public void close() throws SQLException {
      end();
    }
  }

  private static Frozen holding(Participant participant) throws SQLException {
    return new Frozen(
        DATABASE,
        "SELECT id FROM address WHERE phone = '" + participant.phone().e164() + "' FOR UPDATE");
  }

  private static LockWaits.Waiting waits() {
    return line.bean(LockWaits.class).now();
  }

  private static String setting(RunningLine of, String name) {
    return of.column("SHOW " + name).getFirst();
  }

  @Test
  void theServerBoundsWhatEveryConnectionHoldsAndWaitsFor() {
    assertThat(setting(line, "idle_in_transaction_session_timeout")).isEqualTo("15s");
    assertThat(setting(line, "client_connection_check_interval")).isEqualTo("5s");
    assertThat(setting(line, "lock_timeout")).isEqualTo("10s");
  }

  @Test
  void whatTheAddressItselfSetsWinsAndIsNotLost() {
    var own = on(DATABASE, OWN).build();
    try {
      assertThat(setting(own, "lock_timeout")).isEqualTo("7s");
      assertThat(setting(own, "search_path")).isEqualTo("public");
      assertThat(setting(own, "idle_in_transaction_session_timeout")).isEqualTo("15s");
    } finally {
      own.close();
    }
  }

  @Test
  void aTransactionThatStandsStillIsEndedByTheServerAndItsLocksAreFree() throws SQLException {
    var robin = line.greeted();
    var brief = on(DATABASE, "?options=-c%20idle_in_transaction_session_timeout=1s").build();
    try {
      var transactions = brief.bean(Transactions.class);
      assertThatThrownBy(() ->
              transactions.write(() -> {
                brief.bean(Participants.class).hold(robin.id());
                // Whoever needs the row waits until the server ends this transaction.
                var named = CompletableFuture.supplyAsync(() -> named(robin, "Robin again"));
                assertThat(named.join()).isPresent();
                brief.bean(Participants.class).hold(robin.id());
              }))
          .satisfies(failure -> assertThat(Database.isPassing(failure)).isTrue());
    } finally {
      brief.close();
    }
  }

  private static Optional<Participants.Updated> named(Participant participant, String name) {
    return line.bean(Participants.class)
        .update(
            participant.id(),
            ParticipantChange.ofPerson(new ParticipantChange.NewText(name), null, null, null));
  }

  @Test
  void oneLockedRowDoesNotHoldTheAcknowledgementsOfOthers() throws Exception {
    var robin = line.greeted();
    var wren = line.greeted();
    try (var frozen = holding(robin)) {
      var first = CompletableFuture.supplyAsync(() -> line.text(robin, "one"));
      await().until(() -> waits().connections() == 1);
      // These come while the first waits, and are carried out together.
      var held = CompletableFuture.supplyAsync(() -> line.text(robin, "two"));
      assertThat(line.text(wren, "hello")).isInstanceOf(Acceptance.Stored.class);
      assertThat(line.text(wren, "hello again")).isInstanceOf(Acceptance.Stored.class);
      assertThat(first).isNotDone();
      assertThat(held).isNotDone();
      frozen.end();
      assertThat(first.get()).isInstanceOf(Acceptance.Stored.class);
      assertThat(held.get()).isInstanceOf(Acceptance.Stored.class);
    }
  }

  @Test
  void healthTellsWhoWaitsForALockAndForHowLong() throws Exception {
    var robin = line.greeted();
    assertThat(waits()).isEqualTo(LockWaits.Waiting.NONE);
    try (var frozen = holding(robin)) {
      var waiting = CompletableFuture.supplyAsync(() -> line.text(robin, "hello"));
      await().until(() -> waits().connections() == 1 && waits().longest().isPositive());
      assertThat(line.bean(Backlog.class).look().orElseThrow().locks().orElseThrow().connections())
          .isEqualTo(1);
      frozen.end();
      assertThat(waiting.get()).isInstanceOf(Acceptance.Stored.class);
    }
  }

  @Test
  void whatWaitsIsToldThoughTheServerDoesNotSayWhoWaitsForALock() throws SQLException {
    var database = TestDatabase.postgres();
    on(database, "").build().close();
    new Frozen(database, "CREATE VIEW public.pg_locks AS SELECT 1 AS pid").commit();
    var other = on(database, "?options=-c%20search_path=public,pg_catalog").build();
    try {
      assertThatThrownBy(() -> other.bean(LockWaits.class).now())
          .isInstanceOf(RuntimeException.class);
      var seen = other.bean(Backlog.class).look().orElseThrow();
      assertThat(seen.locks()).isEmpty();
      assertThat(seen.running()).isZero();
      var meters = other.bean(MeterRegistry.class);
      assertThat(meters.get("habitline.lock.waits").gauge().value()).isNaN();
      assertThat(meters.get("habitline.unclaimed").gauge().value()).isZero();
      assertThat(other.bean(StatusSummary.class).signs())
          .filteredOn(sign -> sign.what().equals("Database locks"))
          .singleElement()
          .satisfies(sign -> assertThat(sign.sentence()).contains("does not report"));
    } finally {
      other.close();
    }
  }

  /** What a model was paid for is written down as soon as that is possible. */
  @Test
  void aTurnThatFindsARowLockedIsTriedAgainAndCountsNoCrash() throws SQLException {
    var database = TestDatabase.postgres();
    var hasty = on(database, "?options=-c%20lock_timeout=50ms").start();
    try {
      var robin = hasty.greeted();
      var answer = new CountDownLatch(1);
      hasty
          .fake()
          .then(
              Scripted.call("save_user_profile", "{\"prompt_anchor\":\"coffee\"}").heldBy(answer),
              Scripted.say("Saved."));
      hasty.text(robin, "With my coffee");
      await().until(() -> hasty.fake().asked().size() == 1);
      try (var frozen =
          new Frozen(
              database,
              "SELECT token FROM lease WHERE participant_id = '" + robin.id() + "' FOR UPDATE")) {
        answer.countDown();
        for (int refused = 0; refused < 2; refused++) {
          assertThat(frozen.connection.isClosed()).isFalse();
          awaitWaiting(hasty, 1);
          awaitWaiting(hasty, 0);
        }
      }
      hasty.awaitTurn(robin, 2);
      assertThat(hasty.turn(robin, 2).orElseThrow())
          .containsEntry("outcome", "replied")
          .containsEntry("attempts", 1);
      assertThat(hasty.fake().asked()).as("nothing is asked again").hasSize(2);
    } finally {
      hasty.close();
    }
  }

  private static void awaitWaiting(RunningLine of, int connections) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> of.bean(LockWaits.class).now().connections() == connections);
  }

  /** A node that is frozen while it stores a bell silences Quartz on every node. */
  @Test
  void whatIsDueRingsThoughTheBellsAreLocked() throws SQLException {
    var robin = line.greeted();
    try (var frozen = new Frozen(DATABASE, "SELECT lock_name FROM qrtz_locks FOR UPDATE")) {
      assertThat(frozen.connection.isClosed()).isFalse();
      var transactions = line.bean(Transactions.class);
      var id =
          transactions.write(() ->
              line.bean(Timers.class)
                  .plan(
                      new Timers.Plan(
                          robin.id(),
                          WakeupKind.TRANSITION,
                          line.study().instant(),
                          robin.zone(),
                          "FEEDBACK")));
      await()
          .until(() ->
              line.column("SELECT status FROM wakeup WHERE id = ?", id).equals(List.of("done")));
    }
  }
}
