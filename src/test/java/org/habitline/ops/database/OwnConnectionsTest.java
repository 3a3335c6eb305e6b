package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.habitline.TestDatabase;
import org.junit.jupiter.api.Test;

/** Connections for what lasts longer than the pool allows. */
final class OwnConnectionsTest {

  @Test
  void nothingButAWaitForALockIsBounded() throws SQLException {
    var url = String.valueOf(TestDatabase.postgres().get("database.url"));
    var name = url.substring(url.lastIndexOf('/') + 1);
    try (var connection = DriverManager.getConnection(url, "postgres", "postgres");
        var statement = connection.createStatement()) {
      for (var bound : new String[] {"statement_timeout", "idle_in_transaction_session_timeout"}) {
        statement.execute("ALTER DATABASE " + name + " SET " + bound + " = '15s'");
      }
    }
    var connections =
        new OwnConnections(
            url + "?socketTimeout=1&connectTimeout=7",
            "postgres",
            "postgres",
            Duration.ofSeconds(3));
    assertThat(connections.url()).endsWith("?connectTimeout=7");
    try (var connection = connections.open();
        var statement = connection.createStatement();
        var shown =
            statement.executeQuery(
                "SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),"
                    + " current_setting('idle_in_transaction_session_timeout')")) {
      assertThat(shown.next()).isTrue();
      assertThat(shown.getString(1)).isEqualTo("0");
      assertThat(shown.getString(2)).isEqualTo("3s");
      assertThat(shown.getString(3)).isEqualTo("0");
      assertThat(connection.getNetworkTimeout()).isZero();
    }
  }
}
