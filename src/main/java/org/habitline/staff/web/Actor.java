package org.habitline.staff.web;

import io.micronaut.security.authentication.Authentication;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The key or session that makes a request, for the audit log.
 *
 * @param name the name of the key or the session
 * @param role the highest role that may change anything, or {@code none}
 */
public record Actor(String name, String role) {

  private static final List<String> HIGHEST_FIRST =
      List.of("admin", "safety", "staff", "researcher", "viewer", "deidentified");

  public static Actor of(Authentication by) {
    var roles = by.getRoles();
    // An account may have safety beside a lower role: it is not staff by that.
    var role =
        HIGHEST_FIRST.stream()
            .filter(roles::contains)
            .filter(it -> !it.equals("safety") || roles.contains("staff"))
            .findFirst()
            .orElse("none");
    return new Actor(by.getName(), role);
  }

  /** Returns whether the caller may see whole phone numbers. */
  public static boolean seesNumbers(Authentication by) {
    return by.getRoles().contains("researcher");
  }

  /** Returns whether the caller may see no names, phone numbers or texts. */
  public static boolean seesDeidentifiedOnly(Authentication by) {
    return !by.getRoles().contains("researcher");
  }

  /** Returns whether the caller may read safety incidents and their words. */
  public static boolean seesIncidents(@Nullable Authentication by) {
    return by != null && by.getRoles().contains("safety");
  }

  /** Returns whether this is the lowest role that may change anything. */
  public boolean isResearcher() {
    return role.equals("researcher");
  }
}
