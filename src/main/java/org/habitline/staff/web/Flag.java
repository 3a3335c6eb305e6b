package org.habitline.staff.web;

import org.jspecify.annotations.Nullable;

/** Reads parameters that accept only true or false. */
public final class Flag {

  private Flag() {}

  /**
   * Returns the parameter's value; an absent parameter is false.
   *
   * @throws ApiProblem 400 for anything but true or false
   */
  public static boolean of(String parameter, @Nullable String said) {
    return switch (said) {
      case "true" -> true;
      case "false" -> false;
      case null -> false;
      default ->
          throw ApiProblem.bad(parameter + ": expected true or false; leave it out for false.");
    };
  }
}
