package org.habitline.staff.imports;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * One list of people: what would come of it, how far it is, or what came of it.
 *
 * @param taken how many rows that wait had a number that was taken when they were looked at
 * @param shown a part of its rows, in their order
 * @param more where the next part starts, or empty
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
   * @param name whom it is about, or empty; only while the list is looked at
   * @param phoneNumber likewise, all of it
   * @param participant whom it enrolled, or empty
   */
  public record Row(
      int number,
      String name,
      String phoneNumber,
      String status,
      String participant,
      String message,
      List<String> warnings) {

    /** Whether somebody should look at it. */
    public boolean refused() {
      return !message.isEmpty();
    }
  }

  /** What will become of a list that is looked at, in a sentence. */
  public String summary() {
    return rows
        + (rows == 1 ? " row: " : " rows: ")
        + (rows - taken - duplicates - errors)
        + " will be enrolled, "
        + taken
        + (taken == 1 ? " has" : " have")
        + " a phone number that is already enrolled, "
        + duplicates
        + (duplicates == 1 ? " repeats" : " repeat")
        + " a phone number from an earlier row, "
        + errors
        + (errors == 1 ? " has" : " have")
        + " errors.";
  }

  /** Whether nothing was carried out yet. */
  public boolean previewed() {
    return status == ImportStatus.PREVIEWED;
  }

  /** Whether rows are being carried out now. */
  public boolean running() {
    return status == ImportStatus.RUNNING;
  }

  /** Where this page is found. */
  public String address() {
    return "/participants/import/" + id;
  }
}
