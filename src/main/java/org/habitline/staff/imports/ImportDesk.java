package org.habitline.staff.imports;

import static java.util.stream.Collectors.toMap;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.audit.AuditAction;
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
 * Imports lists of people to enrol, for the page and the REST API: previews the result of each row
 * and stores a list with all its rows before returning. {@link Imports} carries out the rows, and
 * {@link ImportReader} reports the progress.
 */
@Singleton
final class ImportDesk implements ParticipantListener {

  private static final JsonMapper JSON = new JsonMapper();
  private static final TypeReference<Map<String, String>> CELLS = new TypeReference<>() {};
  private static final TypeReference<List<String>> WORDS = new TypeReference<>() {};

  /** The columns that may have a default for blank cells, in the order of the page. */
  static final List<String> DEFAULTS = List.of("timezone", "channel", "flow", "language");

  /** How often a correction is tried again because a colleague made one at the same time. */
  private static final int TRIES = 3;

  /** In how many of the first rows examples of an unknown column are looked for. */
  private static final int SAMPLED = 50;

  private static final int SAMPLES = 3;

  private static final Optional<String> NO_COLUMN = Optional.empty();

  /** What an unknown column becomes if it is neither left out nor one of the accepted columns. */
  static final String NEW_FIELD = "new";

  /** The most characters of one row that are stored. */
  private static final int LONGEST_ROW = 100_000;

  private static final int ASKED_AT_ONCE = 1000;

  private static final String NAME = "name";
  private static final String STUDY_ID = "study_id";

  /** Longest cell that a preview shows in full; the longest accepted name fits. */
  private static final int LONGEST_SHOWN = 200;

  private final EnrolmentDesk desk;
  private final CustomFields fields;
  private final Participants participants;
  private final JdbcImports rows;
  private final ImportReader reader;
  private final AuditLog audit;
  private final Imports imports;
  private final Transactions transactions;
  private final Clock systemClock;

  ImportDesk(
      EnrolmentDesk desk,
      CustomFields fields,
      Participants participants,
      JdbcImports rows,
      ImportReader reader,
      AuditLog audit,
      Imports imports,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.desk = desk;
    this.fields = fields;
    this.participants = participants;
    this.rows = rows;
    this.reader = reader;
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
     * Returns the cells to store while the list is previewed: all of them, so that staff can
     * correct them.
     */
    String preview() {
      return stored(row.cells());
    }
  }

  /**
   * Returns the predicted result of each row and changes nothing.
   *
   * @throws ApiProblem 400 if the file is not a valid list
   */
  Preview preview(byte[] file) {
    return Preview.of(
        read(ImportFile.read(file, columns()), Map.of()).stream().map(Read::forecast).toList());
  }

  /** Returns the columns that a file can have. */
  List<String> columns() {
    return Stream.concat(ImportFile.COLUMNS.stream(), fields.columns().stream()).toList();
  }

