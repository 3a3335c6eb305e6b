package org.habitline.study.exports;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.study.exports.ExportTable.Cell;
import org.habitline.study.exports.PartReaders.Part;
import org.habitline.tools.ToolOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Writes the tables of one snapshot as a data package: CSV files and their description in one zip.
 * Writes participant after participant, in the order of the pseudonyms, so that memory does not
 * grow with the study and the order of the rows tells nothing about who was enrolled when.
 */
final class DataPackage {

  /** The earliest time that a zip file can hold. */
  private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  /** Fewer participants than this with the same value are warned of. */
  static final int SMALL = 5;

  private static final JsonMapper JSON = new JsonMapper();
  private static final int ROWS_AT_A_TIME = 500;
  private static final String PARTICIPANTS = "participants";
  private static final TextMask NO_NAMES = new TextMask(List.of());

  /** What keys of rows about no participant begin with: no pseudonym has lower-case letters. */
  private static final String OF_STUDY = "study";

  private static final String PEOPLE =
      "SELECT p.id, s.word, p.enrolled_at, p.timezone, p.name FROM participant p"
          + " JOIN pseudonym s ON s.participant_id = p.id"
          + " WHERE p.erasing = 'no' AND p.contact = FALSE ORDER BY s.word";

  private static final String WITH_INCIDENTS =
      "SELECT DISTINCT m.participant_id FROM message m WHERE m.incident_id IS NOT NULL";

  private static final String HAS_TABLE =
      "SELECT 1 AS found FROM information_schema.tables WHERE table_name = ?";

  private final ExportScope scope;
  private final boolean spreadsheet;
  private final Instant now;
  private final Progress progress;
  private final Map<String, Map<String, Integer>> counts = new ConcurrentSkipListMap<>();
  private final AtomicLong rows = new AtomicLong();

  /**
   * @param spreadsheet whether texts that a spreadsheet program takes for formulas are guarded
   * @param now study time, on which the days in the study are counted
   */
  DataPackage(ExportScope scope, boolean spreadsheet, Instant now, Progress progress) {
    this.scope = scope;
    this.spreadsheet = spreadsheet;
    this.now = now;
    this.progress = progress;
  }

  /** Is told how far an export is; may stop it by an exception. */
  interface Progress {
    void at(int tables, long rows);
  }

  /**
   * A participant of the snapshot.
   *
   * @param hasIncidents whether a message belongs to a safety incident
   */
  private record Person(
      String id,
      String pseudonym,
      LocalDate enrolled,
      ZoneId zone,
      @Nullable String name,
      boolean hasIncidents) {

    private long studyDay(LocalDate date) {
      return ChronoUnit.DAYS.between(enrolled, date) + 1;
    }
  }

  /** Returns an entry without the time of the export, from which study days could be dated. */
  private static ZipEntry entry(String name) {
    var entry = new ZipEntry(name);
    entry.setTimeLocal(NO_TIME);
    return entry;
  }

  /**
   * Writes the package and returns the number of rows. The stream stays open.
   *
   * @param snapshots connections that see the same snapshot; participants are read side by side
   */
  long write(List<Connection> snapshots, OutputStream out) throws SQLException, IOException {
    var people = people(snapshots.getFirst());
    var zip = new ZipOutputStream(out, StandardCharsets.UTF_8);
    var tables = ExportCatalogue.tables(scope);
    try (var readers = new PartReaders(snapshots)) {
      for (int i = 0; i < tables.size(); i++) {
        var before = i;
        zip.putNextEntry(entry(tables.get(i).name() + ".csv"));
        readers.write(
            parts(tables.get(i), people, snapshots.getFirst()),
            zip,
            () -> progress.at(before, rows.get()));
        zip.closeEntry();
        progress.at(i + 1, rows.get());
      }
    }
    zip.putNextEntry(entry("datapackage.json"));
    zip.write(new Codebook(scope, spreadsheet).json(warnings()));
    zip.closeEntry();
    zip.finish();
    zip.flush();
    return rows.get();
  }

  /** Returns the description of the tables alone. */
  static byte[] codebook(ExportScope scope) {
    return new Codebook(scope, false).json(List.of());
  }

