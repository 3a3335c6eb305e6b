package org.habitline.ops.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.habitline.storage.InBatches;
import org.jspecify.annotations.Nullable;

/**
 * Converts outbox rows written by a node of the version before V32. Such a node stores only as a
 * sentence why a message waits and what its last error was, and leaves the columns that newer nodes
 * wrote unchanged. Rows of newer nodes are consistent and stay unchanged.
 */
final class OldTexts {

  private static final String ROW =
      """
      SELECT o.seq, o.status, o.open, o.provider_id, o.reason, o.hold, o.failure, o.failure_code,
             (SELECT MAX(e.fate) FROM delivery_event e
              WHERE e.provider_id = o.provider_id AND e.status = o.status) AS fate
      FROM outbox o WHERE \
      """;

  /**
   * Selects the rows in this part of the table that may need it. Does not filter by whether they
   * ended: H2 would then scan all ended rows instead of using the range of numbers.
   */
  static final String ENDED =
      ROW
          + """
          o.seq > ? AND o.seq <= ?
            AND (o.hold IS NOT NULL OR o.failure_code IS NOT NULL
              OR (o.failure IS NULL AND o.status IN ('refused', 'failed', 'undelivered', 'canceled')))\
          """;

  private static final Set<String> SAID_BY_THE_LINE =
      Set.of("sender_stopped", "channel_missing", "allowed_hours");
  private static final Set<String> FAILED = Set.of("failed", "undelivered", "canceled");

  private OldTexts() {}

  /** The columns that replace the sentences. */
  private record State(
      @Nullable String hold, @Nullable String failure, @Nullable String failureCode) {

    /** Returns this state without the failure of an earlier attempt. */
    State afresh(@Nullable String code) {
      return new State(hold, null, code);
    }

    State held(@Nullable String why) {
      return new State(why, failure, failureCode);
    }

    State failed(@Nullable String meaning) {
      return new State(hold, meaning, failureCode);
    }
  }

  /**
   * A row as read.
   *
   * @param fate what the provider's report of this status means, if there is one
   */
  private record Text(
      long seq,
      String status,
      boolean open,
      @Nullable String providerId,
      @Nullable String reason,
      State state,
      @Nullable String fate) {

    static Text read(ResultSet found) throws SQLException {
      return new Text(
          found.getLong("seq"),
          found.getString("status"),
          found.getBoolean("open"),
          found.getString("provider_id"),
          found.getString("reason"),
          new State(
              found.getString("hold"), found.getString("failure"), found.getString("failure_code")),
          found.getString("fate"));
    }

    boolean isOld() {
      return !mended().equals(state);
    }

    State mended() {
      var held = state.held(open && status.equals("planned") ? hold() : null);
      var met = hasOldFailure() ? held.afresh(null) : held;
      return open ? waiting(met) : ended(met);
    }

    private Optional<String> said() {
      return Optional.ofNullable(reason).flatMap(OldSentences::hold);
    }

    private @Nullable String hold() {
      var attempted = OldSentences.isOfAnAttempt(reason);
      var contradicted =
          reason == null || (attempted && SAID_BY_THE_LINE.contains(String.valueOf(state.hold())));
      return said().orElse(contradicted ? null : state.hold());
    }

    /** Returns whether the code belongs to an earlier attempt than the reason. */
    private boolean hasOldFailure() {
      return state.failureCode() != null
          && (providerId != null
              || (OldSentences.isOfAnAttempt(reason)
                  && !Objects.equals(reason, state.failureCode())));
    }

    private State waiting(State met) {
      if (said().isEmpty() || !status.equals("planned")) {
        return met;
      }
      var code = Optional.ofNullable(reason).flatMap(OldSentences::failureCode).orElse(null);
      return Objects.equals(code, met.failureCode()) ? met : met.afresh(code);
    }

    private State ended(State met) {
      if (FAILED.contains(status) && met.failure() == null && providerId != null) {
        return met.failed(fate);
      }
      if (reason == null || !status.equals("refused")) {
        return met;
      }
      var code = OldSentences.failureCode(reason).orElse(met.failureCode());
      var told = Objects.equals(code, met.failureCode()) ? met : met.afresh(code);
      return told.failure() == null ? told.failed(OldSentences.failure(reason).orElse(null)) : told;
    }
  }

