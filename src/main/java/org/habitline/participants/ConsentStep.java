package org.habitline.participants;

import java.util.Locale;

/** What happened on the way to consent. */
public enum ConsentStep {
  /** The participant was asked how old they are. */
  AGE_ASKED,
  /** They said that they are old enough. */
  OLD_ENOUGH,
  /** They said that they are too young. */
  TOO_YOUNG,
  /** They were asked for consent. */
  ASKED,
  YES,
  NO,
  /** An answer could not be understood. */
  UNCLEAR,
  /** Too many answers could not be understood. */
  LEFT_TO_STAFF,
  /** Consent was obtained elsewhere. */
  ELSEWHERE;

  /** Returns the lower-case word used in the database and the export. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
