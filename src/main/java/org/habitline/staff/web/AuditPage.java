package org.habitline.staff.web;

import java.util.List;

/**
 * Who did what, as the page shows it.
 *
 * @param actions every action that can be filtered by
 * @param older the address of the next page, or empty after the last
 * @param complaint what was wrong with the address, or empty
 */
public record AuditPage(
    PageFrame frame,
    List<Row> rows,
    List<String> actions,
    String participant,
    String actor,
    String action,
    String older,
    String complaint) {

  /** One entry; what it does not tell is empty. */
  public record Row(
      String at,
      String shownAt,
      String actor,
      String role,
      String action,
      String participant,
      String subject,
      String before,
      String after,
      String reason) {

    /** Whether it tells what was, or what is. */
    public boolean changed() {
      return !before.isEmpty() || !after.isEmpty();
    }
  }

  /** Whether the list is narrowed. */
  public boolean filtered() {
    return !(participant + actor + action).isBlank();
  }
}
