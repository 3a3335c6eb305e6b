package org.habitline.staff.imports;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.habitline.participants.PhoneNumber;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Reads lists of people to enrol: their progress, the result of each row, and who is in it. */
@Singleton
final class ImportReader {

  private final EnrolmentDesk desk;
  private final JdbcImports rows;
  private final Transactions transactions;

  ImportReader(EnrolmentDesk desk, JdbcImports rows, Transactions transactions) {
    this.desk = desk;
    this.rows = rows;
    this.transactions = transactions;
  }

  /**
   * The person in a row of a previewed list.
   *
   * @param number as it would be stored, or as in the file if it is not a valid number
   */
  record Person(String name, String number, String studyId) {}

  /**
   * Returns the people of a page of rows, by row number. Confirmed lists keep no names or numbers
   * of finished rows.
   */
  Map<Integer, Person> people(String id, long after, int most) {
    return people(transactions.read(() -> rows.rows(id, after, most)));
  }

  /** Returns the people of some rows, by row number. */
  Map<Integer, Person> people(String id, List<Integer> numbers) {
    return people(transactions.read(() -> rows.these(id, numbers)));
  }

  private Map<Integer, Person> people(List<JdbcImports.Line> lines) {
    var people = new HashMap<Integer, Person>();
    lines.stream()
        .filter(row -> row.content() != null)
        .forEach(row ->
            people.put(row.number(), person(ImportDesk.wanted(ImportDesk.row(row).cells()))));
    return people;
  }

  private Person person(EnrolmentDesk.Wanted wanted) {
    return new Person(
        Objects.requireNonNullElse(ImportDesk.shown(wanted.name()), ""),
        desk.number(wanted.phoneNumber())
            .map(PhoneNumber::e164)
            .orElseGet(
                () -> Objects.requireNonNullElse(ImportDesk.shown(wanted.phoneNumber()), "")),
        Objects.requireNonNullElse(ImportDesk.shown(wanted.studyId()), ""));
  }

  /**
   * A list and its progress.
   *
   * @param status {@code unmapped}, {@code previewed}, {@code running} or {@code done}
   * @param by who started it
   * @param done how many of its rows were carried out, or left out
   * @param leftOut how many rows staff left out before they confirmed the list
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
      int leftOut,
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
    // PostgreSQL refuses a NUL character in a query.
    if (id.indexOf('\0') >= 0) {
      return Optional.empty();
    }
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
   * Returns a list that is not confirmed.
   *
   * @throws ApiProblem 404 if there is none with this id
   */
  Import draft(String id) {
    return find(id).filter(it -> it.status().isOpen()).orElseThrow(ImportDesk::none);
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
    return find(id).filter(it -> !it.status().isOpen()).orElseThrow(ImportDesk::none);
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
        counts.getOrDefault(ImportRowStatus.LEFT_OUT, 0),
        row.createdAt(),
        row.finishedAt());
  }

  Results results(String id, long after, int most) {
    var found = transactions.read(() -> rows.rows(id, after, most + 1));
    var page = found.subList(0, Math.min(most, found.size()));
    return new Results(
        page.stream().map(ImportReader::result).toList(),
        found.size() > most ? page.getLast().number() : null);
  }

  private static Result result(JdbcImports.Line row) {
    return new Result(
        row.number(), row.status(), row.participantId(), row.message(), ImportDesk.warningsOf(row));
  }
}
