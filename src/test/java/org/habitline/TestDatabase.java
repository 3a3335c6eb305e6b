package org.habitline;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where lines under test keep their data: each in an H2 file of its own home, or, when the tests
 * run with {@code -Dhabitline.test.database=postgresql}, each in a database of its own on one real
 * PostgreSQL server.
 */
public final class TestDatabase {

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private TestDatabase() {}

  private static final class Server {
    static final EmbeddedPostgres POSTGRES = started();

    private static EmbeddedPostgres started() {
      try {
        return EmbeddedPostgres.builder().setServerConfig("max_connections", "500").start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static boolean onPostgres() {
    return "postgresql".equals(System.getProperty("habitline.test.database"));
  }

  /** Settings of a line with a fresh database; none for the H2 file in its home. */
  public static Map<String, Object> fresh() {
    return onPostgres() ? postgres() : Map.of();
  }

  /** Settings of a line with a fresh database on PostgreSQL. */
  public static Map<String, Object> postgres() {
    var name = "line_" + NUMBER.incrementAndGet();
    try (var connection = Server.POSTGRES.getPostgresDatabase().getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return Map.of(
        "database.url",
        "jdbc:postgresql://localhost:" + Server.POSTGRES.getPort() + "/" + name,
        "database.user",
        "postgres",
        "database.password",
        "postgres");
  }
}
