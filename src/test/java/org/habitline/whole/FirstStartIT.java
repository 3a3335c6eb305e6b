package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.habitline.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The packaged jar is killed with signal 9 during its first start, half of the times while the
 * tables are made, and the other half at any moment until it is up. The next start is up.
 */
@Execution(ExecutionMode.CONCURRENT)
class FirstStartIT {

  private static final int FEW = 4;
  private static final int MANY = 30;

  @TempDir Path homes;

  private ScheduledExecutorService killer;

  @BeforeEach
  void open() {
    killer = Executors.newSingleThreadScheduledExecutor();
  }

  @AfterEach
  void close() {
    killer.close();
  }

  @Test
  void aStartAfterAKilledOneIsUp() {
    survives(FEW, OnFile::new);
  }

  @Test
  @Tag("endurance")
  void aStartAfterAnyKilledOneOnAFileIsUp() {
    survives(MANY, OnFile::new);
  }

  @Test
  @Tag("endurance")
  void aStartAfterAnyKilledOneOnPostgresqlIsUp() {
    survives(MANY, OnPostgresql::new);
  }

  /** Where a first start keeps its data, and how far it is. */
  private abstract static class FirstStart {
    final Path home;
    final Map<String, String> settings = new HashMap<>();

    FirstStart(Path home) {
      this.home = home;
      settings.put("HABITLINE_ADMIN_KEY", Deployment.ADMIN_KEY);
    }

    abstract boolean isMakingTables();

    abstract boolean hasTables();

    RunningJar launch() {
      return RunningJar.launch(home, settings, QuickStart.options());
    }

    void isUp() {
      try (var jar = RunningJar.start(home, settings)) {
        assertThat(jar.exitCode()).isNull();
      }
      assertThat(hasTables()).isTrue();
    }
  }

  private static final class OnFile extends FirstStart {
    private final Path file;
    private final Path next;

    OnFile(Path home) {
      super(home);
      file = home.resolve("data/habitline.mv.db");
      next = home.resolve("data/habitline.next.mv.db");
    }

    @Override
    boolean isMakingTables() {
      return Files.exists(next) || Files.exists(file);
    }

    @Override
    boolean hasTables() {
      return Files.exists(file);
    }

    @Override
    void isUp() {
      super.isUp();
      assertThat(next).doesNotExist();
    }
  }

  private static final class OnPostgresql extends FirstStart {

    OnPostgresql(Path home) {
      super(home);
      TestDatabase.emptyPostgres()
          .forEach((key, value) ->
              settings.put(key.toUpperCase(Locale.ROOT).replace('.', '_'), String.valueOf(value)));
    }

    /** The history is made first, outside the transaction of the tables. */
    @Override
    boolean isMakingTables() {
      return is("to_regclass('flyway_schema_history') IS NOT NULL");
    }

    @Override
    boolean hasTables() {
      return is("to_regclass('build') IS NOT NULL");
    }

    private boolean is(String condition) {
      try (var connection =
              DriverManager.getConnection(
                  settings.get("DATABASE_URL"),
                  settings.get("DATABASE_USER"),
                  settings.get("DATABASE_PASSWORD"));
          var statement = connection.createStatement();
          var rows = statement.executeQuery("SELECT " + condition)) {
        return rows.next() && rows.getBoolean(1);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private interface Kind {
    FirstStart in(Path home);
  }

  /** How long an undisturbed first start takes: its tables, and all of it. */
  private record Times(Duration tables, Duration whole) {}

  private void survives(int kills, Kind kind) {
    var times = times(kind.in(homes.resolve("undisturbed")));
    var half = new ArrayList<String>();
    for (int kill = 0; kill < kills; kill++) {
      var start = kind.in(homes.resolve("killed-" + kill));
      try (var jar = start.launch()) {
        if (kill % 2 == 0) {
          await(start::isMakingTables);
          killAfter(jar, times.tables(), kill, kills);
        } else {
          killAfter(jar, times.whole(), kill, kills);
        }
      }
      if (!start.hasTables()) {
        half.add(String.valueOf(kill));
        assertThat(start.home).isDirectoryNotContaining("glob:**.key");
      }
      start.isUp();
    }
    System.out.printf(
        "%d first starts killed, %s without their tables; undisturbed the tables took %d ms, all %d ms%n",
        kills, half, times.tables().toMillis(), times.whole().toMillis());
  }

  private static Times times(FirstStart start) {
    var began = System.nanoTime();
    try (var jar = start.launch()) {
      await(start::isMakingTables);
      var making = System.nanoTime();
      await(start::hasTables);
      var made = System.nanoTime();
      jar.awaitLine(" is up at ");
      return new Times(
          Duration.ofNanos(made - making), Duration.ofNanos(System.nanoTime() - began));
    }
  }

  private void killAfter(RunningJar jar, Duration within, int kill, int kills) {
    var nanos = within.toNanos() * kill / kills;
    try {
      killer.schedule(jar::kill, nanos, TimeUnit.NANOSECONDS).get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(BooleanSupplier condition) {
    Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(condition::getAsBoolean);
  }
}
