package org.habitline.ops.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;
import org.habitline.storage.InBatches;

/**
 * Converts turns closed by a node of the version before V32. Such a node stores only as a sentence
 * why the model failed or that staff are to reply. Processes the turns with these outcomes in the
 * order in which they ended; each pass repeats those of the last hour.
 */
record OldTurns() implements Backfill {

  private static final String FAILED = "model_failed";
  private static final List<String> OUTCOMES = List.of(FAILED, "not_for_the_coach", "taken_over");

  /** Uses the index on outcome and time, one outcome after the other. */
  private static final String NEXT =
      OUTCOMES.stream()
          .map(outcome ->
              "(SELECT t.completed_at FROM turn t WHERE t.outcome = '"
                  + outcome
                  + "' AND t.completed_at > ? ORDER BY t.outcome, t.completed_at LIMIT ?)")
          .collect(
              Collectors.joining(
                  " UNION ALL ",
                  "SELECT MAX(n.completed_at), COUNT(*) FROM (SELECT u.completed_at FROM (",
                  ") u ORDER BY u.completed_at LIMIT ?) n"));

  /** One outcome at a time: with a list of several, H2 does not use the time in the index. */
  static final String OLD =
      """
      SELECT participant_id, number, reason FROM turn
      WHERE outcome = ? AND completed_at > ? AND completed_at <= ?
        AND reason IS NOT NULL AND model_failure IS NULL AND held_by_staff = FALSE\
      """;

  /** How long before a reached time turns may have been committed late. */
  private static final Duration LATE = Duration.ofHours(1);

  @Override
  public String name() {
    return "ended_turns";
  }

  @Override
  public boolean goesOn() {
    return true;
  }

  @Override
  public String before(String position) {
    return position.isEmpty() ? "" : Instant.parse(position).minus(LATE).toString();
  }

  @Override
  public Progress next(Connection connection, String position) throws SQLException {
    var after =
        (position.isEmpty() ? Instant.EPOCH : Instant.parse(position)).atOffset(ZoneOffset.UTC);
    try (var next = connection.prepareStatement(NEXT)) {
      var place = 1;
      for (int i = 0; i < OUTCOMES.size(); i++) {
        next.setObject(place++, after);
        next.setInt(place++, InBatches.ROWS);
      }
      next.setInt(place, InBatches.ROWS);
      try (var found = next.executeQuery()) {
        if (!found.next() || found.getLong(2) == 0) {
          return new Progress(position, 0, Next.NOTHING);
        }
        var last = found.getObject(1, OffsetDateTime.class);
        for (var outcome : OUTCOMES) {
          mend(connection, outcome, after, last);
        }
        return new Progress(
            last.toInstant().toString(),
            found.getLong(2),
            found.getLong(2) < InBatches.ROWS ? Next.NOTHING : Next.MORE);
      }
    }
  }

  private static void mend(
      Connection connection, String outcome, OffsetDateTime after, OffsetDateTime last)
      throws SQLException {
    try (var select = connection.prepareStatement(OLD);
        var update =
            connection.prepareStatement(
                "UPDATE turn SET model_failure = ?, held_by_staff = ? WHERE participant_id = ? AND number = ?")) {
      select.setString(1, outcome);
      select.setObject(2, after);
      select.setObject(3, last);
      try (var found = select.executeQuery()) {
        while (found.next()) {
          var reason = found.getString("reason");
          var failure =
              outcome.equals(FAILED) ? OldSentences.modelFailure(reason).orElse(null) : null;
          var held = !outcome.equals(FAILED) && OldSentences.isHeldByStaff(reason);
          if (failure != null || held) {
            update.setString(1, failure);
            update.setBoolean(2, held);
            update.setString(3, found.getString("participant_id"));
            update.setInt(4, found.getInt("number"));
            update.addBatch();
          }
        }
      }
      update.executeBatch();
    }
  }
}
