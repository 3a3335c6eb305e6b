package org.habitline.study;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.Clock;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.storage.Snapshots;

/**
 * Exports everything the database holds about one person as one JSON document, with a section for
 * each table. Rows are in the order they were created, timestamps are in UTC, and stored JSON is
 * included as JSON. Secrets, and data about the service rather than the person, are left out, and
 * so are safety incidents with the messages that belong to them, unless they are asked for.
 */
@Singleton
public final class Exports {

  private static final JsonMapper JSON = new JsonMapper();

  private static final int ROWS_AT_A_TIME = 100;

  /** Internal columns that tell the person nothing. */
  private static final Set<String> LEFT_OUT = Set.of("participant_id", "address_id", "hash");

  private final Snapshots snapshots;
  private final Clock systemClock;

  Exports(Snapshots snapshots, @Named("system") Clock systemClock) {
    this.snapshots = snapshots;
    this.systemClock = systemClock;
  }

  /**
   * A section of the document.
   *
   * @param table the table it is read from
   * @param query selects its rows; the parameter is the participant's id
   * @param json columns that hold JSON
   */
  public record Section(String name, String table, String query, Set<String> json) {

    private static Section of(String name, String table, String order, String... json) {
      return new Section(
          name,
          table,
          "SELECT * FROM " + table + " WHERE participant_id = ? ORDER BY " + order,
          Set.of(json));
    }

    /** As {@link #of}, with a condition for the rows. */
    private static Section calm(String name, String table, String ordinary, String... json) {
      return new Section(
          name,
          table,
          "SELECT * FROM "
              + table
              + " t WHERE participant_id = ? AND "
              + ordinary
              + " ORDER BY seq",
          Set.of(json));
    }

    private static final String EVERYTHING = "TRUE";

    private static final String NO_INCIDENT = "t.incident_id IS NULL";

    /**
     * Condition for a row of the inbox, {@code i}: it, or the turn that took it, was in a crisis.
     */
    private static final String IN_CRISIS =
        "(i.incident_id IS NOT NULL OR EXISTS (SELECT 1 AS found FROM message m"
            + " WHERE m.participant_id = i.participant_id AND m.turn = i.turn"
            + " AND m.incident_id IS NOT NULL))";

    private static final String MESSAGE_OF_NO_INCIDENT =
        "NOT EXISTS (SELECT 1 AS found FROM message m WHERE m.id = t.message_id"
            + " AND m.incident_id IS NOT NULL)";

    /** Condition for a row {@code t} of a turn in which nobody was in a crisis. */
    private static final String TURN_OF_NO_INCIDENT =
        "NOT EXISTS (SELECT 1 AS found FROM message m WHERE m.participant_id = t.participant_id"
            + " AND m.turn = t.turn AND m.incident_id IS NOT NULL)";

    private static final String DELIVERY_OF_NO_INCIDENT =
        "NOT EXISTS (SELECT 1 AS found FROM outbox o JOIN message m ON m.id = o.message_id"
            + " WHERE o.id = t.delivery_id AND m.incident_id IS NOT NULL)";

    /** Condition for an unclaimed text, {@code t}, that belongs to no crisis. */
    private static final String TEXT_OF_NO_INCIDENT =
        "NOT EXISTS (SELECT 1 AS found FROM incident_entry e JOIN incident i ON i.id = e.incident_id"
            + " WHERE e.text_id = t.provider_id AND i.level = 'crisis')";

    /**
     * Condition for rows of a table {@code t} that came from their number or one of their sender
     * ids.
     */
    private static final String THEIRS =
        "(t.sender LIKE concat('%', a.phone)"
            + " OR t.sender IN (SELECT s.sender FROM sender_alias s WHERE s.participant_id = p.id)"
            + " OR t.user_id IN (SELECT s.sender FROM sender_alias s WHERE s.participant_id = p.id))";

    /**
     * Returns a section that also contains rows that came from them but belong to no participant.
     */
    private static Section withNumber(
        String name, String table, String fromThem, String ordinary, String... json) {
      return new Section(
          name,
          table,
          "SELECT t.* FROM participant p JOIN address a ON a.id = p.address_id JOIN "
              + table
              + " t ON t.participant_id = p.id OR (t.participant_id IS NULL AND "
              + fromThem
              + ") WHERE p.id = ? AND "
              + ordinary
              + " ORDER BY t.seq",
          Set.of(json));
    }
  }

  /** Which messages a document contains. */
  private enum Shown {
    /** None that belong to a safety incident. */
    ORDINARY,
    ALL;

    /** Returns this condition, or one that all rows meet. */
    String where(String ordinary) {
      return this == ALL ? Section.EVERYTHING : ordinary;
    }
  }

