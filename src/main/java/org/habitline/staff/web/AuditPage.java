package org.habitline.staff.web;

import java.util.List;

/**
 * The page of the audit log.
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

  /** One entry; values that it does not have are empty. */
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

    /** Returns whether the entry has an old or a new value. */
    public boolean changed() {
      return !before.isEmpty() || !after.isEmpty();
    }
  }

  /** Returns whether any filter is set. */
  public boolean filtered() {
    return !(participant + actor + action).isBlank();
  }
}