  /** Converts the selected rows that need it, except rows that are locked at the moment. */
  private static void mend(Connection connection, PreparedStatement select) throws SQLException {
    var seqs = read(select).stream().filter(Text::isOld).map(Text::seq).toList();
    if (seqs.isEmpty()) {
      return;
    }
    var marks = String.join(", ", seqs.stream().map(it -> "?").toList());
    try (var held =
            connection.prepareStatement(
                ROW + "o.seq IN (" + marks + ") ORDER BY o.seq FOR UPDATE SKIP LOCKED");
        var update =
            connection.prepareStatement(
                "UPDATE outbox SET hold = ?, failure = ?, failure_code = ? WHERE seq = ?")) {
      for (int i = 0; i < seqs.size(); i++) {
        held.setLong(i + 1, seqs.get(i));
      }
      for (var text : read(held).stream().filter(Text::isOld).toList()) {
        var state = text.mended();
        update.setString(1, state.hold());
        update.setString(2, state.failure());
        update.setString(3, state.failureCode());
        update.setLong(4, text.seq());
        update.addBatch();
      }
      update.executeBatch();
    }
  }

  private static List<Text> read(PreparedStatement select) throws SQLException {
    var texts = new ArrayList<Text>();
    try (var found = select.executeQuery()) {
      while (found.next()) {
        texts.add(Text.read(found));
      }
    }
    return texts;
  }

  /** Converts open messages, by participant; each pass starts from the beginning. */
  record Open() implements Backfill {

    @Override
    public String name() {
      return "open_texts";
    }

    @Override
    public boolean goesOn() {
      return true;
    }

    @Override
    public String before(String position) {
      return "";
    }

    @Override
    public Progress next(Connection connection, String position) throws SQLException {
      try (var next =
              connection.prepareStatement(
                  "SELECT MAX(n.participant_id), COUNT(*) FROM (SELECT o.participant_id FROM outbox o"
                      + " WHERE o.open = TRUE AND o.participant_id > ?"
                      + " ORDER BY o.open, o.participant_id LIMIT ?) n");
          var select =
              connection.prepareStatement(
                  ROW
                      + "o.open = TRUE AND o.participant_id > ? AND o.participant_id <= ?"
                      + " AND (o.reason IS NOT NULL OR o.hold IS NOT NULL OR o.failure_code IS NOT NULL)")) {
        next.setString(1, position);
        next.setInt(2, InBatches.ROWS);
        try (var found = next.executeQuery()) {
          if (!found.next() || found.getLong(2) == 0) {
            return new Progress("", 0, Next.NOTHING);
          }
          var last = found.getString(1);
          select.setString(1, position);
          select.setString(2, last);
          mend(connection, select);
          return found.getLong(2) < InBatches.ROWS
              ? new Progress("", found.getLong(2), Next.NOTHING)
              : new Progress(last, found.getLong(2), Next.MORE);
        }
      }
    }
  }

  /** Converts ended messages, in the order of planning; each pass repeats the newest. */
  record Ended(long late) implements Backfill {

    @Override
    public String name() {
      return "ended_texts";
    }

    @Override
    public boolean goesOn() {
      return true;
    }

    @Override
    public String before(String position) {
      return position.isEmpty() ? "" : String.valueOf(Math.max(0, Long.parseLong(position) - late));
    }

    @Override
    public Progress next(Connection connection, String position) throws SQLException {
      var after = position.isEmpty() ? 0 : Long.parseLong(position);
      try (var next =
              connection.prepareStatement(
                  "SELECT MAX(n.seq), COUNT(*) FROM"
                      + " (SELECT o.seq FROM outbox o WHERE o.seq > ? ORDER BY o.seq LIMIT ?) n");
          var select = connection.prepareStatement(ENDED)) {
        next.setLong(1, after);
        next.setInt(2, InBatches.ROWS);
        try (var found = next.executeQuery()) {
          if (!found.next() || found.getLong(2) == 0) {
            return new Progress(position, 0, Next.NOTHING);
          }
          var last = found.getLong(1);
          select.setLong(1, after);
          select.setLong(2, last);
          mend(connection, select);
          return new Progress(
              String.valueOf(last),
              found.getLong(2),
              found.getLong(2) < InBatches.ROWS ? Next.NOTHING : Next.MORE);
        }
      }
    }
  }
}
