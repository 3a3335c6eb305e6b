package org.habitline.staff.imports;

import java.util.List;
import java.util.Map;
import org.habitline.participants.ChannelKind;
import org.habitline.staff.web.PageFrame;

/**
 * The page of one list of people: its preview, its progress or its result.
 *
 * @param taken how many waiting rows had a phone number that was already enrolled when the list was
 *     previewed
 * @param shown a page of its rows, in their order
 * @param more where the next page of rows starts, or empty
 * @param columns what must be said about the columns of the file before it is previewed
 * @param corrections the rows that need staff, if the list is only previewed
 * @param defaults what counts where a cell is blank, if the list is only previewed
 * @param asksConsent whether the study asks for consent by text
 * @param complaint why the last form was refused, or empty
 */
public record ImportPage(
    PageFrame frame,
    String id,
    ImportStatus status,
    int rows,
    int done,
    int enrolled,
    int taken,
    int duplicates,
    int errors,
    int leftOut,
    List<Row> shown,
    String more,
    List<Column> columns,
    Corrections corrections,
    Defaults defaults,
    boolean asksConsent,
    String complaint) {

  /**
   * An unknown column of the file.
   *
   * @param index its place among the unknown columns
   * @param heading its name in the file
   * @param samples some of its cells
   * @param choices the columns that it may become
   * @param chosen one of them, "new", "out" to leave it out, or empty if staff must choose
   * @param near how people read the column whose name is nearest, or empty
   */
  public record Column(
      int index,
      String heading,
      String samples,
      List<Choice> choices,
      String chosen,
      String near) {}

  /** A column that another may become: its name in files, and how people read it. */
  public record Choice(String column, String label) {}

  /**
   * A page of the rows that need staff.
   *
   * @param cursor where this page started, or empty
   * @param more where the next page starts, or empty
   */
  public record Corrections(List<Fix> rows, String cursor, String more) {}

  /**
   * A row that needs staff.
   *
   * @param problem why it is refused, if that is about no single cell, or empty
   */
  public record Fix(
      int number,
      String name,
      String phoneNumber,
      boolean leftOut,
      String problem,
      List<Cell> cells) {}

  /**
   * A cell to correct.
   *
   * @param label what it is called
   * @param problem why it is refused, or empty
   */
  public record Cell(String column, String label, String value, String problem) {}

  /**
   * What counts where a cell is blank.
   *
   * @param values by column
   * @param zone the time zone of the service
   * @param zoneless how many rows that will be enrolled have no time zone of their own
   * @param problemOf the column whose value was refused, or empty
   */
  public record Defaults(
      Map<String, String> values,
      String zone,
      int zoneless,
      List<ChannelKind> channels,
      List<String> flows,
      String flow,
      List<String> languages,
      String problemOf,
      String problem) {

    /** Returns the default of a column, or empty. */
    public String value(String column) {
      return values.getOrDefault(column, "");
    }

    /** Returns why the default of a column was refused, or empty. */
    public String problem(String column) {
      return column.equals(problemOf) ? problem : "";
    }

    /** Returns what rows without a time zone get, in a sentence, or empty if there are none. */
    public String zones() {
      return zoneless == 0
          ? ""
          : zoneless
              + (zoneless == 1
                  ? " row has no time zone and gets "
                  : " rows have no time zone and get ")
              + zoneOfBlank()
              + ".";
    }

    private String zoneOfBlank() {
      return value("timezone").isEmpty() ? zone : value("timezone");
    }

    /** Returns the defaults in a sentence. */
    public String says() {
      var channel = value("channel");
      return "Defaults for blank cells: time zone "
          + zoneOfBlank()
          + ", channel "
          + (channel.isEmpty() ? channels.getFirst().word() : channel)
          + ", flow "
          + (value("flow").isEmpty() ? flow : value("flow"))
          + ", language "
          + (value("language").isEmpty() ? "default of the flow" : value("language"))
          + ".";
    }
  }

  /**
   * One row.
   *
   * @param name the person's name, or empty; shown only in a preview
   * @param phoneNumber the person's whole number, or empty; shown only in a preview
   * @param participant id of the participant it enrolled, or empty
   */
  public record Row(
      int number,
      String name,
      String phoneNumber,
      String studyId,
      String status,
      String participant,
      String message,
      List<String> warnings) {

    /** Returns whether the row has a message that staff should read. */
    public boolean refused() {
      return !message.isEmpty();
    }
  }

  /** Returns how many rows of a preview will be enrolled. */
  public int willEnrol() {
    return rows - taken - duplicates - errors - leftOut;
  }

  /** Returns the preview's result in a sentence. */
  public String summary() {
    return rows
        + (rows == 1 ? " row: " : " rows: ")
        + willEnrol()
        + " will be enrolled, "
        + taken
        + (taken == 1 ? " has" : " have")
        + " a phone number or study id that is already enrolled, "
        + duplicates
        + (duplicates == 1 ? " repeats" : " repeat")
        + " a phone number or study id from an earlier row, "
        + errors
        + (errors == 1 ? " has" : " have")
        + " errors"
        + (leftOut == 0 ? "." : ", " + leftOut + (leftOut == 1 ? " is" : " are") + " left out.");
  }

  /** Returns whether the list is only previewed. */
  public boolean previewed() {
    return status == ImportStatus.PREVIEWED;
  }

  /** Returns whether staff must say first what some columns are. */
  public boolean unmapped() {
    return status == ImportStatus.UNMAPPED;
  }

  /** Returns whether rows are being carried out now. */
  public boolean running() {
    return status == ImportStatus.RUNNING;
  }

  /** Returns the address of this page. */
  public String address() {
    return "/participants/import/" + id;
  }
}
