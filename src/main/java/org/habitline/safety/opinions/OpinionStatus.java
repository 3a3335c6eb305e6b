package org.habitline.safety.opinions;

import java.util.Locale;

/** What came of asking for a second opinion. Unless it was given, the rules alone decide. */
public enum OpinionStatus {
  GIVEN,
  /** It did not come in time. */
  TOO_SLOW,
  /** The server could not be reached, refused the request, or the model declined. */
  FAILED,
  /** The answer does not have the format. */
  UNREADABLE;

  /** Returns the word used in the database and in metrics, in lower case. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
