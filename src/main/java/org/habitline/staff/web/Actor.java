package org.habitline.staff.web;

import io.micronaut.security.authentication.Authentication;
import java.util.List;

/**
 * Who acts, for the audit log.
 *
 * @param name the name of the key or the session
 * @param role the highest role of those who may change anything, or {@code none}
 */
public record Actor(String name, String role) {

  private static final List<String> HIGHEST_FIRST = List.of("admin", "staff", "researcher");

  public static Actor of(Authentication by) {
    var role = HIGHEST_FIRST.stream().filter(by.getRoles()::contains).findFirst().orElse("none");
    return new Actor(by.getName(), role);
  }

  /** Returns whether this is the least role that may change anything. */
  public boolean isResearcher() {
    return role.equals("researcher");
  }
}
