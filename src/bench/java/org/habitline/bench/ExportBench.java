package org.habitline.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.habitline.bench.Databases.Kind;
import org.habitline.bench.ExportProcess.Copied;
import org.habitline.bench.ExportProcess.Took;
import org.habitline.study.exports.ExportScope;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures how fast a whole study is exported as a data package, compared with PostgreSQL's own
 * copy of the same rows, and whether the heap stays as it is while the export goes on.
 */
@ExtendWith(Report.Handed.class)
final class ExportBench {

  /** How many messages the study has; {@code -Dbench.messages=3000000} for a large one. */
  private static final int MESSAGES = Integer.getInteger("bench.messages", 300_000);

  private static final int ROUNDS = 3;
  private static final String PER_SECOND = "messages per second";
  private static final String NO_GOAL = "–";

  private static Databases databases;
  private static HikariDataSource database;
  private static ExportProcess exports;
  private static int files;

  @TempDir static Path folder;

  @BeforeAll
  static void start() throws Exception {
    databases = Databases.start();
    var settings = databases.fresh(Kind.POSTGRESQL);
    database = Databases.preparedPool(settings);
    SeededStudy.fill(database, MESSAGES / SeededStudy.MESSAGES_EACH, SeededStudy.TURNS_EACH);
    exports = ExportProcess.start(settings);
  }

  @AfterAll
  static void stop() throws IOException {
    exports.close();
    database.close();
    databases.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = ExportScope.class,
      names = {"DEIDENTIFIED", "TEXTS"})
  void aWholeStudyIsExported(ExportScope scope, Report report) throws Exception {
    Databases.tellVersion(database, report);
    report.version(
        "exported study",
        "%,d messages, %.1f GB in PostgreSQL"
            .formatted(MESSAGES, SeededStudy.size(database) / 1e9));
    var what = String.format(Locale.ROOT, "export of %,d messages, %s", MESSAGES, scope.word());
    Callable<Took> export = () -> deleted(file -> exports.export(scope, file));
    Callable<Took> compressed = () -> deleted(file -> exports.copy(scope, Copied.COMPRESSED, file));
    Callable<Took> asSent = () -> deleted(file -> exports.copy(scope, Copied.AS_SENT, file));
    if (scope == ExportScope.DEIDENTIFIED) {
      Rounds.alternate(1, export, compressed);
    }
    var rounds = Rounds.alternate(ROUNDS, export, compressed);
    var plain = new Rounds<Took>();
    for (int i = 0; i < ROUNDS; i++) {
      plain.add(rounds.ofLine(i), asSent.call());
    }
    report.add(
        rounds.as(
            ExportBench::rate, what, "COPY into a zip of the same kind", PER_SECOND, "≥ 0.5"));
    report.add(plain.as(ExportBench::rate, what, "COPY, not compressed", PER_SECOND, NO_GOAL));
    var heap = new Rounds<Double>();
    for (int i = 0; i < ROUNDS; i++) {
      var took = deleted(file -> exports.exportMeasured(scope, file));
      heap.add(took.late(), took.early());
    }
    report.add(
        heap.as(
            Double::doubleValue,
            what,
            "heap after full collections, of " + ExportProcess.HEAP + ": last quarter to first",
            "MB",
            "≤ 1.1"));
  }

  private static double rate(Took took) {
    return MESSAGES / took.seconds();
  }

  /** Writes a file. */
  private interface Writing {
    Took to(Path file) throws IOException;
  }

  private static Took deleted(Writing writing) throws IOException {
    var file = folder.resolve(++files + ".zip");
    try {
      return writing.to(file);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
