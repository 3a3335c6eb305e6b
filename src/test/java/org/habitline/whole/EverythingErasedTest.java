package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.habitline.EnumColumns;
import org.habitline.RunningLine;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An erasure reaches every table, also one that is made tomorrow: the tables are read from the
 * schema, and whoever makes one that names participants finds it here until the erasure covers it.
 */
@Tag("database")
final class EverythingErasedTest {

  /** Stands in every text that these tests write of the participant. */
  private static final String MARK = "zqx";

  /** Tables that may name an erased participant by the id, and why; they hold nothing else. */
  private static final Map<String, String> ID_STAYS =
      Map.of(
          "erasure", "that the participant was erased, and when",
          "audit_event", "who did what when, without values and reasons",
          "participant_import_row", "which row of which import it was",
          "unclaimed_text", "the provider's id of a text, so that a list does not bring it back",
          "idempotency", "that a request was carried out; the answer is 410");

  /** Columns of these rows that keep their value, because it is none of the participant's words. */
  private static final Set<String> KEPT =
      Set.of(
          "audit_event.actor",
          "audit_event.role",
          "audit_event.action",
          "audit_event.subject",
          "idempotency.key_hash",
          "incident.id",
          "incident.rule",
          "incident.rules_version",
          "incident.acknowledged_by",
          "incident.released_by",
          "incident_entry.incident_id",
          "incident_entry.made_by",
          "incident_entry.rule",
          "participant_import_row.import_id",
          "participant_import_row.status",
          "unclaimed_text.provider_id",
          "unclaimed_text.channel",
          "unclaimed_text.status",
          "unclaimed_text.told");

  /** Tables that hold nothing of one participant, or what follows from other tables. */
  private static final Set<String> OF_NOBODY =
      Set.of(
          "flyway_schema_history",
          "participant",
          "address",
          "delivery_event",
          "alert",
          "alert_test",
          "alert_grant",
          "incident_entry",
          "prompt_text",
          "prompt_rendering",
          "shared_content",
          "configuration_version",
          "message_template",
          "provider_list",
          "rcs_agent",
          "build",
          "api_key",
          "account",
          "account_pass",
          "recovery_code",
          "login_token",
          "session",
          "participant_import",
          "bulk_action",
          "restored",
          "sending_stop",
          "sender",
          "study_clock",
          "erased_sender",
          "suppressed_number",
          "suppression_key",
          "study_spend",
          "study_export",
          "erased_count",
          "added_field",
          "arm",
          "fidelity_day",
          "retention_run",
          "saved_view");

  private static RunningLine line;

