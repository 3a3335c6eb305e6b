package org.habitline.ops.database;

import io.micronaut.configuration.jdbc.hikari.DatasourceConfiguration;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * Opens connections outside the pool, for what comes before it or takes longer than it allows: the
 * making of the tables, the export of a person. They have no limits on statements, on idle
 * transactions or on waiting for the server; only waiting for a lock is limited. Do not write to
 * the H2 file with them while the service is open: only the pool keeps its writers apart.
 */
@Singleton
public final class OwnConnections {

  public static final Duration LOCK_WAIT = Duration.ofSeconds(10);

  /** The end of an H2 file's name, which its address leaves out. */
  static final String SUFFIX = ".mv.db";

  private static final String POSTGRESQL = "jdbc:postgresql:";
  private static final String H2_FILE = "jdbc:h2:file:";

  private final String url;
  private final String user;
  private final String password;
  private final Duration lockWait;

  @Inject
  public OwnConnections(@Named("default") DatasourceConfiguration pool) {
    this(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword(), LOCK_WAIT);
  }

  /**
   * @param lockWait how long a statement waits for a lock before it fails, on PostgreSQL
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

  /** Returns the H2 file, or empty if the database is something else. */
  Optional<Path> file() {
    return url.startsWith(H2_FILE)
        ? Optional.of(
            Path.of(url.substring(H2_FILE.length(), endOfName()) + SUFFIX).toAbsolutePath())
        : Optional.empty();
  }

  private int endOfName() {
    var options = url.indexOf(';');
    return options < 0 ? url.length() : options;
  }

  /** Returns connections to another H2 file, with the same options and more. */
  OwnConnections to(Path other, String options) {
    var name = other.toString();
    return new OwnConnections(
        H2_FILE
            + name.substring(0, name.length() - SUFFIX.length())
            + url.substring(endOfName())
            + options,
        user,
        password,
        lockWait);
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

  /** Returns the driver's properties in addition to the address. */
  Map<String, String> properties() {
    return onPostgresql()
        ? Map.of(
            "ApplicationName",
            "habitline",
            // The server's error details quote rows.
            "logServerErrorDetail",
            "false",
            // The operating system's probes notice a server that has vanished.
            "tcpKeepAlive",
            "true")
        : Map.of();
  }

  /** Returns the first statement to run on each connection, or an empty string. */
  String first() {
    return onPostgresql()
        ? "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = "
            + lockWait.toMillis()
        : "";
  }

  /** Opens a connection; the caller closes it. */
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

  /**
   * Removes the socket timeout from the address: it is meant for the pool, and would override any
   * property.
   */
  private static String withoutSocketTimeout(String url) {
    return url.replaceAll("(?i)(?<=[?&])socketTimeout=[^&]*&?", "").replaceFirst("[?&]$", "");
  }
}
