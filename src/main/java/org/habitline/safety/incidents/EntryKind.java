package org.habitline.safety.incidents;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What happened in an incident. */
public enum EntryKind {
  /** A text of the participant that a rule found. */
  TEXT,
  /** The coach flagged it, perhaps because of a text. */
  FLAG,
  /** A text of the participant that a second opinion found. */
  OPINION,
  /** A fixed text was planned. */
  SENT,
  /** No fixed text was planned: the participant opted out or has no number, or a fault. */
  NOT_SENT,
  /** Somebody took the incident on. */
  ACKNOWLEDGED,
  /** Somebody tried to reach the participant and did not. */
  ATTEMPT,
  /** Somebody was in contact with the participant. */
  CONTACT,
  /** A clinician decided. */
  DECISION,
  /** Somebody released the incident. */
  RELEASED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the kind of entry that a person may add by this word, or empty if there is none. */
  public static Optional<EntryKind> added(String word) {
    return Arrays.stream(values())
        .filter(it -> it == ATTEMPT || it.letsRelease())
        .filter(it -> it.word().equals(word))
        .findFirst();
  }

  /** Returns whether a crisis may be released after such an entry. */
  boolean letsRelease() {
    return this == CONTACT || this == DECISION;
  }
}
