package org.habitline.staff.imports;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The result of a row of an import. */
enum ImportRowStatus {
  /** In a preview only: the row would enrol a person. */
  WOULD_ENROL,
  WAITING,
  ENROLLED,
  /** The number is already enrolled, or an earlier row has it. */
  DUPLICATE,
  ERROR,
  /** Staff left the row out. */
  LEFT_OUT;

  /** Returns the name in the database and the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
