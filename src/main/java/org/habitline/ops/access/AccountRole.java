package org.habitline.ops.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The role of an account; {@code safety} is granted beside it. */
public enum AccountRole {
  /** A researcher who sees no names, phone numbers or texts. */
  DEIDENTIFIED("de-identified researcher", "figures and de-identified exports only"),
  VIEWER("viewer", "sees the pages with masked phone numbers, changes nothing"),
  RESEARCHER("researcher", "enrols and imports participants, edits their details, exports data"),
  STAFF(
      "staff",
      "everything a researcher can, and messages participants, takes over, changes status, erases"),
  ADMIN("admin", "everything staff can, and manages people, keys, backups and the audit log");

  private final String title;
  private final String may;

  AccountRole(String title, String may) {
    this.title = title;
    this.may = may;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the name of the role as pages show it. */
  public String title() {
    return title;
  }

  /** Returns what the role may do, for the choice of a role. */
  public String may() {
    return may;
  }

  KeyKind kind() {
    return KeyKind.valueOf(name());
  }

  static Optional<AccountRole> of(String word) {
    return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
  }

  /** Returns all roles, separated by commas, for a message. */
  static String words() {
    return Arrays.stream(values()).map(AccountRole::word).collect(Collectors.joining(", "));
  }
}
