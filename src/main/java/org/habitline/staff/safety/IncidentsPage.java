package org.habitline.staff.safety;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page that lists incidents.
 *
 * @param unreleased crises first, then the longest open
 * @param released newest first
 * @param unalerted that crisis alerts are not set up, and what to do, or empty
 * @param complaint why the last form was refused, or empty
 */
public record IncidentsPage(
    PageFrame frame,
    List<IncidentRow> unreleased,
    List<IncidentRow> released,
    Tests tests,
    String unalerted,
    String complaint) {

  /**
   * Test alerts.
   *
   * @param possible whether the study names somebody to alert
   * @param warning what staff must do, or empty
   * @param open the id of the newest test, if no one has acknowledged it, or empty
   * @param newest what became of the newest test, in a sentence, or empty
   * @param alerts whom it alerted, in the order of the rota
   */
  public record Tests(
      boolean possible,
      String warning,
      String open,
      String newest,
      List<IncidentPage.Entry> alerts) {}
}
