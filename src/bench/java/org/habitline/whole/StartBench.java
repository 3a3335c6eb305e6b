package org.habitline.whole;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.habitline.bench.Databases;
import org.habitline.bench.Databases.Kind;
import org.habitline.bench.Report;
import org.habitline.bench.Rounds;
import org.habitline.bench.Wakeups;
import org.habitline.bench.bare.BareJar;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures the time from starting the packaged jar until it prints its address, with an AOT cache
 * and without, compared with the same jar without any of Habitline's own classes and files, which
 * has no cache.
 */
@ExtendWith(Report.Handed.class)
final class StartBench {

  private static final String WHAT = "start to ready";
  private static final String GOAL = "≤ 1.0";
  private static final Duration CACHED_IN = Duration.ofMinutes(5);
  private static final int WAKEUPS = 100_000;
  private static final int PARTICIPANTS = 2_000;
  private static final int ROUNDS = 5;

  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          // Nothing listens there; no model is asked.
          "OPENAI_BASE_URL", "http://127.0.0.1:9/v1",
          "OPENAI_API_KEY", "sk-a-key-of-the-benchmarks",
          "HABITLINE_ADMIN_KEY", "an-admin-key-of-the-benchmarks");

  private static final String HOME = "habitline.home";

  @TempDir static Path folder;

  private static Databases databases;
  private static Path nothing;
  private static Path cache;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    databases = Databases.start();
    nothing = BareJar.of(RunningJar.jar(), folder.resolve("nothing.jar"));
    cache = cached(folder.resolve("habitline.aot"));
  }

  @AfterAll
  static void stop() throws IOException {
    databases.close();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void startToReady(Kind kind, Report report) {
    var reference = databases.fresh(kind);
    var empty = databases.fresh(kind);
    var full = databases.fresh(kind);
    ready(nothing, reference);
    ready(RunningJar.jar(), empty);
    ready(RunningJar.jar(), full);
    storeWakeups(full, report);
    // The first start after storing the wake-ups is not measured.
    ready(RunningJar.jar(), full);

    var first = new Rounds<Duration>();
    var ofEmpty = new Rounds<Duration>();
    var ofFull = new Rounds<Duration>();
    var emptyCached = new Rounds<Duration>();
    var fullCached = new Rounds<Duration>();
    var fullByEmpty = new Rounds<Duration>();
    for (int round = 0; round < ROUNDS; round++) {
      var took =
          inTurn(
              round,
              List.of(
                  () -> ready(nothing, reference),
                  () -> ready(RunningJar.jar(), empty),
                  () -> ready(RunningJar.jar(), full),
                  () -> ready(RunningJar.jar(), databases.fresh(kind)),
                  () -> ready(RunningJar.jar(), empty, "-XX:AOTCache=" + cache),
                  () -> ready(RunningJar.jar(), full, "-XX:AOTCache=" + cache)));
      ofEmpty.add(took.get(1), took.getFirst());
      ofFull.add(took.get(2), took.getFirst());
      fullByEmpty.add(took.get(2), took.get(1));
      first.add(took.get(3), took.getFirst());
      emptyCached.add(took.get(4), took.getFirst());
      fullCached.add(took.get(5), took.getFirst());
    }
    var withCache = WHAT + " with the AOT cache; reference without";
    report.add(
        emptyCached.as(StartBench::seconds, withCache, kind + ", nothing stored", "s", GOAL));
    report.add(fullCached.as(StartBench::seconds, withCache, kind + ", " + stored(), "s", GOAL));
    report.add(ofEmpty.as(StartBench::seconds, WHAT, kind + ", nothing stored", "s", "–"));
    report.add(ofFull.as(StartBench::seconds, WHAT, kind + ", " + stored(), "s", "–"));
    report.add(
        fullByEmpty.as(
            StartBench::seconds,
            WHAT,
            kind + ", " + stored() + "; reference: the line, nothing stored",
            "s",
            "1.0"));
    report.add(
        first.as(StartBench::seconds, WHAT, kind + ", first start: makes its tables", "s", "–"));
  }

  /** Makes a cache with the command that makes the image's. */
  private static Path cached(Path file) throws IOException, InterruptedException {
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:AOTCacheOutput=" + file,
                "-Xlog:aot*=error",
                "-jar",
                RunningJar.jar().toString(),
                "train")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("cache.log").toFile())
            .start();
    if (!process.waitFor(CACHED_IN)) {
      process.destroyForcibly();
    }
    if (!Files.exists(file)) {
      throw new IllegalStateException(Files.readString(folder.resolve("cache.log")));
    }
    return file;
  }

  private static String stored() {
    return WAKEUPS + " wake-ups stored";
  }

  /**
   * Runs all starts, beginning with a different one each round, and returns their times in the
   * order given.
   */
  private static List<Duration> inTurn(int round, List<Supplier<Duration>> starts) {
    var took = new ArrayList<Duration>();
    starts.forEach(start -> took.add(Duration.ZERO));
    for (int i = 0; i < starts.size(); i++) {
      var next = (round + i) % starts.size();
      took.set(next, starts.get(next).get());
    }
    return took;
  }

  /** Starts the jar, measures the time until it prints its address, and shuts it down cleanly. */
  private static Duration ready(Path jar, Map<String, Object> settings, String... also) {
    var options = new ArrayList<>(List.of("-Xmx512m", "-Duser.timezone=UTC"));
    options.addAll(List.of(also));
    settings.forEach((name, value) -> {
      if (!name.equals(HOME)) {
        options.add("-D" + name + "=" + value);
      }
    });
    var home = Path.of(String.valueOf(settings.get(HOME)));
    var began = System.nanoTime();
    try (var running = RunningJar.start(jar, home, ENVIRONMENT, options.toArray(String[]::new))) {
      var took = Duration.ofNanos(System.nanoTime() - began);
      running.stop();
      return took;
    }
  }

  /**
   * Stores wake-ups that are due from tomorrow on, one second apart, so that none is due during the
   * run.
   */
  private static void storeWakeups(Map<String, Object> settings, Report report) {
    var people = IntStream.range(0, PARTICIPANTS).mapToObj(i -> "conv_" + i).toList();
    var tomorrow = Instant.now().plus(Duration.ofDays(1));
    try (var pool = Databases.pool(settings)) {
      Databases.tellVersion(pool, report);
      Wakeups.store(pool, people, WAKEUPS, tomorrow::plusSeconds);
    }
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }
}
