package org.habitline.staff.today;

import java.util.List;

/** How the line itself is: what an operator sees under {@code /health}, in words for staff. */
public interface ServiceHealth {

  /**
   * One thing that is watched.
   *
   * @param wrong whether somebody must look after it
   */
  record Sign(String what, boolean wrong, String sentence) {}

  /** Returns a sign for everything that is watched; up to five seconds old. */
  List<Sign> signs();

  /** Whether turns fail now because no model gives a usable answer. */
  boolean modelFails();
}
