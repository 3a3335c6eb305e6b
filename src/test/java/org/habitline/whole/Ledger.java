package org.habitline.whole;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a line left in its database file, read by plain SQL past the code that wrote it. */
final class Ledger {

  private static final String NAME = "habitline";

  private final String url;
  private final String user;

  private Ledger(String url, String user) {
    this.url = url;
    this.user = user;
  }

  /** Reads a database that the line may be using. */
  static Ledger at(String url, String user) {
    return new Ledger(url, user);
  }

  /** Reads the file of a line that is not running. */
  static Ledger of(Path home) {
    return new Ledger(
        "jdbc:h2:file:"
            + home.resolve("data").resolve(NAME)
            + ";IFEXISTS=TRUE;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;TRACE_LEVEL_FILE=0",
        NAME);
  }

  /** Reads a copy of the file: what would be left if the power failed now. */
  static Ledger ofNow(Path home, Path copy) {
    try {
      var file = Path.of("data", NAME + ".mv.db");
      Files.createDirectories(copy.resolve("data"));
      Files.copy(home.resolve(file), copy.resolve(file), StandardCopyOption.REPLACE_EXISTING);
      return of(copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Rows as maps by column, in the order the query gives. */
  List<Map<String, @Nullable Object>> rows(String sql, Object... parameters) {
    try (var connection = DriverManager.getConnection(url, user, NAME.equals(user) ? "" : user);
        var statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      var rows = new ArrayList<Map<String, @Nullable Object>>();
      try (var result = statement.executeQuery()) {
        var columns = result.getMetaData();
        while (result.next()) {
          var row = new LinkedHashMap<String, @Nullable Object>();
          for (int i = 1; i <= columns.getColumnCount(); i++) {
            row.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), result.getObject(i));
          }
          rows.add(row);
        }
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException("The ledger cannot be read.", e);
    }
  }

  /** Changes what is stored, behind the line's back; returns how many rows that were. */
  int change(String sql, Object... parameters) {
    try (var connection = DriverManager.getConnection(url, user, NAME.equals(user) ? "" : user);
        var statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException("The ledger cannot be changed.", e);
    }
  }

  /** The first column of every row, as words. */
  List<String> words(String sql, Object... parameters) {
    return rows(sql, parameters).stream()
        .map(row -> String.valueOf(row.values().iterator().next()))
        .toList();
  }

  long count(String sql, Object... parameters) {
    return Long.parseLong(words(sql, parameters).getFirst());
  }

  /** What participants said, as the transcript has it. */
  List<String> said(String participantId) {
    return words(
        "select content from message where participant_id = ? and role = 'user' order by seq",
        participantId);
  }

  /** The second column of every row as words, by the first. */
  private Map<String, List<String>> wordsByFirst(String sql) {
    var words = new LinkedHashMap<String, List<String>>();
    for (var row : rows(sql)) {
      var columns = row.values().stream().map(String::valueOf).toList();
      words.computeIfAbsent(columns.getFirst(), first -> new ArrayList<>()).add(columns.get(1));
    }
    return words;
  }

  /** What every participant said, as the transcript has it. */
  Map<String, List<String>> allSaid() {
    return wordsByFirst(
        "select participant_id, content from message where role = 'user' order by seq");
  }

  /** What the bot said to every participant, as the transcript has it. */
  Map<String, List<String>> allAnswered() {
    return wordsByFirst(
        "select participant_id, content from message where role = 'assistant' order by seq");
  }

  /** For every participant and each of their turns, how many replies were planned for it. */
  Map<String, List<String>> allRepliesByTurn() {
    return wordsByFirst(
        "select t.participant_id, (select count(*) from outbox o"
            + " where o.participant_id = t.participant_id and o.turn = t.number"
            + " and o.kind in ('reply', 'prompt_now')) from turn t order by t.number");
  }

  /** What the bot said, as the transcript has it. */
  List<String> answered(String participantId) {
    return words(
        "select content from message where participant_id = ? and role = 'assistant' order by seq",
        participantId);
  }

  /** What arrived on the simulated phone. */
  List<String> arrived(String participantId) {
    return words(
        "select body from simulated_phone_text where participant_id = ? order by seq",
        participantId);
  }

  /** Deliveries as {@code kind status}. */
  List<String> deliveries(String participantId) {
    return words(
        "select concat(kind, ' ', status) from outbox where participant_id = ? order by seq",
        participantId);
  }

  /** Turns as {@code number status outcome attempts}. */
  List<String> turns(String participantId) {
    return words(
        "select concat(number, ' ', status, ' ', outcome, ' ', attempts) from turn"
            + " where participant_id = ? order by number",
        participantId);
  }

  /**
   * Iterations of one turn as {@code number.child}, those that were never completed with a mark.
   */
  List<String> iterations(String participantId, int turn) {
    return words(
        "select concat(number, '.', child, case when completed_at is null then ' open' else '' end)"
            + " from iteration where participant_id = ? and turn = ? order by number, child",
        participantId,
        turn);
  }

  /** Every change of the profile as {@code field=value}. */
  List<String> profileChanges(String participantId) {
    return words(
        "select concat(field, '=', new_value) from profile_change where participant_id = ? order by seq",
        participantId);
  }

  /** Occurrences as {@code date status}, oldest first. */
  List<String> occurrences(String participantId) {
    return words(
        "select concat(local_date, ' ', status) from occurrence where participant_id = ? order by local_date",
        participantId);
  }

  /** Wake-ups as {@code kind status}, but for nudges, which every reply of the intake plans. */
  List<String> wakeups(String participantId) {
    return words(
        "select concat(kind, ' ', status) from wakeup where participant_id = ? and kind <> 'nudge'",
        participantId);
  }

  /** The ids of participants with this number. */
  List<String> enrolments(String phone) {
    return words(
        "select p.id from participant p join address a on a.id = p.address_id where a.phone = ?",
        phone);
  }

  /**
   * The tables that still know a participant. Audit rows, events and the record of the erasure name
   * nobody but by id.
   */
  List<String> tracesOf(String participantId) {
    return words(
            "select table_name from information_schema.columns"
                + " where column_name = 'participant_id' and table_schema = 'public'"
                + " and table_name not in ('audit_event', 'event', 'idempotency', 'erasure')")
        .stream()
        .filter(table ->
            count("select count(*) from " + table + " where participant_id = ?", participantId) > 0)
        .toList();
  }

  /** How long it took until everybody's texts were answered and sent. */
  Duration fromFirstTextToLastReply() {
    return Duration.ofMillis(
        count(
            "select datediff(millisecond, (select min(stored_at) from inbox where kind = 'said'),"
                + " (select max(ended_at) from outbox))"));
  }

  /** How many inbox rows no turn has done with. */
  long openInbox() {
    return count("select count(*) from inbox where status <> 'done'");
  }

  /** How many texts have not gone out, or not to the line's knowledge. */
  long openOutbox() {
    return count("select count(*) from outbox where open = true");
  }

  /** For each turn, how many replies went out for it. */
  List<Long> repliesByTurn(String participantId) {
    return words(
            "select (select count(*) from outbox o where o.participant_id = t.participant_id"
                + " and o.turn = t.number and o.kind in ('reply', 'prompt_now'))"
                + " from turn t where t.participant_id = ? order by t.number",
            participantId)
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  /** The turns of these statuses whose newest text begins with these words. */
  List<String> turnsOn(String participantId, String beginning, String... statuses) {
    return words(
        "select number from turn t where t.participant_id = ? and t.status in ('"
            + String.join("', '", statuses)
            + "') and (select content from message m where m.participant_id = t.participant_id"
            + " and m.turn = t.number and m.role = 'user' order by seq desc limit 1) like ?",
        participantId,
        beginning + "%");
  }

  /** The turns that changed a field of the profile, once for each change. */
  List<String> turnsThatChanged(String participantId, String field) {
    return words(
        "select turn from profile_change where participant_id = ? and field = ?",
        participantId,
        field);
  }

  /** Changes of a field that do not begin where the one before ended. */
  List<String> brokenChanges(String participantId, String field) {
    return words(
        "select seq from (select seq, old_value, lag(new_value) over (order by seq) as before"
            + " from profile_change where participant_id = ? and field = ?)"
            + " where old_value is distinct from before",
        participantId,
        field);
  }

  String data(String participantId, String key) {
    return String.join(
        "|",
        words(
            "select data_value from state_data where participant_id = ? and data_key = ?",
            participantId,
            key));
  }
}
