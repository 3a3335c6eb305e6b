package org.habitline.staff.imports;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.habitline.staff.web.ApiProblem;

/**
 * Reads a list of people as spreadsheets save it: CSV in UTF-8, with or without a byte order mark,
 * cells separated by commas, semicolons or tabs, and the names of an enrolment's fields in the
 * first row. Blank rows are skipped. Rows are numbered as a spreadsheet shows them: the header is
 * row 1.
 */
final class ImportFile {

  static final int MOST_ROWS = 10_000;

  static final String PHONE_NUMBER = "phone_number";

  /** The key of the cells for which the header has no name. */
  static final String EXTRA = "+";

  /** How many columns may be unknown; a wider table is not a list of people. */
  private static final int MOST_UNKNOWN = 100;

  /** A longer name of a column is none; a survey's export puts whole questions there. */
  private static final int LONGEST_COLUMN = 1_000;

  /** Nothing that a person's row may hold is longer. */
  private static final int LONGEST_CELL = 10_000;

  /** So much of a heading is kept; the label of a new field holds little more. */
  private static final int LONGEST_HEADING = 90;

  /** The accepted columns of every study. */
  static final List<String> COLUMNS =
      List.of(
          PHONE_NUMBER,
          "name",
          "gender",
          "ethnicity",
          "background",
          "timezone",
          "flow",
          "channel",
          "consent_version",
          "language",
          "study_id");

  /** Five or more digits: a phone number, a date or a key, not a column name. */
  private static final Pattern DIGITS = Pattern.compile("(?:\\d[^\\d\\p{L}]*+){5}");

  /** Control characters, and marks that change the direction of the text after them. */
  private static final Pattern UNPRINTABLE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

  private static final int MOST_NAMED = 5;
  private static final int LONGEST_NAME = 40;

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private ImportFile() {}

  /**
   * One row.
   *
   * @param number as a spreadsheet shows it
   * @param cells the values by column
   */
  record Row(int number, Map<String, String> cells) {

    /** Returns whether the row has more cells than the header has names. */
    boolean overfull() {
      return !cells.getOrDefault(EXTRA, "").isBlank();
    }
  }

  /**
   * A list of which some columns may be unknown.
   *
   * @param unknown the columns that are not accepted, by their keys in the rows
   */
  record Table(List<String> unknown, List<Row> rows) {}

  /** How the header of a file is read. */
  private interface Header {
    /** Returns the keys of the cells. */
    List<String> columns(CSVRecord header);
  }

  /**
   * Returns the rows below the header, at least one.
   *
   * @param accepted the accepted columns
   * @throws ApiProblem 400 if the file is not a valid list; the sentence says why
   */
  static List<Row> read(byte[] file, List<String> accepted) {
    return read(file, accepted, header -> columns(header, accepted));
  }

  /**
   * Returns the rows below the header, at least one, whatever its columns are called.
   *
   * @param accepted the accepted columns
   * @throws ApiProblem 400 if the file is not a valid list; the sentence says why
   */
  static Table open(byte[] file, List<String> accepted) {
    var unknown = new ArrayList<String>();
    var rows =
        read(
            file,
            accepted,
            header -> {
              var columns = anyColumns(header, accepted);
              columns.stream().filter(it -> !accepted.contains(it)).forEach(unknown::add);
              return unknown.isEmpty() ? columns(header, accepted) : columns;
            });
    return new Table(List.copyOf(unknown), rows);
  }

  private static List<Row> read(byte[] file, List<String> accepted, Header header) {
    var text = text(file);
    if (text.isBlank()) {
      throw ApiProblem.bad(
          "The file is empty; its first row names the columns, such as phone_number,name.");
    }
    var format =
        CSVFormat.DEFAULT
            .builder()
            .setDelimiter(delimiter(text))
            .setIgnoreEmptyLines(false)
            .setIgnoreSurroundingSpaces(true)
            .get();
    try (var parser =
        CSVParser.builder().setReader(new StringReader(text)).setFormat(format).get()) {
      return rows(parser, header, accepted.size() + MOST_UNKNOWN);
    } catch (IOException | UncheckedIOException e) {
      throw ApiProblem.bad(
          "The file is not readable as CSV: a quotation mark is missing or misplaced. Put a cell that contains quotation"
              + " marks in quotation marks, and double each one inside it.");
    }
  }

