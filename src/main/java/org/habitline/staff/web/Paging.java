package org.habitline.staff.web;

import org.jspecify.annotations.Nullable;

/** The two parameters of every list. */
public final class Paging {

  public static final int MOST = 200;
  public static final int USUAL = 50;

  private Paging() {}

  /** How many are wanted, 1 to 200, 50 if nobody said. */
  public static int limit(@Nullable Integer limit) {
    if (limit == null) {
      return USUAL;
    }
    if (limit < 1 || limit > MOST) {
      throw ApiProblem.bad("limit: expected a whole number from 1 to 200.");
    }
    return limit;
  }

  /** Where the page starts: what the page before gave as {@code next_cursor}. */
  public static long before(@Nullable String cursor) {
    if (cursor == null || cursor.isBlank()) {
      return Long.MAX_VALUE;
    }
    try {
      return Long.parseLong(cursor);
    } catch (NumberFormatException e) {
      throw badCursor();
    }
  }

  public static ApiProblem badCursor() {
    return ApiProblem.bad("cursor: expected the next_cursor of the page before.");
  }
}
