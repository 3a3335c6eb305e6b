package org.habitline.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.context.ApplicationContext;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.commons.io.FileUtils;
import org.habitline.ops.database.OwnConnections;
import org.habitline.ops.database.Schema;

/**
 * Creates fresh databases of both kinds. An H2 file has the URL from {@code application.yml}.
 * PostgreSQL is one server with the vendor's default of writing every commit to disk. Closing
 * deletes all of them.
 */
public final class Databases implements AutoCloseable {

  /** A kind of database. */
  public enum Kind {
    H2("H2 file"),
    POSTGRESQL("PostgreSQL");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  private static final String DATASOURCE = "datasources.default.";

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final EmbeddedPostgres postgres;
  private final Path homes;

  private Databases(EmbeddedPostgres postgres, Path homes) {
    this.postgres = postgres;
    this.homes = homes;
  }

  public static Databases start() {
    try {
      var folder = Files.createDirectories(Path.of("target", "bench"));
      return new Databases(
          EmbeddedPostgres.builder()
              // EmbeddedPostgres turns both off for tests.
              .setServerConfig("fsync", "on")
              .setServerConfig("synchronous_commit", "on")
              .start(),
          Files.createTempDirectory(folder, "homes-").toAbsolutePath());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the settings of a program with a new home folder and a new database. */
  public Map<String, Object> fresh(Kind kind) {
    var number = NUMBER.incrementAndGet();
    var settings = new LinkedHashMap<String, Object>();
    settings.put("habitline.home", home(number).toString());
    if (kind == Kind.POSTGRESQL) {
      settings.put(DATASOURCE + "url", created("bench_" + number));
      settings.put(DATASOURCE + "driver-class-name", "org.postgresql.Driver");
      settings.put(DATASOURCE + "username", "postgres");
      settings.put(DATASOURCE + "password", "postgres");
    }
    return settings;
  }

  /**
   * Returns a pool like Habitline's own on a new database, for a reference that is not a Micronaut
   * program.
   */
  public HikariDataSource freshPool(Kind kind) {
    return pool(fresh(kind));
  }

  /** Returns a pool like Habitline's own on the database of these settings. */
  public static HikariDataSource pool(Map<String, Object> settings) {
    return new HikariDataSource(config(settings));
  }

  /** Makes Habitline's tables in the database of these settings and returns a pool on it. */
  static HikariDataSource preparedPool(Map<String, Object> settings) throws SQLException {
    var pool = config(settings);
    Schema.prepare(
        new OwnConnections(
            pool.getJdbcUrl(), pool.getUsername(), pool.getPassword(), OwnConnections.LOCK_WAIT));
    return new HikariDataSource(pool);
  }

  private static HikariConfig config(Map<String, Object> settings) {
    var pool = new HikariConfig();
    try (var environment = ApplicationContext.builder().properties(settings).build()) {
      var all = environment.getEnvironment().start();
      pool.setJdbcUrl(all.getRequiredProperty(DATASOURCE + "url", String.class));
      pool.setDriverClassName(
          all.getRequiredProperty(DATASOURCE + "driver-class-name", String.class));
      pool.setUsername(all.getRequiredProperty(DATASOURCE + "username", String.class));
      pool.setPassword(all.getRequiredProperty(DATASOURCE + "password", String.class));
      pool.setMaximumPoolSize(
          all.getRequiredProperty(DATASOURCE + "maximum-pool-size", Integer.class));
    }
    return pool;
  }

  /** Returns the address of a PostgreSQL database with these settings. */
  public static String url(Map<String, Object> settings) {
    return Objects.requireNonNull(settings.get(DATASOURCE + "url")).toString();
  }

  /** Adds the database's name and version to the report. */
  public static void tellVersion(DataSource database, Report report) {
    try (var connection = database.getConnection()) {
      var product = connection.getMetaData();
      report.version(product.getDatabaseProductName(), product.getDatabaseProductVersion());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path home(int number) {
    try {
      return Files.createDirectories(homes.resolve("home-" + number));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String created(String name) {
    try (var connection = postgres.getPostgresDatabase().getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
      return "jdbc:postgresql://localhost:" + postgres.getPort() + "/" + name;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    postgres.close();
    FileUtils.deleteDirectory(homes.toFile());
  }
}
