package org.habitline.tools;

import java.util.Locale;

/** When staff should see a flag. */
public enum FlagUrgency {
  /** Within the day: it is listed on Today. */
  TODAY,
  /** At any hour: it opens an incident, which alerts staff. */
  NOW;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
