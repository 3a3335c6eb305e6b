package org.habitline.staff.bulk;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What is done for many participants. */
enum BulkKind {
  /** Sets their status to paused. */
  PAUSE("Pause", "Pause"),
  /** Makes them active again. */
  RESUME("Resume", "Resume"),
  /** Sends the same message of a staff member to each of them. */
  MESSAGE("Message", "Send a message to"),
  /** Adds the same tag to each of them. */
  TAG("Add a tag", "Add a tag to"),
  /** Removes a tag from each of them. */
  UNTAG("Remove a tag", "Remove a tag from");

  private final String title;
  private final String verb;

  BulkKind(String title, String verb) {
    this.title = title;
    this.verb = verb;
  }

  /** Returns the name for the pages. */
  String title() {
    return title;
  }

  /** Returns the words that stand before the number of participants in a heading. */
  String verb() {
    return verb;
  }

  /** Returns whether it adds or removes a tag. */
  boolean isTagging() {
    return this == TAG || this == UNTAG;
  }

  /** Returns the name in the database and the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<BulkKind> of(String word) {
    return Arrays.stream(values()).filter(it -> it.word().equals(word)).findFirst();
  }
}
