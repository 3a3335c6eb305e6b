package org.habitline.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.IntFunction;
import javax.sql.DataSource;
import org.habitline.storage.Ids;

/** Stores wake-ups with plain JDBC, as if turns had planned them. */
public final class Wakeups {

  private static final String ZONE = "Europe/Berlin";

  private Wakeups() {}

  /** Stores the given number of wake-ups for the participants in turn, in one commit. */
  public static void store(
      DataSource database, List<String> participantIds, int number, IntFunction<Instant> due) {
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, participantIds, number, due);
      connection.commit();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void insert(
      Connection connection, List<String> participantIds, int number, IntFunction<Instant> due)
      throws SQLException {
    try (var insert =
        connection.prepareStatement(
            "INSERT INTO wakeup (id, participant_id, kind, due_at, wall_time, zone, guard, status,"
                + " created_at, only_one)"
                + " VALUES (?, ?, 'daily_prompt', ?, '2026-11-21T08:15:00', ?, ?, 'waiting', ?, ?)")) {
      for (int i = 0; i < number; i++) {
        var id = Ids.next("wku");
        var participantId = participantIds.get(i % participantIds.size());
        insert.setString(1, id);
        insert.setString(2, participantId);
        insert.setObject(3, due.apply(i).atOffset(ZoneOffset.UTC));
        insert.setString(4, ZONE);
        insert.setString(5, "2026-11-21 1");
        insert.setObject(6, Instant.now().atOffset(ZoneOffset.UTC));
        insert.setString(7, participantId + ":" + id);
        insert.addBatch();
        if (i % 1000 == 999) {
          insert.executeBatch();
        }
      }
      insert.executeBatch();
    }
  }
}
