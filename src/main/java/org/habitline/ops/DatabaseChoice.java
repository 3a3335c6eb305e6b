package org.habitline.ops;

import io.micronaut.configuration.jdbc.hikari.DatasourceConfiguration;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * PostgreSQL instead of the H2 file when {@code DATABASE_URL} names one: as JDBC writes it, or as
 * {@code postgres://user:password@host/database}, which hosting platforms hand out.
 */
@Singleton
final class DatabaseChoice implements BeanCreatedEventListener<DatasourceConfiguration> {

  private static final String JDBC = "jdbc:postgresql://";

  /** As long as a lease; {@code socketTimeout} in the address wins over it. */
  private static final String SECONDS_WITHOUT_A_WORD = "30";

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
  static boolean understands(String url) {
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
    }
    return datasource;
  }

  /** Where a PostgreSQL database is, as JDBC wants it, and who signs in there. */
  record Address(String url, String user, String password) {

    /** Reads an address that {@link #understands} accepts; who signs in may stand in it. */
    static Address of(String url, String user, String password) {
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

    /** Host, port and name for people; who signs in may stand behind them, and is not shown. */
    String place() {
      return url.substring(JDBC.length()).replaceFirst("\\?.*", "");
    }
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
