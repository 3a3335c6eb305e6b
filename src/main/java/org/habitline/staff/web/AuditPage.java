package org.habitline.staff.web;

import java.util.List;

/**
 * The page of the audit log.
 *
 * @param actions every action that can be filtered by
 * @param from the first day, {@code yyyy-mm-dd}, or empty
 * @param to the last day, or empty
 * @param older the address of the next page, or empty after the last
 * @param complaint what was wrong with the address, or empty
 */
public record AuditPage(
    PageFrame frame,
    List<Row> rows,
    List<Act> actions,
    String participant,
    String actor,
    String action,
    String from,
    String to,
    String older,
    String complaint) {

  /** An action to filter by: its stored word, and how people read it. */
  public record Act(String word, String says) {}

  /**
   * One entry; values that it does not have are empty.
   *
   * @param who the person, the key, the coach or Habitline
   * @param did what follows, as a sentence
   * @param onlyInDetails whether the old and the new value stand only under Details: the sentence
   *     has them, or they are ids
   * @param name what the participant is called; empty after an erasure
   * @param changes the parts of the details that differ, if the values are lists of details
   */
  public record Row(
      String at,
      String shownAt,
      String who,
      String did,
      boolean onlyInDetails,
      String actor,
      String role,
      String action,
      String participant,
      String name,
      String subject,
      String before,
      String after,
      List<Change> changes,
      String reason) {

    /** Returns whether the participant was erased. */
    public boolean erased() {
      return !participant.isEmpty() && name.isEmpty();
    }

    /** Returns whether the values stand below the sentence. */
    public boolean showsChange() {
      return changed() && !onlyInDetails && changes.isEmpty();
    }

    /** Returns whether people read the same value before and after. */
    public boolean same() {
      return changed() && before.equals(after);
    }

    /** Returns whether the entry has an old or a new value. */
    public boolean changed() {
      return !before.isEmpty() || !after.isEmpty();
    }
  }

  /** One detail that was changed; a value is "empty" if there was none. */
  public record Change(String what, String before, String after) {}

  /** Returns whether any filter is set. */
  public boolean filtered() {
    return !(participant + actor + action + from + to).isBlank();
  }
}
