package org.habitline.ops.access;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The role of a key or session; each one includes the roles before it, but for the first two. */
public enum Role {
  /** Sees the pages with masked phone numbers and changes nothing. */
  VIEWER,
  /** A researcher who sees no names, phone numbers or texts: figures and de-identified exports. */
  DEIDENTIFIED,
  RESEARCHER,
  STAFF,
  SAFETY,
  ADMIN;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Role> of(String word) {
    return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
  }

  /** Returns the highest of these roles, or empty if none is known. */
  public static Optional<Role> highest(Collection<String> words) {
    return words.stream().flatMap(word -> of(word).stream()).max(Comparator.naturalOrder());
  }

  /** Returns this role and the ones it includes. */
  List<String> includes() {
    if (this == DEIDENTIFIED) {
      return List.of(word());
    }
    return Arrays.stream(values())
        .filter(role -> role.compareTo(this) <= 0)
        .map(Role::word)
        .toList();
  }
}
