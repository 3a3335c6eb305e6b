package org.habitline.staff.imports;

import static java.util.stream.Collectors.toMap;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.ParticipantListener;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.participants.PhoneNumbers;
import org.habitline.staff.people.CustomFields;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Imports lists of people to enrol, for the page and the REST API: previews the result of each row,
 * stores a list with all its rows before returning, and reports its progress. {@link Imports}
 * carries out the rows.
 */
@Singleton
final class ImportDesk implements ParticipantListener {

  private static final JsonMapper JSON = new JsonMapper();
  private static final TypeReference<Map<String, String>> CELLS = new TypeReference<>() {};
  private static final TypeReference<List<String>> WARNINGS = new TypeReference<>() {};

  private static final int ASKED_AT_ONCE = 1000;

  private static final String NAME = "name";
  private static final String STUDY_ID = "study_id";

  /** The columns that a preview shows. */
  private static final Set<String> SHOWN = Set.of(NAME, ImportFile.PHONE_NUMBER);

  /** Longest cell that a preview shows in full; the longest accepted name fits. */
  private static final int LONGEST_SHOWN = 200;

  private final EnrolmentDesk desk;
  private final CustomFields fields;
  private final Participants participants;
  private final JdbcImports rows;
  private final AuditLog audit;
  private final Imports imports;
  private final Transactions transactions;
  private final Clock systemClock;

