package org.habitline.ops.database;

import io.micronaut.configuration.jdbc.hikari.DatasourceConfiguration;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.ops.access.Loopback;

/**
 * PostgreSQL instead of the H2 file when {@code DATABASE_URL} names one: as JDBC writes it, or as
 * {@code postgres://user:password@host/database}, which hosting platforms hand out.
 */
@Singleton
public final class DatabaseChoice implements BeanCreatedEventListener<DatasourceConfiguration> {

  private static final String JDBC = "jdbc:postgresql://";

  /** Modes in which the driver never speaks without TLS. */
  private static final Set<String> ENCRYPTED = Set.of("require", "verify-ca", "verify-full");

  /** As long as a lease; {@code socketTimeout} in the address wins over it. */
  private static final String SECONDS_WITHOUT_A_WORD = "30";

  /**
   * What the server does for us while we cannot: it ends a transaction whose process stands still
   * or is gone, before a lease runs out, so that its locks are free; it notices within seconds that
   * nobody waits for a statement any more; and no statement waits for a lock longer than it is
   * worth. Only what the address itself sets, in its {@code options}, wins over it; a server that
   * does not know one of them, or not on its platform, does without. Sent as a statement and not as
   * {@code options}, which would take the place of the operator's, and which poolers refuse.
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

  DatabaseChoice(
      @Value("${database.url:}") String url,
      @Value("${database.user:}") String user,
      @Value("${database.password:}") String password) {
    this.url = url.strip();
    this.user = user;
    this.password = password;
  }

  /** Whether an address is one of PostgreSQL, in one of the two ways of writing it. */
  public static boolean understands(String url) {
    if (url.startsWith(JDBC)) {
      // The driver would take who signs in for a part of the host.
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
      // The server's detail of an error quotes rows, and rows hold what participants wrote.
      datasource.addDataSourceProperty("logServerErrorDetail", "false");
      datasource.addDataSourceProperty("ApplicationName", "habitline");
      // A server that vanishes tells nobody, and the driver by itself would wait for it for ever.
      datasource.addDataSourceProperty("socketTimeout", SECONDS_WITHOUT_A_WORD);
      datasource.setConnectionInitSql(BOUNDS);
    }
    return datasource;
  }

  /** Where a PostgreSQL database is, as JDBC wants it, and who signs in there. */
  public record Address(String url, String user, String password) {

    /** Reads an address that {@link #understands} accepts; who signs in may stand in it. */
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

    /**
     * Whether texts and the password may travel to another machine so that others can read them.
     */
    public boolean readableOnTheWay() {
      return !encrypted() && hosts().anyMatch(host -> !Loopback.isLoopback(host));
    }

    /** What the driver does: it encrypts for sure from "require" on, and with ssl=true alone. */
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

    /** The hosts of the address; none stands for this machine. */
    private Stream<String> hosts() {
      return Stream.of(place().replaceFirst("/.*", "").split(","))
          .map(host -> host.replaceFirst(":[0-9]*$", ""))
          .filter(host -> !host.isEmpty());
    }

    /** Host, port and name for people; who signs in may stand behind them, and is not shown. */
    public String place() {
      return url.substring(JDBC.length()).replaceFirst("\\?.*", "");
    }
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
