package org.habitline.staff.imports;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What becomes of a row of a list of people. */
enum ImportRowStatus {
  /** In a preview only: the row would enrol somebody. */
  WOULD_ENROL,
  WAITING,
  ENROLLED,
  /** The number is enrolled already, or is that of a row before it. */
  DUPLICATE,
  ERROR;

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
