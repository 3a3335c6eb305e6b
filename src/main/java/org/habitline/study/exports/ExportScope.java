package org.habitline.study.exports;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How much an export of the study tells about people; each scope includes the ones before it. */
public enum ExportScope {
  /** Pseudonyms, study days and local minutes; no words, no dates, no ids of providers. */
  DEIDENTIFIED,
  /** Also the words of messages, with numbers, addresses, links and known names masked. */
  TEXTS,
  /** Everything, also names, dates, and phone numbers in a file of their own. */
  IDENTIFIED;

  /** Returns the word used in the database, the API and the command, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the scope with this word, or empty if there is none. */
  public static Optional<ExportScope> of(String word) {
    return Arrays.stream(values()).filter(scope -> scope.word().equals(word)).findFirst();
  }

  boolean includes(ExportScope other) {
    return compareTo(other) >= 0;
  }
}
