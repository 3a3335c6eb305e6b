package org.habitline.staff.today;

import java.util.List;

/** The health of the service: what an operator sees under {@code /health}, in words for staff. */
public interface ServiceHealth {

  /**
   * The result of one health check.
   *
   * @param wrong whether an operator must act
   */
  record Sign(String what, boolean wrong, String sentence) {}

  /** Returns the result of every health check; up to five seconds old. */
  List<Sign> signs();

  /** Returns whether turns are failing now because no model gives a usable reply. */
  boolean modelFails();
}