  private static List<Person> people(Connection snapshot) throws SQLException {
    var withIncidents = withIncidents(snapshot);
    var people = new ArrayList<Person>();
    try (var statement = snapshot.prepareStatement(PEOPLE);
        var found = statement.executeQuery()) {
      while (found.next()) {
        var zone = ZoneId.of(found.getString(4));
        people.add(
            new Person(
                found.getString(1),
                found.getString(2),
                found.getObject(3, OffsetDateTime.class).atZoneSameInstant(zone).toLocalDate(),
                zone,
                found.getString(5),
                withIncidents.contains(found.getString(1))));
      }
    }
    return people;
  }

  /** Returns the ids of the participants with a message of a safety incident. */
  private static Set<String> withIncidents(Connection snapshot) throws SQLException {
    var ids = new HashSet<String>();
    try (var statement = snapshot.prepareStatement(WITH_INCIDENTS);
        var found = statement.executeQuery()) {
      while (found.next()) {
        ids.add(found.getString(1));
      }
    }
    return ids;
  }

  private static boolean exists(ExportTable table, Connection snapshot) throws SQLException {
    if (table.needs() == null) {
      return true;
    }
    try (var statement = snapshot.prepareStatement(HAS_TABLE)) {
      statement.setString(1, table.needs());
      try (var found = statement.executeQuery()) {
        return found.next();
      }
    }
  }

  /** Returns the parts of a table in their order: its columns, each participant, the study. */
  private List<Part> parts(ExportTable table, List<Person> people, Connection first)
      throws SQLException {
    var parts = new ArrayList<Part>();
    parts.add(
        (snapshot, csv) -> csv.add(table.columns(scope).stream().map(ExportColumn::name).toList()));
    if (!exists(table, first)) {
      return parts;
    }
    var query = table.query(scope);
    var shorter = ExportCatalogue.withoutIncidents(query);
    if (table.isOfTheStudy()) {
      parts.add((snapshot, csv) -> read(table, null, query, snapshot, csv));
    } else {
      for (var person : people) {
        var its = person.hasIncidents() ? query : shorter;
        parts.add((snapshot, csv) -> read(table, person, its, snapshot, csv));
      }
    }
    table
        .queryOfStudy(scope)
        .ifPresent(
            ofStudy -> parts.add((snapshot, csv) -> read(table, null, ofStudy, snapshot, csv)));
    if (table.name().equals(PARTICIPANTS)) {
      parts.add((snapshot, csv) -> readErased(table, snapshot, csv));
    }
    return parts;
  }

  /** Returns the mask of a participant's texts, if the table has texts that need one. */
  private TextMask mask(ExportTable table, Person person, Connection snapshot) throws SQLException {
    if (scope != ExportScope.TEXTS
        || table.columns(scope).stream()
            .noneMatch(column -> column.kind() == ExportColumn.Kind.TEXT)) {
      return NO_NAMES;
    }
    var names = new ArrayList<String>();
    if (person.name() != null) {
      names.add(person.name());
    }
    try (var statement =
        snapshot.prepareStatement(
            "SELECT data_value FROM state_data WHERE participant_id = ? AND data_key = ?")) {
      statement.setString(1, person.id());
      statement.setString(2, StateKeys.USER_PROFILE);
      try (var profile = statement.executeQuery()) {
        if (profile.next()) {
          parsed(profile.getString(1))
              .ifPresent(fields ->
                  fields.properties().stream()
                      .filter(field -> field.getKey().contains("name"))
                      .forEach(field -> names.add(field.getValue().asText())));
        }
      }
    }
    return new TextMask(names);
  }

