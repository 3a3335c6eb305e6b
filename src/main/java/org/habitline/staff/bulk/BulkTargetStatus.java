package org.habitline.staff.bulk;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What came of a bulk action for one participant. */
enum BulkTargetStatus {
  WAITING("waiting"),
  DONE("done"),
  /** Left out, in the preview or when their turn came. */
  EXCLUDED("left out"),
  /** Staff stopped the action before their turn came. */
  UNDONE("stopped"),
  FAILED("failed");

  private final String title;

  BulkTargetStatus(String title) {
    this.title = title;
  }

  /** Returns the words for the pages. */
  String title() {
    return title;
  }

  /** Returns the name in the database and the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