  /**
   * Returns rows with their predicted results.
   *
   * @param defaults the cells that count where a row's own is blank
   */
  private List<Read> read(List<ImportFile.Row> found, Map<String, String> defaults) {
    var phones = new HashMap<Integer, PhoneNumbers.Read>();
    var problems = new HashMap<Integer, String>();
    for (var row : found) {
      try {
        phones.put(row.number(), check(row, defaults));
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

  private PhoneNumbers.Read check(ImportFile.Row row, Map<String, String> defaults) {
    if (row.overfull()) {
      throw overfull();
    }
    return desk.check(wanted(filled(row.cells(), defaults)));
  }

  private static ApiProblem overfull() {
    return ApiProblem.bad(
        "This row has more cells than the first row has column names; put a cell that"
            + " contains the separator in quotation marks.");
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
  static @Nullable String shown(@Nullable String cell) {
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
  ImportReader.Import start(Actor actor, byte[] file) {
    var read = read(ImportFile.read(file, columns()), Map.of());
    return transactions.write(() -> {
      var id = store(actor, read, ImportStatus.RUNNING, List.of(), Read::content);
      started(actor, id, read.size());
      return reader.get(id);
    });
  }

  /**
   * Stores a list for a preview. It is deleted two hours after the last correction unless it is
   * confirmed. If the file has unknown columns, staff must say first what they are.
   *
   * @return the id of the import
   * @throws ApiProblem 400 if the file is not a valid list
   */
  String prepare(Actor actor, byte[] file) {
    var table = ImportFile.open(file, columns());
    var mapped = table.unknown().isEmpty();
    var read =
        mapped
            ? read(table.rows(), Map.of())
            : table.rows().stream().map(ImportDesk::unread).toList();
    return transactions.write(() ->
        store(
            actor,
            read,
            mapped ? ImportStatus.PREVIEWED : ImportStatus.UNMAPPED,
            table.unknown(),
            Read::preview));
  }

  /** Returns a row whose columns are not all known yet. */
  private static Read unread(ImportFile.Row row) {
    return new Read(row, forecast(row, null, ImportRowStatus.WAITING, null), false);
  }

  /**
   * A column of which staff must say what it is.
   *
   * @param key its name in the file, made unique
   * @param samples its first cells that are not blank
   * @param guess the column that its name suggests, or empty
   * @param near the column whose name is nearest to its own, if its name suggests none, or empty
   */
  record Unknown(String key, List<String> samples, String guess, String near) {}

  /** Returns the columns of a list of which staff must say what they are; none in most lists. */
  List<Unknown> unknown(String id) {
    var row = transactions.read(() -> rows.find(id)).orElseThrow(ImportDesk::none);
    if (row.unknownColumns() == null) {
      return List.of();
    }
    var first =
        transactions.read(() -> rows.rows(id, 0, SAMPLED)).stream().map(ImportDesk::row).toList();
    var taken =
        first.stream().flatMap(it -> it.cells().keySet().stream()).collect(Collectors.toSet());
    var guesses = new ColumnGuesses(columns());
    return read(row.unknownColumns(), WORDS).stream()
        .map(key -> {
          var guess = guesses.of(key).filter(taken::add).orElse("");
          var near =
              guess.isEmpty() ? guesses.near(key).filter(it -> !taken.contains(it)) : NO_COLUMN;
          return new Unknown(key, samples(first, key), guess, near.orElse(""));
        })
        .toList();
  }

  /** Returns how many rows that will be enrolled have no time zone of their own. */
  int withoutZone(String id) {
    return (int)
        transactions.read(() -> rows.rows(id, 0, ImportFile.MOST_ROWS)).stream()
            .filter(line -> line.status() == ImportRowStatus.WAITING && line.message() == null)
            .filter(line -> row(line).cells().getOrDefault("timezone", "").isBlank())
            .count();
  }

  private static List<String> samples(List<ImportFile.Row> rows, String key) {
    return rows.stream()
        .map(row -> shown(row.cells().get(key)))
        .filter(Objects::nonNull)
        .distinct()
        .limit(SAMPLES)
        .toList();
  }

  /**
   * Says what the unknown columns of a list are, and reads its rows again.
   *
   * @param targets an accepted column for a column's key, or {@link #NEW_FIELD}; others are left
   *     out
   * @throws ApiProblem 400 if a column is named twice or no column holds the phone numbers, 404 if
   *     there is no such list, 409 if its columns are known already or it was changed at the same
   *     time
   */
  void map(Actor actor, String id, Map<String, String> targets) {
    if (status(id) == ImportStatus.PREVIEWED) {
      throw ApiProblem.conflict("The columns of this list are already matched.");
    }
    var columns = columns();
    var keys = unknown(id).stream().map(Unknown::key).toList();
    var chosen = new LinkedHashMap<String, String>();
    var added = new LinkedHashMap<String, String>();
    for (var key : keys) {
      var target = targets.getOrDefault(key, "");
      if (target.equals(NEW_FIELD)) {
        var column = fields.columnFor(key, chosen.values());
        chosen.put(key, column);
        added.put(column, key);
      } else if (columns.contains(target)) {
        chosen.put(key, target);
      } else if (!target.isEmpty()) {
        throw ApiProblem.bad("There is no column " + target + ".");
      }
    }
    rewrite(
        id,
        draft -> {
          refuseUnclear(draft, keys, chosen);
          // Before the rows are read with them; a field stays also if the list is discarded.
          transactions.write(() ->
              added.forEach((column, label) -> {
                if (!columns.contains(column)) {
                  fields.add(actor, column, label);
                }
              }));
          return draft.with(draft.rows().stream().map(row -> renamed(row, keys, chosen)).toList());
        });
  }

  private static void refuseUnclear(Draft draft, List<String> keys, Map<String, String> chosen) {
    var there =
        draft.rows().stream()
            .flatMap(row -> row.cells().keySet().stream())
            .filter(it -> !keys.contains(it))
            .collect(Collectors.toSet());
    var twice =
        chosen.values().stream()
            .filter(it -> there.contains(it) || Collections.frequency(chosen.values(), it) > 1)
            .findFirst();
    if (twice.isPresent()) {
      throw ApiProblem.bad(
          "Two columns of the file are matched to " + twice.get() + "; choose it for only one.");
    }
    if (!there.contains(ImportFile.PHONE_NUMBER)
        && !chosen.containsValue(ImportFile.PHONE_NUMBER)) {
      throw ApiProblem.bad(
          "No column is matched to phone_number; choose it for the column with the phone numbers.");
    }
  }

  private static ImportFile.Row renamed(
      ImportFile.Row row, List<String> keys, Map<String, String> chosen) {
    var cells = new LinkedHashMap<String, String>();
    row.cells()
        .forEach((key, value) -> {
          var column = keys.contains(key) ? chosen.get(key) : key;
          if (column != null) {
            cells.put(column, value);
          }
        });
    return new ImportFile.Row(row.number(), cells);
  }

  /**
   * The rows of a list that is not confirmed.
   *
   * @param leftOut the numbers of rows that staff left out
   */
  private record Draft(
      List<ImportFile.Row> rows, Set<Integer> leftOut, Map<String, String> defaults) {

    Draft with(List<ImportFile.Row> others) {
      return new Draft(others, leftOut, defaults);
    }
  }

  /**
   * Changes a list that is not confirmed and reads all its rows again, because a correction of one
   * row may settle another. Rows whose result did not change are not written.
   */
  private void rewrite(String id, UnaryOperator<Draft> change) {
    for (int i = 0; i < TRIES; i++) {
      var list = transactions.read(() -> rows.find(id)).orElseThrow(ImportDesk::none);
      if (!list.status().isOpen()) {
        throw none();
      }
      var before = transactions.read(() -> rows.rows(id, 0, ImportFile.MOST_ROWS));
      var draft =
          change.apply(
              new Draft(
                  before.stream().map(ImportDesk::row).toList(),
                  before.stream()
                      .filter(row -> row.status() == ImportRowStatus.LEFT_OUT)
                      .map(JdbcImports.Line::number)
                      .collect(Collectors.toSet()),
                  defaults(list)));
      var changed = changed(before, lines(id, draft));
      var stored =
          transactions.write(() -> {
            var defaults = draft.defaults().isEmpty() ? null : write(draft.defaults());
            if (rows.revise(id, list.version(), defaults, systemClock.instant()) == 0) {
              return false;
            }
            replace(id, changed);
            return true;
          });
      if (stored) {
        return;
      }
    }
    throw ApiProblem.conflict("A colleague changed this list at the same time. Try again.");
  }

  /** Returns the rows of a draft as they are to be stored. */
  private List<JdbcImports.Line> lines(String id, Draft draft) {
    var read =
        read(
                draft.rows().stream()
                    .filter(row -> !draft.leftOut().contains(row.number()))
                    .toList(),
                draft.defaults())
            .stream()
            .collect(toMap(one -> one.row().number(), Function.identity()));
    return draft.rows().stream()
        .map(row -> {
          var one = read.get(row.number());
          return one == null
              ? new JdbcImports.Line(
                  id, row.number(), ImportRowStatus.LEFT_OUT, stored(row.cells()), null, null, null)
              : new JdbcImports.Line(
                  id,
                  row.number(),
                  status(one),
                  one.preview(),
                  null,
                  one.forecast().message(),
                  warnings(one.forecast().warnings()));
        })
        .toList();
  }

  private static List<JdbcImports.Line> changed(
      List<JdbcImports.Line> before, List<JdbcImports.Line> after) {
    var known = new HashSet<>(before);
    return after.stream().filter(line -> !known.contains(line)).toList();
  }

  private void replace(String id, List<JdbcImports.Line> lines) {
    for (int from = 0; from < lines.size(); from += ASKED_AT_ONCE) {
      var some = lines.subList(from, Math.min(lines.size(), from + ASKED_AT_ONCE));
      rows.discardRows(id, some.stream().map(JdbcImports.Line::number).toList());
      var _ =
          rows.insertRows(
              id,
              cells(some, line -> String.valueOf(line.number())),
              cells(some, line -> line.status().word()),
              cells(some, JdbcImports.Line::content),
              cells(some, JdbcImports.Line::message),
              cells(some, JdbcImports.Line::warnings));
    }
  }

  private static String[] cells(
      List<JdbcImports.Line> lines, Function<JdbcImports.Line, @Nullable String> value) {
    return lines.stream().map(value).toArray(String[]::new);
  }

  static ImportFile.Row row(JdbcImports.Line line) {
    return new ImportFile.Row(
        line.number(), line.content() == null ? Map.of() : read(line.content(), CELLS));
  }

  /**
   * What staff corrected in a previewed list.
   *
   * @param cells new cells by row and column; a blank one removes the cell
   * @param shown the rows that they saw
   * @param leftOut those of them that are left out
   */
  record Correction(
      Map<Integer, Map<String, String>> cells, Set<Integer> shown, Set<Integer> leftOut) {}

  /**
   * Corrects rows of a previewed list; other rows stay as they are.
   *
   * @throws ApiProblem 404 if there is no such list, or it was confirmed, 409 if its columns are
   *     not known yet or it was changed at the same time
   */
  void correct(String id, Correction correction) {
    var accepted = new HashSet<>(columns());
    accepted.add(ImportFile.EXTRA);
    previewed(id);
    rewrite(
        id,
        draft -> {
          var leftOut = new HashSet<>(draft.leftOut());
          leftOut.removeAll(correction.shown());
          leftOut.addAll(correction.leftOut());
          return new Draft(
              draft.rows().stream()
                  .map(row ->
                      corrected(
                          row, correction.cells().getOrDefault(row.number(), Map.of()), accepted))
                  .toList(),
              leftOut,
              draft.defaults());
        });
  }

  private static ImportFile.Row corrected(
      ImportFile.Row row, Map<String, String> cells, Set<String> accepted) {
    var all = new LinkedHashMap<>(row.cells());
    cells.forEach((column, value) -> {
      if (accepted.contains(column)) {
        all.put(column, value);
      }
    });
    return new ImportFile.Row(row.number(), all);
  }

  /**
   * Sets the cells that count where a row's own is blank.
   *
   * @throws ApiProblem 400 for a value that is not accepted, 404 if there is no such list, 409 if
   *     its columns are not known yet or it was changed at the same time
   */
  void setDefaults(String id, Map<String, String> given) {
    var wanted = new LinkedHashMap<String, String>();
    for (var column : DEFAULTS) {
      var value = given.getOrDefault(column, "").strip();
      if (!value.isEmpty()) {
        wanted.put(column, value);
      }
    }
    desk.problems(wanted(wanted)).stream()
        .filter(problem -> problem.field().filter(DEFAULTS::contains).isPresent())
        .findFirst()
        .ifPresent(problem -> {
          throw problem;
        });
    previewed(id);
    rewrite(id, draft -> new Draft(draft.rows(), draft.leftOut(), wanted));
  }

  /** Returns the defaults of a list, by column. */
  Map<String, String> defaults(String id) {
    return transactions.read(() -> rows.find(id)).map(ImportDesk::defaults).orElse(Map.of());
  }

  private static Map<String, String> defaults(JdbcImports.Row list) {
    return list.defaults() == null ? Map.of() : read(list.defaults(), CELLS);
  }

  private ImportStatus status(String id) {
    return transactions
        .read(() -> rows.find(id))
        .map(JdbcImports.Row::status)
        .orElseThrow(ImportDesk::none);
  }

  private void previewed(String id) {
    switch (status(id)) {
      case PREVIEWED -> {}
      case UNMAPPED -> throw ApiProblem.conflict("Match the unknown columns of this list first.");
      case RUNNING, DONE, FORGOTTEN -> throw none();
    }
  }

  /**
   * Corrects one row of a previewed list.
   *
   * @param cells new cells by column; a blank one removes the cell
   * @param leftOut whether the row is left out, or {@code null} to leave that as it is
   * @throws ApiProblem 400 for a column that no file can have, 404 if there is no such list or row,
   *     409 if the columns of the list are not known yet or it was changed at the same time
   */
  void correctRow(String id, int row, Map<String, String> cells, @Nullable Boolean leftOut) {
    var accepted = columns();
    for (var column : cells.keySet()) {
      if (!accepted.contains(column) && !column.equals(ImportFile.EXTRA)) {
        throw ApiProblem.bad("cells: unknown column; expected one of " + accepted + ".");
      }
    }
    previewed(id);
    if (transactions.read(() -> rows.these(id, List.of(row))).isEmpty()) {
      throw ApiProblem.notFound("The list has no row with this number.");
    }
    correct(
        id,
        new Correction(
            Map.of(row, cells),
            leftOut == null ? Set.of() : Set.of(row),
            Boolean.TRUE.equals(leftOut) ? Set.of(row) : Set.of()));
  }

  /**
   * A cell that staff correct.
   *
   * @param problem why it is refused, or empty
   */
  record Cell(String column, String value, String problem) {}

  /**
   * A row that needs staff.
   *
   * @param problem why it is refused, if that is about none of its cells, or empty
   */
  record ToCorrect(int row, boolean leftOut, String problem, List<Cell> cells) {}

  /**
   * A page of the rows that need staff.
   *
   * @param next the row after which the next page starts, or {@code null} after the last
   */
  record Corrections(List<ToCorrect> rows, @Nullable Integer next) {}

  /** Returns rows of a previewed list with a problem, or left out, with the cells to correct. */
  Corrections toCorrect(String id, long after, int most) {
    var list = transactions.read(() -> rows.find(id)).orElseThrow(ImportDesk::none);
    var found = transactions.read(() -> rows.toCorrect(id, after, most + 1));
    var page = found.subList(0, Math.min(most, found.size()));
    var defaults = defaults(list);
    return new Corrections(
        page.stream().map(line -> toCorrect(line, defaults)).toList(),
        found.size() > most ? page.getLast().number() : null);
  }

  private ToCorrect toCorrect(JdbcImports.Line line, Map<String, String> defaults) {
    var row = row(line);
    if (line.status() == ImportRowStatus.LEFT_OUT) {
      return new ToCorrect(row.number(), true, "", List.of());
    }
    var problems =
        line.status() == ImportRowStatus.ERROR
            ? row.overfull()
                ? List.of(overfull())
                : desk.problems(wanted(filled(row.cells(), defaults)))
            : List.of(ApiProblem.bad(Objects.requireNonNullElse(line.message(), "")));
    var cells = new ArrayList<Cell>();
    for (var problem : problems) {
      problem
          .field()
          .ifPresent(column ->
              cells.add(
                  new Cell(column, row.cells().getOrDefault(column, ""), problem.besideField())));
    }
    if (!cells.isEmpty()) {
      return new ToCorrect(row.number(), false, "", List.copyOf(cells));
    }
    row.cells().forEach((column, value) -> cells.add(new Cell(column, value, "")));
    return new ToCorrect(
        row.number(),
        false,
        problems.isEmpty()
            ? Objects.requireNonNullElse(line.message(), "")
            : problems.getFirst().sentence(),
        List.copyOf(cells));
  }

  /** Returns the cells of a row, with defaults where its own are blank. */
  private static Map<String, String> filled(
      Map<String, String> cells, Map<String, String> defaults) {
    if (defaults.isEmpty()) {
      return cells;
    }
    var all = new LinkedHashMap<>(cells);
    defaults.forEach((column, value) -> {
      if (all.getOrDefault(column, "").isBlank()) {
        all.put(column, value);
      }
    });
    return all;
  }

  /** Returns cells as they are stored; those of an enormous row, which is refused, are cut. */
  private static String stored(Map<String, String> cells) {
    var json = write(cells);
    return json.length() <= LONGEST_ROW
        ? json
        : write(
            cells.entrySet().stream()
                .collect(
                    toMap(
                        Map.Entry::getKey,
                        cell -> shortened(cell.getValue()),
                        (one, same) -> one,
                        LinkedHashMap::new)));
  }

  /**
   * Starts to carry out a previewed list, as enrolments by the staff member who confirms it.
   *
   * @throws ApiProblem 404 if there is no such list, or it was confirmed before, 409 if its columns
   *     are not known yet
   */
  void confirm(Actor actor, String id) {
    previewed(id);
    transactions.write(() -> {
      var row = rows.find(id).orElseThrow(ImportDesk::none);
      if (rows.confirm(id, actor.name(), actor.role()) > 0) {
        rows.forgetDecided(id);
        started(actor, id, row.rowCount());
      } else if (status(id).isOpen()) {
        throw none();
      }
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
        AuditEntry.of(actor.name(), actor.role(), AuditAction.IMPORT_STARTED)
            .about(id)
            .changed(null, count + " rows"));
    transactions.afterCommit(() -> imports.nudge());
  }

  private String store(
      Actor actor,
      List<Read> read,
      ImportStatus status,
      List<String> unknown,
      Function<Read, @Nullable String> content) {
    var id = Ids.next("imp");
    rows.insert(
        id,
        status,
        actor.name(),
        actor.role(),
        read.size(),
        systemClock.instant(),
        unknown.isEmpty() ? null : write(unknown));
    var _ =
        rows.insertRows(
            id,
            column(read, one -> String.valueOf(one.row().number())),
            column(read, one -> status(one).word()),
            column(read, content),
            column(read, one -> one.forecast().message()),
            column(read, one -> warnings(one.forecast().warnings())));
    return id;
  }

  private static ImportRowStatus status(Read one) {
    return one.decided() ? one.forecast().status() : ImportRowStatus.WAITING;
  }

  private static String[] column(List<Read> read, Function<Read, @Nullable String> value) {
    return read.stream().map(value).toArray(String[]::new);
  }

  static @Nullable String warnings(@Nullable List<String> warnings) {
    return warnings == null || warnings.isEmpty() ? null : write(warnings);
  }

  /** Returns the warnings of a finished row, or {@code null} if it has none. */
  static @Nullable List<String> warningsOf(JdbcImports.Line row) {
    return row.warnings() == null ? null : read(row.warnings(), WORDS);
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

  /** Returns the enrolment that a waiting row of a list asks for. */
  static EnrolmentDesk.Wanted wanted(JdbcImports.Row list, JdbcImports.Line row) {
    return wanted(
        filled(row.content() == null ? Map.of() : read(row.content(), CELLS), defaults(list)));
  }

  static ApiProblem none() {
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
