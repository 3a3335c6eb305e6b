package org.habitline.ops.database;

import com.zaxxer.hikari.SQLExceptionOverride;
import io.micronaut.configuration.jdbc.hikari.DatasourceConfiguration;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.h2.api.ErrorCode;
import org.habitline.ops.access.Loopback;

/**
 * Configures PostgreSQL instead of the H2 file if {@code DATABASE_URL} is set: as a JDBC URL, or as
 * {@code postgres://user:password@host/database}, the form that hosting platforms provide. Then
 * makes what the pool finds: private folders, and the tables.
 */
@Singleton
public final class DatabaseChoice implements BeanCreatedEventListener<DatasourceConfiguration> {

  private static final String JDBC = "jdbc:postgresql://";

  /** Files of a study that are in the home folder only if there is a database. */
  private static final List<String> OF_A_STUDY =
      List.of("suppression.key", "accounts.key", ErasureFile.NAME, "data/" + Backups.MARK);

  /** SSL modes in which the driver always uses TLS. */
  private static final Set<String> ENCRYPTED = Set.of("require", "verify-ca", "verify-full");

  /**
   * The driver's read timeout, as long as a lease; {@code socketTimeout} in the address overrides
   * it.
   */
  private static final String SECONDS_WITHOUT_A_WORD = "30";

  /**
   * Limits that the server enforces when this process cannot: it ends an idle transaction of a
   * frozen or dead process before a lease runs out, which frees its locks; it notices within
   * seconds that a client is gone while its statement runs; and it limits waiting for locks. Only
   * values that the address sets in its {@code options} override them; a server that lacks one of
   * these settings, also on its platform, goes without it. Sent as a statement, because {@code
   * options} would replace the operator's own and is refused by poolers.
   */
  private static final String BOUNDS =
      """
      DO $$
      DECLARE bound record;
      BEGIN
        FOR bound IN
          SELECT s.name, w.value
          FROM (VALUES ('idle_in_transaction_session_timeout', '15s'),
                       ('client_connection_check_interval', '5s'),
                       ('lock_timeout', '10s')) AS w (name, value)
               JOIN pg_settings s ON s.name = w.name
          WHERE s.source <> 'client'
        LOOP
          BEGIN
            PERFORM set_config(bound.name, bound.value, false);
          EXCEPTION WHEN OTHERS THEN NULL;
          END;
        END LOOP;
      END $$\
      """;

  private final String url;
  private final String user;
  private final String password;
  private final PrivateFolders folders;
  private final FreeSpace space;
  private final Path home;

  DatabaseChoice(
      @Value("${database.url:}") String url,
      @Value("${database.user:}") String user,
      @Value("${database.password:}") String password,
      @Value("${habitline.home}") String home,
      PrivateFolders folders,
      FreeSpace space) {
    this.url = url.strip();
    this.user = user;
    this.password = password;
    this.home = Path.of(home);
    this.folders = folders;
    this.space = space;
  }

