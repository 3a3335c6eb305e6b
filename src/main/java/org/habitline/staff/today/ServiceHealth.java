package org.habitline.staff.today;

import java.util.List;

/** The health of the service: what an operator sees under {@code /health}, in words for staff. */
public interface ServiceHealth {

  /**
   * The result of one health check.
   *
   * @param wrong whether an operator must act
   * @param urgent whether a crisis reaches no one, or would not
   */
  record Sign(String what, boolean wrong, boolean urgent, String sentence) {

    public Sign(String what, boolean wrong, String sentence) {
      this(what, wrong, false, sentence);
    }
  }

  /** Returns the result of every health check; up to five seconds old. */
  List<Sign> signs();

  /** Returns whether turns are failing now because no model gives a usable reply. */
  boolean modelFails();
}
