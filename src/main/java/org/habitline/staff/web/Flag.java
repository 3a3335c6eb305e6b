package org.habitline.staff.web;

import org.jspecify.annotations.Nullable;

/** A query parameter that is true or false, and nothing else. */
public final class Flag {

  private Flag() {}

  /** Returns whether it is set; a parameter that is not there is not. */
  public static boolean of(String parameter, @Nullable String said) {
    return switch (said) {
      case "true" -> true;
      case "false" -> false;
      case null -> false;
      default ->
          throw ApiProblem.bad(
              parameter + ": expected true or false, or no such parameter for false.");
    };
  }
}
