package org.habitline.ops.access;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a key is for: one of the roles, or reading metrics, which is no role and includes none. */
public enum KeyKind {
  RESEARCHER,
  STAFF,
  ADMIN,
  METRICS;

  /** What whoever shows such a key may do, as {@code @Secured} names it. */
  List<String> allows() {
    return Role.of(word()).map(Role::includes).orElseGet(() -> List.of(word()));
  }

  /** Whether somebody may sign in on the pages with it. */
  boolean opensPages() {
    return allows().contains(Role.STAFF.word());
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<KeyKind> of(String word) {
    return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
  }

  /** All of them, for a sentence. */
  static String words() {
    return Arrays.stream(values()).map(KeyKind::word).collect(Collectors.joining(", "));
  }
}
