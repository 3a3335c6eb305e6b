package org.habitline.safety.rules;

import java.util.Locale;

/** How urgent a message is, the least urgent first. */
public enum Level {
  /** No rule applies. */
  NONE,
  /** Risk is possible: staff should see the message within a day. */
  CONCERN,
  /** A person should look now. */
  CRISIS;

  /** Returns the word for this level in files and reports. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
