package org.habitline.study.exports;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The progress of an export of the study. */
public enum ExportStatus {
  RUNNING,
  /** Its file can be downloaded. */
  READY,
  FAILED,
  /** Its file was deleted: it was old, or a participant was erased. */
  DELETED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
