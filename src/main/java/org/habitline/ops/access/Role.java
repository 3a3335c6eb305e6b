package org.habitline.ops.access;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a key may do. Each role includes the ones before it. */
public enum Role {
  RESEARCHER,
  STAFF,
  ADMIN;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Role> of(String word) {
    return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
  }

  /** The highest of these roles, or empty if they hold none of ours. */
  public static Optional<Role> highest(Collection<String> words) {
    return words.stream().flatMap(word -> of(word).stream()).max(Comparator.naturalOrder());
  }

  /** This role and all it includes. */
  List<String> includes() {
    return Arrays.stream(values())
        .filter(role -> role.compareTo(this) <= 0)
        .map(Role::word)
        .toList();
  }
}
