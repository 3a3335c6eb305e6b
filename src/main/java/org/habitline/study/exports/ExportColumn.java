package org.habitline.study.exports;

import java.util.List;

/**
 * A column of an exported table.
 *
 * @param source the SQL expression that its values come from; for {@link Kind#ITEM}, the key in the
 *     item of the table's JSON array
 * @param zone for {@link Kind#DAY} and {@link Kind#MINUTE}: the SQL expression of the time zone, or
 *     empty for the participant's present one
 * @param words the values that a column accepts, or empty if any
 * @param unit the unit of its numbers, or empty
 * @param required whether every row has a value
 * @param from the lowest scope that includes the column
 */
record ExportColumn(
    String name,
    Kind kind,
    String source,
    String zone,
    List<String> words,
    String unit,
    String description,
    boolean required,
    ExportScope from) {

  /** Returns a column of every scope, whose rows may have no value. */
  static ExportColumn of(String name, Kind kind, String source, String description) {
    return new ExportColumn(
        name, kind, source, "", List.of(), "", description, false, ExportScope.DEIDENTIFIED);
  }

  ExportColumn inZone(String sql) {
    return new ExportColumn(name, kind, source, sql, words, unit, description, required, from);
  }

  ExportColumn accepting(List<String> accepted) {
    return new ExportColumn(name, kind, source, zone, accepted, unit, description, required, from);
  }

  ExportColumn in(String measure) {
    return new ExportColumn(name, kind, source, zone, words, measure, description, required, from);
  }

  ExportColumn always() {
    return new ExportColumn(name, kind, source, zone, words, unit, description, true, from);
  }

  ExportColumn from(ExportScope lowest) {
    return new ExportColumn(name, kind, source, zone, words, unit, description, required, lowest);
  }

  /** What a column holds, and how it is computed from its source. */
  enum Kind {
    /** The participant's pseudonym. */
    PARTICIPANT("string"),
    /** The pseudonym, a hyphen and the source: an id that is unique in the study. */
    KEY("string"),
    /** One of some words, or a name from the study's configuration. */
    WORD("string"),
    /** Words of people; masked in the scope {@code texts}. */
    TEXT("string"),
    INTEGER("integer"),
    NUMBER("number"),
    BOOLEAN("boolean"),
    /** The study day of an instant, or of a local date as {@code yyyy-mm-dd}. */
    DAY("integer"),
    /** The study day on which the export was made. */
    TODAY("integer"),
    /** The local minute of the day of an instant. */
    MINUTE("integer"),
    INSTANT("datetime"),
    /** A value of the item of a JSON array. */
    ITEM("string"),
    /** Whether a value of the item, which is JSON itself, has the status {@code success}. */
    ITEM_SUCCEEDED("boolean");

    private final String type;

    Kind(String type) {
      this.type = type;
    }

    /** Returns the type of the Table Schema standard. */
    String type() {
      return type;
    }

    boolean isWritten() {
      return this == WORD || this == TEXT || this == ITEM;
    }
  }
}
