package org.habitline.ops.database;

import io.micronaut.configuration.jdbc.hikari.DatasourceConfiguration;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;

/**
 * Connections beside the pool, for work that lasts longer than the pool allows: migrations, the
 * building of an index, the export of a person. They have no bound on a statement, on silence
 * within a transaction or on the wait for an answer; only waiting for a lock is bounded. Not for
 * writing to the H2 file while the line is open: only the pool keeps its writers apart.
 */
@Singleton
public final class OwnConnections {

  /** Whoever queues behind a migration that waits for a table waits as long. */
  public static final Duration LOCK_WAIT = Duration.ofSeconds(10);

  private static final String POSTGRESQL = "jdbc:postgresql:";

  private final String url;
  private final String user;
  private final String password;
  private final Duration lockWait;

  @Inject
  public OwnConnections(@Named("default") DatasourceConfiguration pool) {
    this(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword(), LOCK_WAIT);
  }

  /**
   * @param lockWait a statement that waits longer for a lock fails, on PostgreSQL
   */
  public OwnConnections(String url, String user, String password, Duration lockWait) {
    this.url = withoutSocketTimeout(url);
    this.user = user;
    this.password = password;
    this.lockWait = lockWait;
  }

  boolean onPostgresql() {
    return url.startsWith(POSTGRESQL);
  }

  String url() {
    return url;
  }

  String user() {
    return user;
  }

  String password() {
    return password;
  }

  /** What the driver is told beside the address. */
  Map<String, String> properties() {
    return onPostgresql()
        ? Map.of(
            "ApplicationName",
            "habitline",
            // What the server says of an error quotes rows.
            "logServerErrorDetail",
            "false",
            // A server that vanishes is noticed by the system's own probes.
            "tcpKeepAlive",
            "true")
        : Map.of();
  }

  /** The first statement on each of them, or none. */
  String first() {
    return onPostgresql()
        ? "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = "
            + lockWait.toMillis()
        : "";
  }

  /** Opens one; whoever opens it closes it. */
  Connection open() throws SQLException {
    var properties = new Properties();
    properties.putAll(properties());
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    var connection = DriverManager.getConnection(url, properties);
    if (first().isEmpty()) {
      return connection;
    }
    try (var statement = connection.createStatement()) {
      statement.execute(first());
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** The address may bound the pool's waits for an answer, and wins over any property. */
  private static String withoutSocketTimeout(String url) {
    return url.replaceAll("(?i)(?<=[?&])socketTimeout=[^&]*&?", "").replaceFirst("[?&]$", "");
  }
}
