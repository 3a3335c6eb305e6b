package org.habitline.staff.imports;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How far a list of people is. */
enum ImportStatus {
  /** It is only looked at; nobody is enrolled yet. */
  PREVIEWED,
  RUNNING,
  DONE,
  /** It was looked at long ago and is deleted. */
  FORGOTTEN;

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
