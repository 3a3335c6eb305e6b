package org.habitline.ops.start;

import static java.util.Objects.requireNonNull;

import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.JarURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.habitline.rehearsal.RehearseCommand;

/**
 * The command {@code train}: does what Java is to record for an AOT cache, so that a start loads
 * all of its classes from the cache. It rehearses two days with one participant, and then starts
 * the service with an empty database and requests some pages. It uses the shipped flow, simulated
 * phones and a temporary home folder, whatever is configured, and calls no model.
 */
public final class TrainCommand {

  public static final String NAME = "train";

  private static final String USAGE =
      """
      java -XX:AOTCacheOutput=habitline.aot -jar habitline.jar train

      Rehearses two days with one participant, starts the service in a temporary folder, requests
      some pages and ends. Java then writes a cache that makes the same jar start faster. No real
      messages are sent, and your data is not touched.\
      """;

  private static final int TRAINED = 0;
  private static final int WRONG_ARGUMENTS = 2;

  private static final List<String> REHEARSAL =
      List.of("--participants=1", "--days=2", "--flow=habit", "--allowed-hours=08:00-21:00");

  private static final List<String> PAGES = List.of("/health/readiness", "/login");

  /** A model is configured, so that its client is recorded; nothing listens at its address. */
  private static final List<String> SETTINGS =
      List.of(
          "--habitline.port=0",
          "--openai.base-url=http://127.0.0.1:9/v1",
          "--openai.api-key=none",
          "--datasources.default.driver-class-name=org.h2.Driver",
          "--datasources.default.username=habitline",
          "--datasources.default.password=");

  private static final String DATABASE =
      ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DB_CLOSE_ON_EXIT=FALSE";

  private static final String CLASS = ".class";
  private static final String POSTGRES_PACKAGE = "org/postgresql/";
  private static final String POSTGRES_DRIVER = POSTGRES_PACKAGE + "Driver" + CLASS;

  private TrainCommand() {}

  /**
   * Runs the command and returns its exit code.
   *
   * @param start starts the service with these settings
   */
  public static int run(
      List<String> arguments,
      Function<StartArguments.Line, EmbeddedServer> start,
      PrintStream out,
      PrintStream err) {
    if (arguments.equals(List.of("--help"))) {
      out.println(USAGE);
      return TRAINED;
    }
    if (!arguments.isEmpty()) {
      err.println(NAME + " takes no arguments; " + NAME + " --help says what it does.");
      return WRONG_ARGUMENTS;
    }
    forgetSettings();
    try {
      var home = Files.createTempDirectory("habitline-training-");
      try {
        // Anomalies change nothing about the classes that were loaded.
        if (RehearseCommand.run(REHEARSAL, home, out, err) == WRONG_ARGUMENTS) {
          return WRONG_ARGUMENTS;
        }
        try (var server = start.apply(settings(home))) {
          for (var page : PAGES) {
            request(server.getURI().resolve(page));
          }
        }
        loadPostgresDriver();
        return TRAINED;
      } finally {
        delete(home);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Hides the settings of the environment, which system properties replace. */
  private static void forgetSettings() {
    for (var setting : Setting.values()) {
      var standard = setting.standard();
      System.setProperty(setting.key(), standard == null ? "" : standard);
    }
  }

  private static StartArguments.Line settings(Path home) {
    var own =
        Stream.of(
            "--habitline.home=" + home,
            "--datasources.default.url=jdbc:h2:file:"
                + home.resolve("data").resolve("training")
                + DATABASE,
            // With a key, no login link is printed.
            "--habitline.admin-key=" + UUID.randomUUID());
    return new StartArguments.Line(Stream.concat(own, SETTINGS.stream()).toList());
  }

  private static void request(URI page) throws IOException {
    var connection = (HttpURLConnection) page.toURL().openConnection();
    try (var body = connection.getInputStream()) {
      body.readAllBytes();
    }
  }

  /** Loads the classes of PostgreSQL's driver, because the training has no PostgreSQL server. */
  private static void loadPostgresDriver() throws IOException {
    var loader = TrainCommand.class.getClassLoader();
    var driver = requireNonNull(loader.getResource(POSTGRES_DRIVER));
    try (var jar = ((JarURLConnection) driver.openConnection()).getJarFile()) {
      jar.stream()
          .map(ZipEntry::getName)
          .filter(name -> name.startsWith(POSTGRES_PACKAGE) && name.endsWith(CLASS))
          .forEach(name -> load(name.substring(0, name.length() - CLASS.length()), loader));
    }
  }

  private static void load(String name, ClassLoader loader) {
    try {
      Class.forName(name.replace('/', '.'), false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      // It belongs to a library that Habitline does without.
    }
  }

  private static void delete(Path home) throws IOException {
    try (var files = Files.walk(home)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
