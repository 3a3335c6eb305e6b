package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.habitline.TestDatabase;
import org.junit.jupiter.api.Test;

final class OwnSnapshotsTest {

  @Test
  void onPostgresqlTwoConnectionsSeeTheSameSnapshot() throws SQLException {
    var url = String.valueOf(TestDatabase.postgres().get("database.url"));
    var snapshots =
        new OwnSnapshots(new OwnConnections(url, "postgres", "postgres", Duration.ofSeconds(3)));
    try (var writer = DriverManager.getConnection(url, "postgres", "postgres");
        var statement = writer.createStatement()) {
      statement.execute("CREATE TABLE word (word varchar(10))");
      statement.execute("INSERT INTO word VALUES ('before')");
      var seen =
          snapshots.readSideBySide(connections -> {
            statement.execute("INSERT INTO word VALUES ('meanwhile')");
            var words = new ArrayList<List<String>>();
            for (var connection : connections) {
              assertThat(connection.isReadOnly()).isTrue();
              words.add(words(connection));
            }
            return words;
          });
      assertThat(seen).containsExactly(List.of("before"), List.of("before"));
      assertThat(words(writer)).containsExactly("before", "meanwhile");
    }
  }

  private static List<String> words(Connection connection) throws SQLException {
    var words = new ArrayList<String>();
    try (var statement = connection.createStatement();
        var found = statement.executeQuery("SELECT word FROM word ORDER BY word")) {
      while (found.next()) {
        words.add(found.getString(1));
      }
    }
    return words;
  }
}
