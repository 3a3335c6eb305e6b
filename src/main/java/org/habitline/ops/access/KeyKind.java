package org.habitline.ops.access;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The kind of a key: one of the roles, or metrics, which is no role and includes none. */
public enum KeyKind {
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

  static Optional<KeyKind> of(String word) {
    return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
  }

  /** Returns all kinds, separated by commas, for a message. */
  static String words() {
    return Arrays.stream(values()).map(KeyKind::word).collect(Collectors.joining(", "));
  }
}
