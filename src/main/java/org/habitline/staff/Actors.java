package org.habitline.staff;

import io.micronaut.security.authentication.Authentication;
import java.util.List;

/** Who acts, for the audit log. */
final class Actors {

  private static final List<String> HIGHEST_FIRST = List.of("admin", "staff", "researcher");

  private Actors() {}

  static EnrolmentDesk.Actor of(Authentication by) {
    var role = HIGHEST_FIRST.stream().filter(by.getRoles()::contains).findFirst().orElse("none");
    return new EnrolmentDesk.Actor(by.getName(), role);
  }
}
