package org.habitline.staff;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The list of participants with the form that enrols one.
 *
 * @param cursor where this page of the list starts, or {@code null} at the newest
 * @param older the cursor of the next page, or {@code null} after the last
 */
public record PeoplePage(
    PageFrame frame,
    List<Row> rows,
    String status,
    @Nullable String cursor,
    @Nullable String older,
    Form form) {

  /**
   * One participant of the list.
   *
   * @param phone the last two digits only
   * @param lastMessageAt RFC 3339, or empty when nothing was said
   * @param failure why the newest turn failed, or empty
   * @param brake why it was left without an answer, or empty
   */
  public record Row(
      String id,
      String name,
      String phone,
      String status,
      boolean optedOut,
      String subState,
      String flow,
      String lastMessageAt,
      String lastActivity,
      boolean answering,
      String failure,
      String brake) {}

  /**
   * The enrolment form, with what was said before if it was not accepted.
   *
   * @param complaint the sentence that says why not, or empty
   */
  public record Form(
      String complaint,
      EnrolmentDesk.Wanted said,
      List<String> flows,
      String defaultFlow,
      List<String> zones,
      String defaultZone) {

    /** What stands in a field. */
    public String value(@Nullable String given) {
      return given == null ? "" : given;
    }
  }

  /** Where this page of the list is found, whatever form was posted to get here. */
  public String address() {
    return "/participants?status=" + status + (cursor == null ? "" : "&cursor=" + cursor);
  }

  /** Whether the list is narrowed to one status. */
  public boolean filtered() {
    return !status.isEmpty();
  }
}
