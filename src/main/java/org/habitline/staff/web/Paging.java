package org.habitline.staff.web;

import org.jspecify.annotations.Nullable;

/** Reads the limit and cursor parameters of every list. */
public final class Paging {

  public static final int MOST = 200;
  public static final int USUAL = 50;

  private Paging() {}

  /**
   * Returns the page size, 1 to 200, or 50 if none is given.
   *
   * @throws ApiProblem 400 for any other number
   */
  public static int limit(@Nullable Integer limit) {
    if (limit == null) {
      return USUAL;
    }
    if (limit < 1 || limit > MOST) {
      throw ApiProblem.bad("limit: expected a whole number from 1 to 200.");
    }
    return limit;
  }

  /**
   * Returns where the page starts, from the {@code next_cursor} of the page before.
   *
   * @throws ApiProblem 400 if it is no such cursor
   */
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
    return ApiProblem.bad("cursor: expected the next_cursor of the previous page.");
  }
}
