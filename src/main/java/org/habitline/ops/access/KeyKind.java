package org.habitline.ops.access;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The kind of a key: one of the roles, or metrics, which is no role and includes none. */
public enum KeyKind {
  VIEWER,
  /** A researcher's key that is limited to de-identified data. */
  DEIDENTIFIED,
  RESEARCHER,
  STAFF,
  SAFETY,
  ADMIN,
  METRICS;

  /** Returns the roles that such a key grants, as {@code @Secured} names them. */
  List<String> allows() {
    return Role.of(word()).map(Role::includes).orElseGet(() -> List.of(word()));
  }

  /** Returns whether such a key can be used to sign in to the pages. */
  boolean opensPages() {
    return allows().contains(Role.STAFF.word());
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the role that people choose for such a key; the limit is asked for beside it. */
  String role() {
    return (this == DEIDENTIFIED ? RESEARCHER : this).word();
  }

  static Optional<KeyKind> of(String word) {
    return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
  }

  /**
   * Returns the kind of a new key, or empty if there is no such role, or if the limit to
   * de-identified data is asked for another role than researcher.
   */
  static Optional<KeyKind> asked(String role, boolean deidentified) {
    return of(role)
        .filter(kind -> kind != DEIDENTIFIED)
        .filter(kind -> !deidentified || kind == RESEARCHER)
        .map(kind -> deidentified ? DEIDENTIFIED : kind);
  }

  /** Returns all roles that can be chosen, separated by commas, for a message. */
  static String words() {
    return Arrays.stream(values()).map(KeyKind::role).distinct().collect(Collectors.joining(", "));
  }
}
