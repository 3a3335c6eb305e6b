package org.habitline.staff.imports;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The progress of an import. */
enum ImportStatus {
  /** Uploaded, but staff have not said yet what some of its columns are. */
  UNMAPPED,
  /** Uploaded for a preview; no one is enrolled yet. */
  PREVIEWED,
  RUNNING,
  DONE,
  /** Previewed, never confirmed, and being deleted. */
  FORGOTTEN;

  /**
   * Returns whether it was only uploaded: no one is enrolled, and nothing but its page shows it.
   */
  boolean isOpen() {
    return this == UNMAPPED || this == PREVIEWED;
  }

  /** Returns the name in the database and the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
