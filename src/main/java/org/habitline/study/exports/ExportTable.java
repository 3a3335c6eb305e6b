package org.habitline.study.exports;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.study.exports.ExportColumn.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A table of the export.
 *
 * @param from what follows {@code SELECT … FROM}; each {@code ?} is the id of the participant
 * @param ofStudy what follows {@code SELECT … FROM} for rows that are about the study and no
 *     participant, if there are any
 * @param needs the database's table that it reads, if that may not exist yet
 * @param items the SQL expression of a JSON array with one row for each of its items, or empty if
 *     the query's rows are the table's
 * @param key the column that is unique, or empty
 */
record ExportTable(
    String name,
    String description,
    String from,
    @Nullable String ofStudy,
    @Nullable String needs,
    String items,
    String key,
    List<ExportColumn> columns,
    List<Reference> references) {

  /** What the name of a column ends with that says why another one is empty. */
  static final String MISSING = "_missing";

  /** Says that the values of a column are those of another table's key. */
  record Reference(String column, String table, String key) {}

  /** Returns the columns that a scope includes. */
  List<ExportColumn> columns(ExportScope scope) {
    return columns.stream().filter(column -> scope.includes(column.from())).toList();
  }

  /** Returns whether a scope includes any column. */
  boolean isIn(ExportScope scope) {
    return !columns(scope).isEmpty();
  }

  /** Returns whether the table is read once, for the study, and not for each participant. */
  boolean isOfTheStudy() {
    return parameters(from) == 0;
  }

  /** Returns how often a query names the participant. */
  static int parameters(String query) {
    return (int) query.chars().filter(character -> character == '?').count();
  }

  /** Returns the query of a scope, which selects what {@link #cells} need. */
  String query(ExportScope scope) {
    return query(scope, from);
  }

  /** Returns the query of a scope for rows that are about no participant. */
  Optional<String> queryOfStudy(ExportScope scope) {
    return Optional.ofNullable(ofStudy).map(query -> query(scope, query));
  }

  private String query(ExportScope scope, String source) {
    return "SELECT " + String.join(", ", selected(scope)) + " FROM " + source;
  }

  /**
   * Returns the SQL expressions that a query selects, each once: a study day and a minute have the
   * same source.
   */
  private List<String> selected(ExportScope scope) {
    return Stream.concat(
            columns(scope).stream()
                .flatMap(
                    column -> Stream.of(isComputed(column) ? "" : column.source(), column.zone())),
            Stream.of(items))
        .filter(expression -> !expression.isEmpty())
        .distinct()
        .toList();
  }

  /**
   * Where the query finds a column: the places of its value, of its time zone and of why it is
   * missing, and of the JSON array; from 1, or 0 if there is none.
   */
  record Cell(ExportColumn column, boolean isKey, int value, int zone, int missing, int items) {}

  /** Returns the columns that a scope includes, with their places. */
  List<Cell> cells(ExportScope scope) {
    var selected = selected(scope);
    var columns = columns(scope);
    return columns.stream()
        .map(column ->
            new Cell(
                column,
                column.name().equals(key),
                isComputed(column) ? 0 : selected.indexOf(column.source()) + 1,
                selected.indexOf(column.zone()) + 1,
                columns.stream()
                    .filter(other -> other.name().equals(column.name() + MISSING))
                    .mapToInt(other -> selected.indexOf(other.source()) + 1)
                    .findFirst()
                    .orElse(0),
                selected.indexOf(items) + 1))
        .toList();
  }

  private static boolean isComputed(ExportColumn column) {
    return switch (column.kind()) {
      case PARTICIPANT, TODAY, ITEM, ITEM_SUCCEEDED -> true;
      case KEY, WORD, TEXT, INTEGER, NUMBER, BOOLEAN, DAY, MINUTE, INSTANT -> false;
    };
  }

  static Plan named(String name, String description) {
    return new Plan(name, description);
  }

  /** A table that is being described. Columns are in every scope unless the method says more. */
  static final class Plan {
    private final String name;
    private final String description;
    private final List<ExportColumn> columns = new ArrayList<>();
    private final List<Reference> references = new ArrayList<>();
    private String from = "";
    private @Nullable String ofStudy;
    private @Nullable String needs;
    private String items = "";
    private String key = "";

    private Plan(String name, String description) {
      this.name = name;
      this.description = description;
    }

    Plan from(String query) {
      from = query;
      return this;
    }

    Plan ofStudy(String query) {
      ofStudy = query;
      return this;
    }

    Plan needs(String table) {
      needs = table;
      return this;
    }

    Plan items(String array) {
      items = array;
      return this;
    }

    /** The participant that the rows are about. */
    Plan participant() {
      return participant("Pseudonym", true);
    }

    /** The participant that a row is about, or none if it is about the study. */
    Plan participantOrStudy() {
      return participant("Pseudonym; empty if the row is about the study", false);
    }

    private Plan participant(String says, boolean always) {
      add("participant", Kind.PARTICIPANT, "", says);
      if (always) {
        required();
      }
      references.add(new Reference("participant", "participants", "participant"));
      return this;
    }

    /** An id that is unique among the rows. */
    Plan key(String column, String source, String says) {
      key = column;
      return add(column, Kind.KEY, source, says).required();
    }

    /** An id that is the key of another table; may be empty. */
    Plan reference(String column, String source, String table, String says) {
      references.add(new Reference(column, table, column));
      return add(column, Kind.KEY, source, says);
    }

    Plan word(String column, String source, String says, String... words) {
      return add(ExportColumn.of(column, Kind.WORD, source, says).accepting(List.of(words)));
    }

    /** A column with the words of an enum. */
    Plan words(String column, String source, Class<? extends Enum<?>> words, String says) {
      return word(column, source, says, wordsOf(words));
    }

    Plan integer(String column, String source, String unit, String says) {
      return add(ExportColumn.of(column, Kind.INTEGER, source, says).in(unit));
    }

    Plan number(String column, String source, String unit, String says) {
      return add(ExportColumn.of(column, Kind.NUMBER, source, says).in(unit));
    }

    Plan yes(String column, String source, String says) {
      return add(column, Kind.BOOLEAN, source, says);
    }

    /** The participant that a row describes: the key of its table. */
    Plan described() {
      key = "participant";
      return add(key, Kind.PARTICIPANT, "", "Pseudonym").required();
    }

    /** The study day on which the export was made. */
    Plan today(String column, String says) {
      return add(ExportColumn.of(column, Kind.TODAY, "", says).in("study day"));
    }

    /** The study day of a local date. */
    Plan day(String column, String source, String says) {
      return add(ExportColumn.of(column, Kind.DAY, source, says).in("study day"));
    }

    /** An instant: its study day and local minute, and identified its time in UTC. */
    Plan moment(String prefix, String source, String says) {
      return moment(prefix, source, "", says);
    }

    /** An instant as {@link #moment(String, String, String)}, in a time zone of its own. */
    Plan moment(String prefix, String source, String zone, String says) {
      add(
          ExportColumn.of(prefix + "_day", Kind.DAY, source, says + ": study day")
              .inZone(zone)
              .in("study day"));
      add(
          ExportColumn.of(
                  prefix + "_minute", Kind.MINUTE, source, says + ": local minute of the day")
              .inZone(zone)
              .in("minutes after local midnight"));
      return add(prefix + "_at", Kind.INSTANT, source, says + ", in UTC")
          .only(ExportScope.IDENTIFIED);
    }

    /** An instant of the study rather than of a participant: only its time in UTC. */
    Plan instant(String column, String source, String says) {
      return add(column, Kind.INSTANT, source, says).only(ExportScope.IDENTIFIED);
    }

    /** Why another column is empty. */
    Plan missing(String column, String source, String... reasons) {
      return word(column + MISSING, source, "Why " + column + " is empty", reasons);
    }

    /** A value of the item. */
    Plan item(String column, String itemKey, String says) {
      return add(column, Kind.ITEM, itemKey, says);
    }

    /** Whether a value of the item, which is JSON itself, says that something succeeded. */
    Plan succeeded(String column, String itemKey, String says) {
      return add(column, Kind.ITEM_SUCCEEDED, itemKey, says);
    }

    /** Says that every row has a value in the column described last. */
    Plan required() {
      return add(columns.removeLast().always());
    }

    /** Words of people, from the scope {@code texts} on. */
    Plan text(String column, String source, String says) {
      return add(column, Kind.TEXT, source, says).only(ExportScope.TEXTS);
    }

    /** Leaves the column described last out of lower scopes. */
    Plan only(ExportScope scope) {
      return add(columns.removeLast().from(scope));
    }

    private Plan add(String column, Kind kind, String source, String says) {
      return add(ExportColumn.of(column, kind, source, says));
    }

    private Plan add(ExportColumn column) {
      columns.add(column);
      return this;
    }

    ExportTable done() {
      return new ExportTable(
          name,
          description,
          from,
          ofStudy,
          needs,
          items,
          key,
          List.copyOf(columns),
          List.copyOf(references));
    }

    private static String[] wordsOf(Class<? extends Enum<?>> words) {
      return Arrays.stream(words.getEnumConstants())
          .map(word -> word.name().toLowerCase(Locale.ROOT))
          .toArray(String[]::new);
    }
  }
}