  private static Optional<JsonNode> parsed(String json) {
    try {
      return Optional.ofNullable(JSON.readTree(json));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private void read(
      ExportTable table, @Nullable Person person, String query, Connection snapshot, CsvLines csv)
      throws SQLException, IOException {
    var cells = table.cells(scope);
    var mask = person == null ? NO_NAMES : mask(table, person, snapshot);
    try (var statement = snapshot.prepareStatement(query)) {
      statement.setFetchSize(ROWS_AT_A_TIME);
      for (int i = 1; person != null && i <= ExportTable.parameters(query); i++) {
        statement.setString(i, person.id());
      }
      try (var found = statement.executeQuery()) {
        while (found.next()) {
          if (table.items().isEmpty()) {
            print(table, cells, new Row(person, mask, found, null, ""), csv);
          } else {
            var number = 0;
            var items = parsed(found.getString(cells.getFirst().items()));
            for (var item : items.orElse(JSON.nullNode())) {
              number++;
              print(table, cells, new Row(person, mask, found, item, "-" + number), csv);
            }
          }
        }
      }
    }
  }

  private void print(ExportTable table, List<Cell> cells, Row row, CsvLines csv)
      throws SQLException, IOException {
    var values = new ArrayList<@Nullable String>(cells.size());
    for (var cell : cells) {
      var kind = cell.column().kind();
      var value = row.value(cell, now, scope);
      if (value != null && kind == ExportColumn.Kind.WORD && countsCells(table)) {
        counts
            .computeIfAbsent(cell.column().name(), name -> new ConcurrentSkipListMap<>())
            .merge(value, 1, Integer::sum);
      }
      values.add(
          spreadsheet && value != null && kind.isWritten() ? CsvLines.guarded(value) : value);
    }
    csv.add(values);
    rows.incrementAndGet();
  }

  private boolean countsCells(ExportTable table) {
    return scope != ExportScope.IDENTIFIED && table.name().equals(PARTICIPANTS);
  }

  private void readErased(ExportTable table, Connection snapshot, CsvLines csv)
      throws SQLException, IOException {
    try (var statement =
            snapshot.prepareStatement("SELECT id, study_day FROM erased_count ORDER BY id");
        var found = statement.executeQuery()) {
      while (found.next()) {
        var values = new ArrayList<@Nullable String>();
        for (var column : table.columns(scope)) {
          values.add(
              switch (column.name()) {
                case "participant" -> found.getString(1);
                case "status" -> "erased";
                case "study_day" -> String.valueOf(found.getInt(2));
                default -> column.name().endsWith(ExportTable.MISSING) ? "erased" : null;
              });
        }
        csv.add(values);
        rows.incrementAndGet();
      }
    }
  }

  /** Returns a sentence for each value that few participants share. */
  private List<String> warnings() {
    var warnings = new ArrayList<String>();
    counts.forEach((column, values) ->
        values.forEach((value, count) -> {
          if (count < SMALL) {
            warnings.add(
                "participants.%s: only %d with the value %s. Someone who knows them may recognise them."
                    .formatted(column, count, value));
          }
        }));
    return warnings;
  }

  /**
   * A row that was read.
   *
   * @param item the item of the JSON array, in a table with items
   * @param place what makes the key of an item unique
   */
  private record Row(
      @Nullable Person person,
      TextMask mask,
      ResultSet found,
      @Nullable JsonNode item,
      String place) {

    @Nullable String value(Cell cell, Instant now, ExportScope scope) throws SQLException {
      if (cell.missing() > 0 && found.getString(cell.missing()) != null) {
        return null;
      }
      var described = cell.column();
      return switch (described.kind()) {
        case PARTICIPANT -> person == null ? null : person.pseudonym();
        case TODAY -> scope == ExportScope.IDENTIFIED ? day(now, cell) : null;
        case KEY -> key(found.getString(cell.value()), cell.isKey());
        case WORD, INTEGER -> found.getString(cell.value());
        case TEXT -> text(found.getString(cell.value()), scope);
        case NUMBER -> decimal(found.getBigDecimal(cell.value()));
        case BOOLEAN -> yes(cell);
        case DAY -> day(cell);
        case MINUTE -> minute(cell);
        case INSTANT -> instant(cell).map(Instant::toString).orElse(null);
        case ITEM -> item(described.source());
        case ITEM_SUCCEEDED -> {
          var status = item(described.source());
          yield status == null
              ? null
              : String.valueOf(TurnJson.status(status).equals(ToolOutcome.SUCCESS));
        }
      };
    }

    private Person someone() {
      if (person == null) {
        throw new IllegalStateException("This table is about no participant.");
      }
      return person;
    }

    private @Nullable String key(@Nullable String number, boolean isKey) {
      var whose = person == null ? OF_STUDY : person.pseudonym();
      return number == null ? null : whose + "-" + number + (isKey ? place : "");
    }

    private @Nullable String text(@Nullable String text, ExportScope scope) {
      return text == null || scope == ExportScope.IDENTIFIED ? text : mask.masked(text);
    }

    private static @Nullable String decimal(@Nullable BigDecimal number) {
      return number == null ? null : number.stripTrailingZeros().toPlainString();
    }

    private @Nullable String yes(Cell cell) throws SQLException {
      var value = found.getBoolean(cell.value());
      return found.wasNull() ? null : String.valueOf(value);
    }

    private Optional<Instant> instant(Cell cell) throws SQLException {
      return Optional.ofNullable(found.getObject(cell.value(), OffsetDateTime.class))
          .map(OffsetDateTime::toInstant);
    }

    private ZoneId zone(Cell cell) throws SQLException {
      var own = cell.zone() == 0 ? null : found.getString(cell.zone());
      return own == null ? someone().zone() : ZoneId.of(own);
    }

    private String day(Instant at, Cell cell) throws SQLException {
      return String.valueOf(someone().studyDay(at.atZone(zone(cell)).toLocalDate()));
    }

    private @Nullable String day(Cell cell) throws SQLException {
      if (person == null) {
        return null;
      }
      if (found.getMetaData().getColumnType(cell.value()) == Types.VARCHAR) {
        var date = found.getString(cell.value());
        return date == null ? null : String.valueOf(person.studyDay(LocalDate.parse(date)));
      }
      var at = instant(cell);
      return at.isEmpty() ? null : day(at.get(), cell);
    }

    private @Nullable String minute(Cell cell) throws SQLException {
      var at = instant(cell);
      return at.isEmpty() || person == null
          ? null
          : String.valueOf(at.get().atZone(zone(cell)).toLocalTime().toSecondOfDay() / 60);
    }

    private @Nullable String item(String field) {
      var value = item == null ? null : item.get(field);
      return value == null || value.isNull()
          ? null
          : value.isTextual() ? value.textValue() : value.toString();
    }
  }

  /** Describes the tables: the file {@code datapackage.json}. */
  private record Codebook(ExportScope scope, boolean spreadsheet) {

    private byte[] json(List<String> warnings) {
      var document = new LinkedHashMap<String, Object>();
      document.put("profile", "tabular-data-package");
      document.put("name", "habitline-study");
      document.put("title", "Study record of Habitline");
      document.put(
          "description",
          "Study day 1 is the day of enrolment. Minutes are local minutes of the day, in the time"
              + " zone that the participant has now; those of daily prompts are in the zone of the"
              + " prompt. An empty cell is missing; where there is a column with the suffix"
              + " _missing, it says why.");
      document.put("scope", scope.word());
      document.put(
          "spreadsheet",
          spreadsheet
              ? "Texts that begin with =, +, -, @, a tab or a carriage return have an apostrophe"
                  + " before them"
              : "Values are as stored");
      if (!warnings.isEmpty()) {
        document.put("warnings", warnings);
      }
      document.put(
          "resources", ExportCatalogue.tables(scope).stream().map(this::resource).toList());
      try {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(document);
      } catch (JsonProcessingException e) {
        throw new UncheckedIOException(e);
      }
    }

    private Map<String, Object> resource(ExportTable table) {
      var schema = new LinkedHashMap<String, Object>();
      schema.put("fields", table.columns(scope).stream().map(each -> field(table, each)).toList());
      if (!table.key().isEmpty()) {
        schema.put("primaryKey", table.key());
      }
      if (!table.references().isEmpty()) {
        schema.put("foreignKeys", table.references().stream().map(Codebook::foreignKey).toList());
      }
      schema.put("missingValues", List.of(""));
      var resource = new LinkedHashMap<String, Object>();
      resource.put("profile", "tabular-data-resource");
      resource.put("name", table.name());
      resource.put("path", table.name() + ".csv");
      resource.put("description", table.description());
      resource.put("format", "csv");
      resource.put("mediatype", "text/csv");
      resource.put("encoding", "utf-8");
      resource.put("schema", schema);
      return resource;
    }

    private static Map<String, Object> foreignKey(ExportTable.Reference reference) {
      var referred = new LinkedHashMap<String, Object>();
      referred.put("resource", reference.table());
      referred.put("fields", reference.key());
      var key = new LinkedHashMap<String, Object>();
      key.put("fields", reference.column());
      key.put("reference", referred);
      return key;
    }

    private static Map<String, Object> field(ExportTable table, ExportColumn column) {
      var field = new LinkedHashMap<String, Object>();
      field.put("name", column.name());
      field.put("type", column.kind().type());
      if (column.kind() == ExportColumn.Kind.INSTANT) {
        // The default format of the standard has no fractions of a second.
        field.put("format", "any");
      }
      field.put("description", column.description());
      if (!column.unit().isEmpty()) {
        field.put("unit", column.unit());
      }
      var constraints = new LinkedHashMap<String, Object>();
      if (column.required()) {
        constraints.put("required", true);
      }
      if (column.name().equals(table.key())) {
        constraints.put("unique", true);
      }
      if (!column.words().isEmpty()) {
        constraints.put("enum", column.words());
      }
      if (!constraints.isEmpty()) {
        field.put("constraints", constraints);
      }
      return field;
    }
  }
}