  @BeforeAll
  static void build() {
    // Not started: nothing works on the rows that stand for what real work would leave.
    line = RunningLine.in(EverythingErasedTest.class).build();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private record Column(String name, String type, int length, boolean generated, boolean needed) {}

  private static String schema() {
    return line.rows(
            "SELECT table_schema FROM information_schema.tables WHERE table_name = 'participant'")
        .getFirst()
        .get("table_schema")
        .toString();
  }

  private static Set<String> tables() {
    return line
        .column(
            "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = ?",
            schema())
        .stream()
        .filter(table -> !table.startsWith("qrtz_"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Column> columns(String table) {
    return line
        .rows(
            "SELECT column_name, data_type, character_maximum_length AS length, is_identity, is_nullable"
                + " FROM information_schema.columns WHERE table_schema = ? AND table_name = ?"
                + " ORDER BY ordinal_position",
            schema(),
            table)
        .stream()
        .map(row ->
            new Column(
                row.get("column_name").toString(),
                row.get("data_type").toString().toLowerCase(Locale.ROOT),
                row.get("length") instanceof Number length ? length.intValue() : 0,
                "YES".equals(row.get("is_identity")),
                "NO".equals(row.get("is_nullable"))))
        .toList();
  }

  private static boolean isText(Column column) {
    return column.type().startsWith("character");
  }

  private static Set<String> naming() {
    return tables().stream()
        .filter(table -> !OF_NOBODY.contains(table))
        .filter(table -> columns(table).stream().anyMatch(it -> it.name().equals("participant_id")))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** One row of a table with the mark in every text but those that hold the word of an enum. */
  private static void write(String table, Participant participant) {
    if (!rowsOf(table, participant).isEmpty()) {
      return;
    }
    var names = new ArrayList<String>();
    var values = new ArrayList<Object>();
    var words = EnumColumns.of(line);
    for (var column : columns(table)) {
      if (!column.generated()) {
        var accepted = words.get(table + "." + column.name());
        names.add(column.name());
        values.add(accepted == null ? value(column, participant) : accepted.iterator().next());
      }
    }
    line.write(
        "INSERT INTO "
            + table
            + " ("
            + String.join(", ", names)
            + ") VALUES ("
            + names.stream().map(name -> "?").collect(Collectors.joining(", "))
            + ")",
        values.toArray());
  }

  private static Object value(Column column, Participant participant) {
    if (column.name().equals("participant_id")) {
      return participant.id();
    }
    if (isText(column)) {
      var mark = MARK + " of " + participant.id();
      return mark.substring(0, Math.min(mark.length(), column.length()));
    }
    return switch (column.type().replaceFirst("[ (].*", "")) {
      case "timestamp" -> line.system().instant().atOffset(ZoneOffset.UTC);
      case "date" -> LocalDate.ofInstant(line.system().instant(), ZoneOffset.UTC);
      case "boolean" -> false;
      case "integer", "smallint" -> 1;
      case "bigint" -> 1L;
      case "numeric" -> java.math.BigDecimal.ONE;
      default -> throw new IllegalStateException("A column of type " + column.type());
    };
  }

  private static List<Map<String, Object>> rowsOf(String table, Participant participant) {
    return line.rows("SELECT * FROM " + table + " WHERE participant_id = ?", participant.id());
  }

  /** Where the mark still stands, whoever's row it is. */
  private static List<String> marked() {
    var found = new ArrayList<String>();
    for (var table : tables()) {
      for (var column : columns(table)) {
        if (isText(column)
            && !line.rows(
                    "SELECT 1 AS found FROM "
                        + table
                        + " WHERE "
                        + column.name()
                        + " LIKE '"
                        + MARK
                        + "%'")
                .isEmpty()) {
          found.add(table + "." + column.name());
        }
      }
    }
    return found;
  }

  @Test
  void everyTableThatNamesParticipantsIsErased() {
    var participants = line.bean(Participants.class);
    var robin = line.enrol(ChannelKind.SIMULATOR, MARK + " Robin Example");
    for (var table : naming()) {
      if (!table.equals("erasure")) {
        write(table, robin);
      }
    }
    line.write(
        "INSERT INTO incident_entry (incident_id, kind, at, made_by, rule, text_id, message_id, note)"
            + " SELECT id, 'contact', opened_at, rule, rule, rule, id, rule FROM incident"
            + " WHERE participant_id = ?",
        robin.id());
    assertThat(marked())
        .contains("message.content", "outbox.body", "participant.name", "incident_entry.note");
    line.write(
        "INSERT INTO participant_import (id, status, actor, role, row_count, created_at) VALUES"
            + " ('imp_looked_at', 'previewed', 'a key', 'staff', 1, ?)",
        line.system().instant().atOffset(ZoneOffset.UTC));
    line.write(
        "INSERT INTO participant_import_row (import_id, number, status, content) VALUES"
            + " ('imp_looked_at', 2, 'waiting', ?)",
        "{\"phone_number\":\""
            + robin.phone().e164().replaceFirst("\\+1(...)(...)(....)", "($1) $2-$3")
            + "\"}");
    // Whoever opted out gets no last text, so that nothing need be sent first.
    participants.optOut(robin.id(), OptOutSource.KEYWORD);
    participants.leave(robin.id(), false);

    assertThat(naming().stream().filter(table -> !rowsOf(table, robin).isEmpty()).toList())
        .as("tables that still name somebody who was erased")
        .allMatch(ID_STAYS::containsKey);
    assertThat(marked()).as("columns that still hold something of them").allMatch(KEPT::contains);
    assertThat(line.rows("SELECT * FROM participant WHERE id = ?", robin.id())).isEmpty();
    assertThat(line.rows("SELECT * FROM participant_import_row WHERE import_id = 'imp_looked_at'"))
        .isEmpty();
  }

  @Test
  void everyTableIsKnownToNameParticipantsOrNot() {
    assertThat(tables().stream().filter(table -> !OF_NOBODY.contains(table)).toList())
        .as("a new table: name the participant in participant_id and erase it, or say here why not")
        .allMatch(naming()::contains);
  }
}
