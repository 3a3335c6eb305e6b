package org.habitline.rehearsal;

import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.habitline.messaging.MessagingLifecycle;

/**
 * A Habitline instance for one rehearsal, with the flows and prompts of a home folder, a database
 * in a temporary folder, simulated phones, and a clock that moves only when told to. The scripted
 * model replies, or the configured one if the plan says so. It opens no port, and settings for real
 * phones and databases are ignored, as are those for models unless one is to reply. Nobody is
 * alerted, whatever {@code config/study.yaml} says.
 */
final class RehearsalService implements AutoCloseable {

  private static final String DATABASE =
      ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0"
          + ";LOCK_TIMEOUT=10000"
          // The data need not survive a crash, so commits do not wait for the disk.
          + ";WRITE_DELAY=60000;QUERY_CACHE_SIZE=512";

  private final Path home;
  private final boolean keep;
  private final ApplicationContext context;

  private RehearsalService(Path home, boolean keep, ApplicationContext context) {
    this.home = home;
    this.keep = keep;
    this.context = context;
  }

  /**
   * Starts an instance whose clock is at the beginning of a plan.
   *
   * @param model the home folder whose flows and prompts are rehearsed
   * @param keep whether the temporary home folder is kept after closing
   */
  static RehearsalService open(Plan plan, Path model, boolean keep) {
    try {
      var home = Files.createTempDirectory("habitline-rehearsal-");
      for (var folder : List.of("flows", "safety", "gates", "consent", "keywords", "outcomes")) {
        copy(model.resolve("config").resolve(folder), home.resolve("config").resolve(folder));
      }
      var study = model.resolve("config").resolve("study.yaml");
      if (Files.exists(study)) {
        Files.createDirectories(home.resolve("config"));
        Files.copy(study, home.resolve("config").resolve("study.yaml"));
      }
      copy(model.resolve("prompts"), home.resolve("prompts"));
      var context = ApplicationContext.builder().properties(properties(plan, home)).build();
      var line = new RehearsalService(home, keep, context);
      line.start();
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Object> properties(Plan plan, Path home) {
    var properties = new HashMap<String, Object>();
    properties.put("habitline.home", home.toString());
    properties.put("habitline.virtual-start", plan.start().toString());
    properties.put("allowed-hours", plan.allowedHours().text());
    properties.put("turn.quiet-period", "0s");
    // A rehearsal sends days of texts within a minute.
    properties.put("turns.per-minute", "0");
    properties.put("micronaut.health.monitor.enabled", "false");
    // A log line for every turn would bury the report.
    properties.put("logger.levels.org.habitline", "WARN");
    properties.put("auto-enroll.new-users", "false");
    properties.put("habitline.outside-tools", "false");
    if (!plan.withModel()) {
      properties.put("openai.api-key", "");
      properties.put("openai.base-url", "");
    }
    properties.put("twilio.account-sid", "");
    properties.put("database.url", "");
    properties.put(
        "datasources.default.url",
        "jdbc:h2:file:" + home.resolve("data").resolve("habitline") + DATABASE);
    properties.put("datasources.default.driver-class-name", "org.h2.Driver");
    properties.put("datasources.default.username", "habitline");
    properties.put("datasources.default.password", "");
    return properties;
  }

  private void start() {
    try {
      context.start();
      checkDatabase();
      context.getBean(MessagingLifecycle.class).start();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private void checkDatabase() {
    if (!rehearsal().database().startsWith("jdbc:h2:file:" + home)) {
      throw new IllegalStateException(
          "The rehearsal's database is not in its temporary home folder.");
    }
  }

  ProtocolRehearsal rehearsal() {
    return context.getBean(ProtocolRehearsal.class);
  }

  Path home() {
    return home;
  }

  private static void copy(Path from, Path to) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (var files = Files.walk(from)) {
      for (var file : files.toList()) {
        var target = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  @Override
  public void close() {
    context.close();
    if (!keep) {
      delete();
    }
  }

  private void delete() {
    try (var files = Files.walk(home)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
