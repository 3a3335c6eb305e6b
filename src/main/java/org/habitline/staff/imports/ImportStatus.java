package org.habitline.staff.imports;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The progress of an import. */
enum ImportStatus {
  /** Uploaded for a preview; no one is enrolled yet. */
  PREVIEWED,
  RUNNING,
  DONE,
  /** Previewed, never confirmed, and being deleted. */
  FORGOTTEN;

  /** Returns the name in the database and the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