  private static List<Section> sections(Shown shown) {
    return List.of(
        new Section(
            "participant", "participant", "SELECT * FROM participant WHERE id = ?", Set.of()),
        new Section(
            "address",
            "address",
            "SELECT a.* FROM address a JOIN participant p ON p.address_id = a.id WHERE p.id = ?",
            Set.of()),
        Section.of("fields", "participant_field", "name"),
        Section.of("tags", "participant_tag", "tag"),
        Section.of("consent", "consent_event", "seq"),
        Section.of("senders", "sender_alias", "created_at"),
        Section.of("state", "participant_state", "participant_id"),
        Section.of("state_data", "state_data", "data_key"),
        Section.of("profile_changes", "profile_change", "seq"),
        Section.of("zone_changes", "zone_change", "seq"),
        Section.of("flow_changes", "flow_change", "seq"),
        Section.of("records", "record", "kind, record_id", "content"),
        Section.calm("transcript", "message", shown.where(Section.NO_INCIDENT)),
        Section.of("turns", "turn", "number", "pinned"),
        new Section(
            "iterations",
            "iteration",
            "SELECT * FROM iteration t WHERE participant_id = ? AND "
                + shown.where(Section.TURN_OF_NO_INCIDENT)
                + " ORDER BY turn, number, child",
            Set.of("messages", "request", "answer", "tool_calls", "metadata")),
        new Section(
            "second_opinions",
            "second_opinion",
            "SELECT * FROM second_opinion t WHERE participant_id = ? AND "
                + shown.where("level = 'none' AND " + Section.TURN_OF_NO_INCIDENT)
                + " ORDER BY turn",
            Set.of()),
        Section.of("flags", "staff_flag", "raised_at, id"),
        Section.of("notes", "staff_note", "seq"),
        Section.calm(
            "deliveries",
            "outbox",
            shown.where(Section.MESSAGE_OF_NO_INCIDENT),
            "template",
            "buttons"),
        new Section(
            "delivery_events",
            "delivery_event",
            "SELECT e.* FROM delivery_event e JOIN outbox o ON o.provider_id = e.provider_id"
                + " WHERE o.participant_id = ? ORDER BY e.seq",
            Set.of()),
        Section.of("stray_texts", "stray_text", "found_at"),
        Section.calm(
            "simulated_phone",
            "simulated_phone_text",
            shown.where(Section.DELIVERY_OF_NO_INCIDENT)),
        Section.of("schedules", "schedule", "created_at"),
        Section.of("occurrences", "occurrence", "local_date, slot"),
        Section.of("outcome_changes", "outcome_change", "seq"),
        Section.of("outcome_codes", "outcome_code", "seq"),
        Section.of("decisions", "decision", "factor, decision_index"),
        Section.of("wakeups", "wakeup", "due_at, id"),
        new Section(
            "inbox",
            "inbox",
            "SELECT i.* FROM inbox i WHERE i.participant_id = ? AND "
                + shown.where("NOT " + Section.IN_CRISIS)
                + " ORDER BY i.seq",
            Set.of("data")),
        new Section(
            "raw_posts",
            "raw_post",
            "SELECT r.* FROM raw_post r WHERE r.participant_id = ? AND "
                + shown.where(
                    "NOT EXISTS (SELECT 1 AS found FROM inbox i"
                        + " WHERE i.provider_id = r.provider_id AND "
                        + Section.IN_CRISIS
                        + ")")
                + " ORDER BY r.stored_at, r.provider_id",
            Set.of()),
        new Section(
            "unclaimed_raw_posts",
            "raw_post",
            "SELECT r.* FROM participant p JOIN address a ON a.id = p.address_id JOIN unclaimed_text t"
                + " ON t.participant_id = p.id"
                + " OR (t.participant_id IS NULL AND "
                + Section.THEIRS
                + ")"
                + " JOIN raw_post r ON r.provider_id = t.provider_id AND r.participant_id IS NULL"
                + " WHERE p.id = ? AND "
                + shown.where(Section.TEXT_OF_NO_INCIDENT)
                + " ORDER BY t.seq",
            Set.of()),
        Section.of("prompt_schedules", "prompt_schedule", "seq"),
        Section.of("scripted_texts", "scripted_text", "seq"),
        Section.withNumber("prompt_responses", "prompt_response", "t.sender = a.phone", "TRUE"),
        Section.of("chat_tokens", "participant_token", "created_at"),
        Section.of("simulated_faults", "simulated_fault", "seq"),
        Section.of("debug_intervals", "debug_interval", "seq"),
        Section.withNumber(
            "unclaimed_texts",
            "unclaimed_text",
            Section.THEIRS,
            shown.where(Section.TEXT_OF_NO_INCIDENT),
            "data"),
        Section.of("imports", "participant_import_row", "import_id, number"),
        Section.of("bulk_actions", "bulk_target", "bulk_id, number"),
        Section.of("work_owners", "work_owner", "taken_at, row_key"),
        Section.of("spending", "participant_spend", "local_date"),
        Section.of("charges", "charge", "at, id"),
        Section.of("budgets", "budget_mark", "local_date, kind, percent"),
        Section.of("deviations", "deviation", "seq"),
        Section.of("audit", "audit_event", "seq"));
  }

  private static final List<Section> SECTIONS = sections(Shown.ORDINARY);

