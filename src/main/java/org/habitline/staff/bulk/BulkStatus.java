package org.habitline.staff.bulk;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The progress of a bulk action. */
enum BulkStatus {
  /** Shown to staff; nothing happens until they confirm it. */
  PREVIEWED,
  /** Confirmed; it begins at its time and goes on until every participant was looked at. */
  WAITING,
  DONE,
  /** Staff stopped it; what was not done by then is not done. */
  UNDONE,
  /** Previewed, never confirmed, and being deleted. */
  FORGOTTEN;

  /** Returns the name in the database and the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
