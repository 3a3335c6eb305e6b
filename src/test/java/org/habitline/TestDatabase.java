package org.habitline;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.ops.database.OwnConnections;
import org.habitline.ops.database.Schema;

/**
 * Where lines under test keep their data: each in an H2 file of its own home, or, when the tests
 * run with {@code -Dhabitline.test.database=postgresql}, each in a database of its own on one real
 * PostgreSQL server. The tables are made once a process; each line gets a copy of them.
 */
public final class TestDatabase {

  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final String USER = "postgres";
  private static final String TEMPLATE = "prepared";

  private TestDatabase() {}

  private static final class Server {
    static final EmbeddedPostgres POSTGRES = started();

    private static EmbeddedPostgres started() {
      try {
        return EmbeddedPostgres.builder()
            .setServerConfig("max_connections", "500")
            // Nobody reads these databases after the process.
            .setServerConfig("fsync", "off")
            .setServerConfig("full_page_writes", "off")
            .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    static void create(String name, String template) {
      try (var connection = POSTGRES.getPostgresDatabase().getConnection();
          var statement = connection.createStatement()) {
        statement.execute("CREATE DATABASE " + name + " TEMPLATE " + template);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    static Map<String, Object> settings(String name) {
      return Map.of("database.url", url(name), "database.user", USER, "database.password", USER);
    }

    static String url(String name) {
      return "jdbc:postgresql://localhost:" + POSTGRES.getPort() + "/" + name;
    }
  }

  /** The database on the server that the others are copied from. */
  private static final class PreparedDatabase {
    static final String NAME = made();

    private static String made() {
      Server.create(TEMPLATE, "template1");
      prepare(Server.url(TEMPLATE), USER, USER);
      return TEMPLATE;
    }
  }

  /** The H2 file that the others are copied from. */
  private static final class PreparedFile {
    static final byte[] BYTES = made();

    private static byte[] made() {
      try {
        var folder = Files.createTempDirectory("habitline-prepared-");
        var file = folder.resolve("habitline.mv.db");
        var url =
            "jdbc:h2:file:"
                + folder.resolve("habitline")
                + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE";
        prepare(url, "habitline", "");
        try (var connection = DriverManager.getConnection(url, "habitline", "");
            var statement = connection.createStatement()) {
          statement.execute("SHUTDOWN COMPACT");
        }
        var bytes = Files.readAllBytes(file);
        Files.delete(file);
        Files.delete(folder);
        return bytes;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static void prepare(String url, String user, String password) {
    try {
      Schema.prepare(new OwnConnections(url, user, password, OwnConnections.LOCK_WAIT));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean onPostgres() {
    return "postgresql".equals(System.getProperty("habitline.test.database"));
  }

  /** Settings of a line in this home with a fresh database; none for the H2 file there. */
  public static Map<String, Object> fresh(Path home) {
    return onPostgres() ? postgres() : file(home);
  }

  /** Puts a fresh H2 file into a home, whatever is tested; a line needs no settings for it. */
  public static Map<String, Object> file(Path home) {
    try {
      Files.write(
          Files.createDirectories(home.resolve("data")).resolve("habitline.mv.db"),
          PreparedFile.BYTES);
      return Map.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Settings of a line with a fresh database on PostgreSQL. */
  public static Map<String, Object> postgres() {
    return copy(PreparedDatabase.NAME);
  }

  /** Settings of a database on PostgreSQL in which nothing is yet, not even a table. */
  public static Map<String, Object> emptyPostgres() {
    return copy("template1");
  }

  private static Map<String, Object> copy(String template) {
    var name = "line_" + NUMBER.incrementAndGet();
    Server.create(name, template);
    return Server.settings(name);
  }
}