  private static final List<Section> WITH_SAFETY =
      Stream.concat(
              sections(Shown.ALL).stream(),
              Stream.of(
                  Section.of("incidents", "incident", "opened_at, id"),
                  new Section(
                      "incident_entries",
                      "incident_entry",
                      "SELECT e.* FROM incident_entry e JOIN incident i ON i.id = e.incident_id"
                          + " WHERE i.participant_id = ? ORDER BY e.seq",
                      Set.of()),
                  new Section(
                      "alerts",
                      "alert",
                      "SELECT l.* FROM alert l JOIN incident i ON i.id = l.incident_id"
                          + " WHERE i.participant_id = ? ORDER BY l.planned_at, l.id",
                      Set.of())))
          .toList();

  private static final Map<String, String> NOT_SHOWN =
      Map.of(
          "erasure",
          "erasures and their progress",
          "incident",
          "safety incidents, for people with the role safety only",
          "lease",
          "which process handles the participant at this moment; nothing about the person",
          "pseudonym",
          "the random word for the participant in exports of the study",
          "tour",
          "the step of the guided tour, for its example participant",
          "watched",
          "staff members' open pages of this participant, for some minutes",
          "event",
          "events for live pages, by id, for a day; the other sections contain the data that"
              + " they report",
          "idempotency",
          "the answer to the enrolment request, kept for a day; the section participant"
              + " contains the same");

  /** Returns the sections of the document without safety incidents, in order. */
  public static List<Section> sections() {
    return SECTIONS;
  }

  /** Returns the sections of the document with safety incidents, in order. */
  public static List<Section> sectionsWithSafety() {
    return WITH_SAFETY;
  }

  /** Returns the tables that name participants and are left out, each with the reason. */
  public static Map<String, String> notShown() {
    return NOT_SHOWN;
  }

  /**
   * Returns a participant's complete document as a stream to be read once. The document is deleted
   * when the stream is closed. It shows the database at one moment, without the caller's
   * uncommitted changes. No connection is held while it is read. It is written one row at a time,
   * because a study stores megabytes about each person.
   *
   * @param withSafety whether safety incidents and their messages are in it
   */
  public InputStream open(String participantId, boolean withSafety) {
    try {
      var file = Files.createTempFile("habitline-export-", ".json");
      try {
        snapshots.read(snapshot -> {
          write(participantId, withSafety ? WITH_SAFETY : SECTIONS, snapshot, file);
          return true;
        });
        return Files.newInputStream(file);
      } finally {
        // The open stream stays readable after the delete, and no personal data is left on disk
        // whatever happens.
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The export of " + participantId + " cannot be written.", e);
    } catch (SQLException e) {
      throw new IllegalStateException(
          "The export of " + participantId + " cannot be read: SQLSTATE " + e.getSQLState());
    }
  }

  private void write(String participantId, List<Section> sections, Connection connection, Path file)
      throws SQLException {
    try (OutputStream out = Files.newOutputStream(file);
        var json = JSON.createGenerator(out)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeStringField("participant_id", participantId);
      json.writeStringField("exported_at", systemClock.instant().toString());
      for (var section : sections) {
        json.writeArrayFieldStart(section.name());
        write(section, participantId, connection, json);
        json.writeEndArray();
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("The export of " + participantId + " cannot be written.", e);
    }
  }

  private static void write(
      Section section, String participantId, Connection connection, JsonGenerator json)
      throws SQLException, IOException {
    try (var statement = connection.prepareStatement(section.query())) {
      statement.setFetchSize(ROWS_AT_A_TIME);
      statement.setString(1, participantId);
      try (var rows = statement.executeQuery()) {
        var columns = rows.getMetaData();
        while (rows.next()) {
          json.writeStartObject();
          for (int i = 1; i <= columns.getColumnCount(); i++) {
            write(section, rows, columns, i, json);
          }
          json.writeEndObject();
        }
      }
    }
  }

  private static void write(
      Section section, ResultSet rows, ResultSetMetaData columns, int column, JsonGenerator json)
      throws SQLException, IOException {
    var name = columns.getColumnLabel(column).toLowerCase(Locale.ROOT);
    if (LEFT_OUT.contains(name) || rows.getObject(column) == null) {
      return;
    }
    json.writeFieldName(name);
    if (columns.getColumnTypeName(column).toLowerCase(Locale.ROOT).startsWith("timestamp")) {
      json.writeString(rows.getObject(column, OffsetDateTime.class).toInstant().toString());
    } else if (rows.getObject(column) instanceof String text) {
      write(text, section.json().contains(name), json);
    } else {
      json.writeObject(rows.getObject(column));
    }
  }

  private static void write(String text, boolean isJson, JsonGenerator json) throws IOException {
    if (isJson) {
      try {
        json.writeTree(JSON.readTree(text));
        return;
      } catch (JsonProcessingException notJson) {
        // Written as text instead: unreadable JSON is the person's data too.
      }
    }
    json.writeString(text);
  }
}
