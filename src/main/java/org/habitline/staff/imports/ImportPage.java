package org.habitline.staff.imports;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page of one list of people: its preview, its progress or its result.
 *
 * @param taken how many waiting rows had a phone number that was already enrolled when the list was
 *     previewed
 * @param shown a page of its rows, in their order
 * @param more where the next page of rows starts, or empty
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
    List<Row> shown,
    String more) {

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
      String status,
      String participant,
      String message,
      List<String> warnings) {

    /** Returns whether the row has a message that staff should read. */
    public boolean refused() {
      return !message.isEmpty();
    }
  }

  /** Returns the preview's result in a sentence. */
  public String summary() {
    return rows
        + (rows == 1 ? " row: " : " rows: ")
        + (rows - taken - duplicates - errors)
        + " will be enrolled, "
        + taken
        + (taken == 1 ? " has" : " have")
        + " a phone number or study id that is already enrolled, "
        + duplicates
        + (duplicates == 1 ? " repeats" : " repeat")
        + " a phone number or study id from an earlier row, "
        + errors
        + (errors == 1 ? " has" : " have")
        + " errors.";
  }

  /** Returns whether the list is only previewed. */
  public boolean previewed() {
    return status == ImportStatus.PREVIEWED;
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