  private static String text(byte[] file) {
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(file)).toString();
      return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw ApiProblem.bad("The file is not in UTF-8; save it as 'CSV UTF-8'.");
    }
  }

  /**
   * Returns the most frequent separator in the header. Spreadsheets choose it by the machine's
   * language.
   */
  private static char delimiter(String text) {
    var header = text.lines().findFirst().orElse("");
    return Stream.of(',', ';', '\t')
        .max(
            Comparator.<Character>comparingLong(
                mark -> header.chars().filter(c -> c == mark).count()))
        .filter(mark -> header.indexOf(mark) >= 0)
        .orElse(',');
  }

  private static List<Row> rows(CSVParser parser, Header header, int most) {
    var records = parser.iterator();
    var first = records.next();
    checkHeader(first, most);
    var columns = header.columns(first);
    var rows = new ArrayList<Row>();
    for (int number = 2; records.hasNext(); number++) {
      var record = records.next();
      if (record.stream().allMatch(String::isBlank)) {
        continue;
      }
      if (rows.size() == MOST_ROWS) {
        throw ApiProblem.bad("The file has more than 10,000 rows; split it into several.");
      }
      checkRow(number, record, most);
      rows.add(row(number, columns, record));
    }
    if (rows.isEmpty()) {
      throw ApiProblem.bad(
          "The file has a header but no rows. Add one row for each person below it.");
    }
    return List.copyOf(rows);
  }

  /** Refuses a header that would take long to read. */
  private static void checkHeader(CSVRecord header, int most) {
    if (header.size() > most) {
      throw ApiProblem.bad(
          "The first row has more than " + most + " columns; remove those that are not needed.");
    }
    for (int i = 0; i < header.size(); i++) {
      if (header.get(i).length() > LONGEST_COLUMN) {
        throw ApiProblem.bad(
            "The name of column " + (i + 1) + " is longer than 1,000 characters; shorten it.");
      }
    }
  }

  private static void checkRow(int number, CSVRecord row, int most) {
    if (row.stream().skip(most).anyMatch(cell -> !cell.isBlank())) {
      throw ApiProblem.bad(
          "Row " + number + " has more than " + most + " cells; remove those that are not needed.");
    }
    for (int i = 0; i < row.size(); i++) {
      if (row.get(i).length() > LONGEST_CELL) {
        throw ApiProblem.bad(
            "Column "
                + (i + 1)
                + " of row "
                + number
                + " has more than 10,000 characters; shorten it.");
      }
    }
  }

  private static List<String> columns(CSVRecord header, List<String> accepted) {
    var columns = header.stream().map(name -> name.strip().toLowerCase(Locale.ROOT)).toList();
    checkKnown(header, columns, accepted);
    for (int i = 0; i < columns.size(); i++) {
      if (columns.indexOf(columns.get(i)) != i) {
        throw ApiProblem.bad(
            "The column " + columns.get(i) + " appears twice; name each column once.");
      }
    }
    if (!columns.contains(PHONE_NUMBER)) {
      throw ApiProblem.bad(
          "The column phone_number is missing in the first row; every participant needs a phone number.");
    }
    return columns;
  }

  /**
   * Returns the keys of columns of which some may be unknown: each is named once, also if the
   * header leaves its name out or repeats it.
   */
  private static List<String> anyColumns(CSVRecord header, List<String> accepted) {
    if (header.stream().anyMatch(name -> DIGITS.matcher(name).find())) {
      throw unknown(
          "The first row must name the columns, but it seems to contain a person's data", accepted);
    }
    var columns = new ArrayList<String>();
    for (int i = 0; i < header.size(); i++) {
      var name = heading(written(header.get(i)).strip().toLowerCase(Locale.ROOT));
      columns.add(
          name.isEmpty() || name.equals(EXTRA)
              ? "column " + (i + 1)
              : accepted.contains(name) || !columns.contains(name)
                  ? name
                  : name + " (column " + (i + 1) + ")");
    }
    for (int i = 0; i < columns.size(); i++) {
      if (columns.indexOf(columns.get(i)) != i) {
        throw ApiProblem.bad(
            "The column " + columns.get(i) + " appears twice; name each column once.");
      }
    }
    if (columns.stream().filter(it -> !accepted.contains(it)).count() > MOST_UNKNOWN) {
      throw ApiProblem.bad(
          "More than " + MOST_UNKNOWN + " columns are unknown; remove those that are not needed.");
    }
    return columns;
  }

  /** Shortens a heading, as a survey's export puts whole questions there. */
  private static String heading(String name) {
    return name.codePointCount(0, name.length()) > LONGEST_HEADING
        ? name.substring(0, name.offsetByCodePoints(0, LONGEST_HEADING))
        : name;
  }

  private static void checkKnown(CSVRecord header, List<String> columns, List<String> accepted) {
    var unknown =
        IntStream.range(0, columns.size())
            .filter(i -> !accepted.contains(columns.get(i)))
            .toArray();
    if (unknown.length == 0) {
      return;
    }
    // The error message does not repeat personal data: its reader may not be the sender of the
    // file.
    if (header.stream().anyMatch(name -> DIGITS.matcher(name).find())) {
      throw unknown(
          "The first row must name the columns, but it seems to contain a person's data", accepted);
    }
    for (int i : unknown) {
      if (columns.get(i).isEmpty()) {
        throw unknown("Column " + (i + 1) + " has no name in the first row", accepted);
      }
    }
    var named =
        Arrays.stream(unknown)
            .limit(MOST_NAMED)
            .mapToObj(i -> "'" + written(header.get(i)) + "' (column " + (i + 1) + ")")
            .collect(Collectors.joining(", "));
    var more = unknown.length - MOST_NAMED;
    throw unknown(
        (unknown.length == 1 ? "Unknown column " : "Unknown columns ")
            + named
            + (more > 0 ? " and " + more + " more" : ""),
        accepted);
  }

  /** Returns a column name for an error message, without unprintable characters and shortened. */
  private static String written(String name) {
    var plain = UNPRINTABLE.matcher(name.strip()).replaceAll(" ");
    return plain.length() > LONGEST_NAME ? plain.substring(0, LONGEST_NAME) + "…" : plain;
  }

  private static ApiProblem unknown(String what, List<String> accepted) {
    return ApiProblem.bad(what + ". Accepted columns are " + String.join(", ", accepted) + ".");
  }

  private static Row row(int number, List<String> columns, CSVRecord record) {
    var cells = new LinkedHashMap<String, String>();
    for (int i = 0; i < Math.min(columns.size(), record.size()); i++) {
      cells.put(columns.get(i), record.get(i));
    }
    var more =
        record.stream()
            .skip(columns.size())
            .filter(cell -> !cell.isBlank())
            .collect(Collectors.joining(" | "));
    if (!more.isEmpty()) {
      cells.put(EXTRA, more);
    }
    return new Row(number, cells);
  }
}