  ImportDesk(
      EnrolmentDesk desk,
      CustomFields fields,
      Participants participants,
      JdbcImports rows,
      AuditLog audit,
      Imports imports,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.desk = desk;
    this.fields = fields;
    this.participants = participants;
    this.rows = rows;
    this.audit = audit;
    this.imports = imports;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * The predicted result of a row.
   *
   * @param row number as a spreadsheet shows it: the header is row 1
   * @param name the name in the file, if it has one
   * @param phoneNumber as it would be stored, or as in the file if it is not a valid number
   * @param message why the person would not be enrolled
   */
  @Schema(name = "ImportForecast")
  record Forecast(
      int row,
      ImportRowStatus status,
      @Nullable String name,
      @Nullable String phoneNumber,
      @Nullable String message,
      @Nullable List<String> warnings) {}

  /** The predicted result of a list. Making a preview changes nothing. */
  @Schema(name = "ImportPreview")
  record Preview(int rows, int wouldEnrol, int duplicates, int errors, List<Forecast> results) {

    private static Preview of(List<Forecast> results) {
      return new Preview(
          results.size(),
          count(results, ImportRowStatus.WOULD_ENROL),
          count(results, ImportRowStatus.DUPLICATE),
          count(results, ImportRowStatus.ERROR),
          results);
    }

    private static int count(List<Forecast> results, ImportRowStatus status) {
      return (int) results.stream().filter(one -> one.status() == status).count();
    }
  }

  /**
   * A row of the file with its predicted result.
   *
   * @param decided whether the result is final
   */
  private record Read(ImportFile.Row row, Forecast forecast, boolean decided) {

    /**
     * Returns the cells to store, or {@code null} if the result is final: personal data that is no
     * longer needed is not stored.
     */
    @Nullable String content() {
      return decided ? null : write(row.cells());
    }

    /**
     * Returns the cells to store while the list is previewed. A refused row keeps its name and
     * number, which the preview shows.
     */
    String preview() {
      return write(
          decided
              ? row.cells().entrySet().stream()
                  .filter(cell -> SHOWN.contains(cell.getKey()))
                  .collect(toMap(Map.Entry::getKey, cell -> shortened(cell.getValue())))
              : row.cells());
    }
  }

  /**
   * Returns the predicted result of each row and changes nothing.
   *
   * @throws ApiProblem 400 if the file is not a valid list
   */
  Preview preview(byte[] file) {
    return Preview.of(read(file).stream().map(Read::forecast).toList());
  }

  /** Returns the columns that a file can have. */
  List<String> columns() {
    return Stream.concat(ImportFile.COLUMNS.stream(), fields.columns().stream()).toList();
  }

  private List<Read> read(byte[] file) {
    var found = ImportFile.read(file, columns());
    var phones = new HashMap<Integer, PhoneNumbers.Read>();
    var problems = new HashMap<Integer, String>();
    for (var row : found) {
      try {
        phones.put(row.number(), check(row));
      } catch (ApiProblem problem) {
        problems.put(row.number(), problem.sentence());
      }
    }
    var known = known(phones.values().stream().map(PhoneNumbers.Read::number).toList());
    var takenIds = takenIds(found);
    var firsts = new HashMap<PhoneNumber, Integer>();
    var firstIds = new HashMap<String, Integer>();
    var read = new ArrayList<Read>();
    for (var row : found) {
      var phone = phones.get(row.number());
      if (phone == null) {
        read.add(
            new Read(
                row, forecast(row, null, ImportRowStatus.ERROR, problems.get(row.number())), true));
        continue;
      }
      var first = firsts.putIfAbsent(phone.number(), row.number());
      if (first != null) {
        var message = "phone_number: the same number as in row " + first + ".";
        read.add(new Read(row, forecast(row, phone, ImportRowStatus.DUPLICATE, message), true));
        continue;
      }
      var forecast = forecast(row, phone, known.get(phone.number()));
      var studyId = studyId(row);
      if (forecast.status() != ImportRowStatus.WOULD_ENROL || studyId.isEmpty()) {
        read.add(new Read(row, forecast, false));
        continue;
      }
      var firstId = firstIds.putIfAbsent(studyId, row.number());
      if (firstId != null) {
        var message = "study_id: the same study id as in row " + firstId + ".";
        read.add(new Read(row, forecast(row, phone, ImportRowStatus.DUPLICATE, message), true));
      } else if (takenIds.containsKey(studyId)) {
        var message = "study_id: already the study id of " + takenIds.get(studyId) + ".";
        read.add(new Read(row, forecast(row, phone, ImportRowStatus.DUPLICATE, message), false));
      } else {
        read.add(new Read(row, forecast, false));
      }
    }
    return read;
  }

  private static String studyId(ImportFile.Row row) {
    return row.cells().getOrDefault(STUDY_ID, "").strip();
  }

  /** Returns who has the study ids of a file, by study id. */
  private Map<String, String> takenIds(List<ImportFile.Row> found) {
    var ids =
        found.stream()
            .map(ImportDesk::studyId)
            .filter(id -> !id.isEmpty() && id.indexOf('\0') < 0)
            .distinct()
            .toList();
    var taken = new HashMap<String, String>();
    for (int from = 0; from < ids.size(); from += ASKED_AT_ONCE) {
      taken.putAll(
          participants.withStudyIds(ids.subList(from, Math.min(ids.size(), from + ASKED_AT_ONCE))));
    }
    return taken;
  }

  private PhoneNumbers.Read check(ImportFile.Row row) {
    if (row.overfull()) {
      throw ApiProblem.bad(
          "This row has more cells than the first row has column names; put a cell that"
              + " contains the separator in quotation marks.");
    }
    return desk.check(wanted(row.cells()));
  }

  private Map<PhoneNumber, Participants.Known> known(List<PhoneNumber> phones) {
    var known = new HashMap<PhoneNumber, Participants.Known>();
    for (int from = 0; from < phones.size(); from += ASKED_AT_ONCE) {
      known.putAll(
          participants.known(phones.subList(from, Math.min(phones.size(), from + ASKED_AT_ONCE))));
    }
    return known;
  }

  private static Forecast forecast(
      ImportFile.Row row, PhoneNumbers.Read phone, Participants.@Nullable Known known) {
    var taken = Optional.ofNullable(known).flatMap(Participants.Known::participantId);
    var warnings = EnrolmentDesk.warnings(phone, known != null && known.optedOut());
    return taken.isPresent()
        ? forecast(
            row,
            phone,
            ImportRowStatus.DUPLICATE,
            "phone_number: already enrolled as " + taken.get() + ".")
        : new Forecast(
            row.number(),
            ImportRowStatus.WOULD_ENROL,
            shown(row.cells().get(NAME)),
            phone.number().e164(),
            null,
            warnings.isEmpty() ? null : warnings);
  }

  private static Forecast forecast(
      ImportFile.Row row,
      PhoneNumbers.@Nullable Read phone,
      ImportRowStatus status,
      @Nullable String message) {
    return new Forecast(
        row.number(),
        status,
        shown(row.cells().get(NAME)),
        phone == null ? shown(row.cells().get(ImportFile.PHONE_NUMBER)) : phone.number().e164(),
        message,
        null);
  }

  /** Returns a cell as a preview shows it, or {@code null} if it is blank. */
  private static @Nullable String shown(@Nullable String cell) {
    return cell == null || cell.isBlank() ? null : shortened(cell.strip());
  }

  private static String shortened(String cell) {
    return cell.length() > LONGEST_SHOWN ? cell.substring(0, LONGEST_SHOWN) + "…" : cell;
  }

  static EnrolmentDesk.Wanted wanted(Map<String, String> cells) {
    return new EnrolmentDesk.Wanted(
        cells.get(ImportFile.PHONE_NUMBER),
        cells.get(NAME),
        cells.get("gender"),
        cells.get("ethnicity"),
        cells.get("background"),
        cells.get("timezone"),
        cells.get("flow"),
        cells.get("channel"),
        cells.get("consent_version"),
        cells.get("language"),
        cells.get(STUDY_ID),
        CustomFields.in(cells));
  }

  /**
   * Stores a list and starts to carry it out.
   *
   * @throws ApiProblem 400 if the file is not a valid list
   */
  Import start(Actor actor, byte[] file) {
    var read = read(file);
    return transactions.write(() -> {
      var id = store(actor, read, ImportStatus.RUNNING, Read::content);
      started(actor, id, read.size());
      return find(id).orElseThrow();
    });
  }

  /**
   * Stores a list for a preview. It is deleted after two hours unless it is confirmed.
   *
   * @return the id of the import
   * @throws ApiProblem 400 if the file is not a valid list
   */
  String prepare(Actor actor, byte[] file) {
    var read = read(file);
    return transactions.write(() -> store(actor, read, ImportStatus.PREVIEWED, Read::preview));
  }

  /**
   * Starts to carry out a previewed list, as enrolments by the staff member who confirms it.
   *
   * @throws ApiProblem 404 if there is no such list, or it was confirmed before
   */
  void confirm(Actor actor, String id) {
    transactions.write(() -> {
      var row = rows.find(id).orElseThrow(ImportDesk::none);
      if (rows.confirm(id, actor.name(), actor.role()) == 0) {
        throw none();
      }
      rows.forgetDecided(id);
      started(actor, id, row.rowCount());
    });
  }

  /** Deletes a list that was previewed and not confirmed. */
  void discard(String id) {
    transactions.write(() -> {
      if (rows.discard(id) > 0) {
        rows.discardRows(id);
      }
    });
  }

  private void started(Actor actor, String id, int count) {
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), "import started")
            .about(id)
            .changed(null, count + " rows"));
    transactions.afterCommit(() -> imports.nudge());
  }

  private String store(
      Actor actor, List<Read> read, ImportStatus status, Function<Read, @Nullable String> content) {
    var id = Ids.next("imp");
    rows.insert(id, status, actor.name(), actor.role(), read.size(), systemClock.instant());
    var _ =
        rows.insertRows(
            id,
            column(read, one -> String.valueOf(one.row().number())),
            column(
                read,
                one -> (one.decided() ? one.forecast().status() : ImportRowStatus.WAITING).word()),
            column(read, content),
            column(read, one -> one.forecast().message()),
            column(read, one -> warnings(one.forecast().warnings())));
    return id;
  }

  private static String[] column(List<Read> read, Function<Read, @Nullable String> value) {
    return read.stream().map(value).toArray(String[]::new);
  }

  static @Nullable String warnings(@Nullable List<String> warnings) {
    return warnings == null || warnings.isEmpty() ? null : write(warnings);
  }

  private static String write(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          "Cannot write an import row as JSON: " + e.getClass().getName());
    }
  }

  private static <T> T read(String json, TypeReference<T> type) {
    try {
      return JSON.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot read the JSON of an import row.");
    }
  }

  /** Returns the enrolment that a waiting row asks for. */
  static EnrolmentDesk.Wanted wanted(JdbcImports.Line row) {
    return wanted(row.content() == null ? Map.of() : read(row.content(), CELLS));
  }

  /**
   * The person in a row of a previewed list.
   *
   * @param number as it would be stored, or as in the file if it is not a valid number
   */
  record Person(String name, String number) {}

  /**
   * Returns the people of a page of rows, by row number. Confirmed lists keep no names or numbers
   * of finished rows.
   */
  Map<Integer, Person> people(String id, long after, int most) {
    var people = new HashMap<Integer, Person>();
    transactions.read(() -> rows.rows(id, after, most)).stream()
        .filter(row -> row.content() != null)
        .forEach(row -> people.put(row.number(), person(wanted(row))));
    return people;
  }

  private Person person(EnrolmentDesk.Wanted wanted) {
    return new Person(
        Objects.requireNonNullElse(shown(wanted.name()), ""),
        desk.number(wanted.phoneNumber())
            .map(PhoneNumber::e164)
            .orElseGet(() -> Objects.requireNonNullElse(shown(wanted.phoneNumber()), "")));
  }

  /**
   * A list and its progress.
   *
   * @param status {@code running} or {@code done}; {@code previewed} on the page
   * @param by who started it
   * @param done how many of its rows were carried out
   */
  @Schema(name = "Import")
  record Import(
      String id,
      ImportStatus status,
      String by,
      int rows,
      int done,
      int enrolled,
      int duplicates,
      int errors,
      Instant createdAt,
      @Nullable Instant finishedAt) {}

  /** The result of a row. */
  @Schema(name = "ImportResult")
  public record Result(
      int row,
      ImportRowStatus status,
      @Nullable String participantId,
      @Nullable String message,
      @Nullable List<String> warnings) {}

  /**
   * A page of rows in their order.
   *
   * @param next the row after which the next page starts, or {@code null} after the last
   */
  record Results(List<Result> results, @Nullable Integer next) {}

  Optional<Import> find(String id) {
    return transactions.read(() -> rows.find(id).map(row -> shown(List.of(row)).getFirst()));
  }

  /**
   * Returns a list, previewed or confirmed.
   *
   * @throws ApiProblem 404 if there is none with this id
   */
  Import get(String id) {
    return find(id).orElseThrow(ImportDesk::none);
  }

  /**
   * Returns how many rows of a previewed list had a phone number or study id that was already
   * enrolled when the list was read.
   */
  int taken(String id) {
    return transactions.read(() -> rows.taken(id));
  }

  /**
   * Returns a list, unless it is only previewed.
   *
   * @throws ApiProblem 404 if there is no confirmed list with this id
   */
  Import confirmed(String id) {
    return find(id)
        .filter(it -> it.status() != ImportStatus.PREVIEWED)
        .orElseThrow(ImportDesk::none);
  }

  /**
   * A page of lists, newest first.
   *
   * @param next where the next page starts, or {@code null} after the last
   */
  record Page(List<Import> imports, @Nullable Long next) {}

  Page list(long before, int most) {
    return transactions.read(() -> {
      var found = rows.newest(before, most + 1);
      var page = found.subList(0, Math.min(most, found.size()));
      return new Page(shown(page), found.size() > most ? page.getLast().seq() : null);
    });
  }

  private List<Import> shown(List<JdbcImports.Row> found) {
    if (found.isEmpty()) {
      return List.of();
    }
    var tallies = rows.tallies(found.stream().map(JdbcImports.Row::id).toList());
    return found.stream().map(row -> shown(row, tallies)).toList();
  }

  private static Import shown(JdbcImports.Row row, List<JdbcImports.Tally> tallies) {
    var counts = new EnumMap<ImportRowStatus, Integer>(ImportRowStatus.class);
    tallies.stream()
        .filter(tally -> tally.importId().equals(row.id()))
        .forEach(tally -> counts.put(tally.status(), tally.count()));
    return new Import(
        row.id(),
        row.status(),
        row.actor(),
        row.rowCount(),
        row.rowCount() - counts.getOrDefault(ImportRowStatus.WAITING, 0),
        counts.getOrDefault(ImportRowStatus.ENROLLED, 0),
        counts.getOrDefault(ImportRowStatus.DUPLICATE, 0),
        counts.getOrDefault(ImportRowStatus.ERROR, 0),
        row.createdAt(),
        row.finishedAt());
  }

  Results results(String id, long after, int most) {
    var found = transactions.read(() -> rows.rows(id, after, most + 1));
    var page = found.subList(0, Math.min(most, found.size()));
    return new Results(
        page.stream().map(ImportDesk::result).toList(),
        found.size() > most ? page.getLast().number() : null);
  }

  private static Result result(JdbcImports.Line row) {
    return new Result(
        row.number(),
        row.status(),
        row.participantId(),
        row.message(),
        row.warnings() == null ? null : read(row.warnings(), WARNINGS));
  }

  private static ApiProblem none() {
    return ApiProblem.notFound(
        "There is no import with this id; GET /conversation/participants/import lists them.");
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.forget(participantId);
    for (var id : rows.previewsWith(participantId)) {
      rows.discardRows(id);
      rows.discard(id);
    }
  }
}