  /** Returns whether the text is an address of PostgreSQL in one of the two forms. */
  public static boolean understands(String url) {
    if (url.startsWith(JDBC)) {
      // Without user info, which the driver would take for a part of the host.
      return url.substring(JDBC.length()).matches("[^@/?]*[/?].*|[^@/?]+");
    }
    try {
      var uri = URI.create(url);
      return ("postgres".equals(uri.getScheme()) || "postgresql".equals(uri.getScheme()))
          && uri.getHost() != null
          && uri.getRawPath().length() > 1;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Override
  public DatasourceConfiguration onCreated(BeanCreatedEvent<DatasourceConfiguration> event) {
    var datasource = event.getBean();
    if (!url.isEmpty()) {
      var address = Address.of(url, user, password);
      datasource.setDriverClassName("org.postgresql.Driver");
      datasource.setJdbcUrl(address.url());
      datasource.setUsername(address.user());
      datasource.setPassword(address.password());
      // The server's error details quote rows, and rows hold what participants wrote.
      datasource.addDataSourceProperty("logServerErrorDetail", "false");
      datasource.addDataSourceProperty("ApplicationName", "habitline");
      // Without a timeout, the driver waits forever for a server that has vanished.
      datasource.addDataSourceProperty("socketTimeout", SECONDS_WITHOUT_A_WORD);
      datasource.setConnectionInitSql(BOUNDS);
    }
    datasource.setExceptionOverride(new ClosedFile());
    prepare(new OwnConnections(datasource));
    return datasource;
  }

  private void prepare(OwnConnections connections) {
    folders.tighten(connections.file().map(Path::getParent));
    try {
      if (connections.onPostgresql() || connections.file().isPresent()) {
        space.check();
      }
      Schema.prepare(
          connections,
          OF_A_STUDY.stream().filter(name -> Files.exists(home.resolve(name))).toList());
    } catch (SQLException e) {
      throw new IllegalStateException("The tables cannot be made.", e);
    }
  }

  /**
   * Makes the pool drop a connection to an H2 file that is closed: H2 closes it when it cannot be
   * written, and the next connection opens it again.
   */
  private static final class ClosedFile implements SQLExceptionOverride {
    private static final Set<Integer> CODES =
        Set.of(ErrorCode.DATABASE_IS_CLOSED, ErrorCode.DATABASE_CALLED_AT_SHUTDOWN);

    @java.lang.Override // the interface has a type of that name
    public SQLExceptionOverride.Override adjudicate(SQLException failure) {
      return CODES.contains(failure.getErrorCode())
          ? SQLExceptionOverride.Override.MUST_EVICT
          : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
  }

  /** The JDBC address of a PostgreSQL database, with the user and password. */
  public record Address(String url, String user, String password) {

    /**
     * Reads an address that {@link #understands} accepts; a user and password in it take
     * precedence.
     */
    public static Address of(String url, String user, String password) {
      if (url.startsWith(JDBC)) {
        return new Address(url, user, password);
      }
      var uri = URI.create(url);
      var port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
      var query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
      var jdbc = JDBC + uri.getHost() + port + uri.getRawPath() + query;
      if (uri.getRawUserInfo() == null) {
        return new Address(jdbc, user, password);
      }
      var parts = uri.getRawUserInfo().split(":", 2);
      return new Address(jdbc, decoded(parts[0]), parts.length > 1 ? decoded(parts[1]) : password);
    }

    /** Returns whether data and password travel unencrypted to another machine. */
    public boolean readableOnTheWay() {
      return !encrypted() && hosts().anyMatch(host -> !Loopback.isLoopback(host));
    }

    /** Follows the driver: it always encrypts from "require" on, or with ssl=true alone. */
    private boolean encrypted() {
      var sslmode = parameter("sslmode");
      return sslmode.isPresent()
          ? ENCRYPTED.contains(sslmode.get().toLowerCase(Locale.ROOT))
          : parameter("ssl").filter(value -> value.isEmpty() || value.equals("true")).isPresent();
    }

    private Optional<String> parameter(String name) {
      var query = url.indexOf('?') < 0 ? "" : url.substring(url.indexOf('?') + 1);
      return Stream.of(query.split("&", -1))
          .map(pair -> pair.split("=", 2))
          .filter(pair -> pair[0].equals(name))
          .map(pair -> pair.length > 1 ? decoded(pair[1]) : "")
          .findFirst();
    }

    /** Returns the hosts in the address; none means this machine. */
    private Stream<String> hosts() {
      return Stream.of(place().replaceFirst("/.*", "").split(","))
          .map(host -> host.replaceFirst(":[0-9]*$", ""))
          .filter(host -> !host.isEmpty());
    }

    /**
     * Returns host, port and database name for display, without the parameters, which may hold
     * credentials.
     */
    public String place() {
      return url.substring(JDBC.length()).replaceFirst("\\?.*", "");
    }
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
