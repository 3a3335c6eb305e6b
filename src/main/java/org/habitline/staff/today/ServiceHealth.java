package org.habitline.staff.today;

import java.util.List;

/** The health of the service: what an operator sees under {@code /health}, in words for staff. */
public interface ServiceHealth {

  /** How bad the result of a health check is. */
  enum Level {
    FINE,
    /** Something is missing before the study can begin with real phones. */
    MISSING,
    /** An operator must act. */
    WRONG,
    /** A crisis reaches no one, or would not. */
    URGENT
  }

  /** The result of one health check. */
  record Sign(String what, Level level, String sentence) {

    public Sign(String what, boolean wrong, String sentence) {
      this(what, wrong ? Level.WRONG : Level.FINE, sentence);
    }

    public boolean fine() {
      return level == Level.FINE;
    }

    /** Returns whether an operator must act. */
    public boolean wrong() {
      return level == Level.WRONG || urgent();
    }

    public boolean urgent() {
      return level == Level.URGENT;
    }
  }

  /** Returns the result of every health check; up to five seconds old. */
  List<Sign> signs();

  /** Returns whether turns are failing now because no model gives a usable reply. */
  boolean modelFails();
}
