package org.habitline.safety.incidents;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How an incident ended. */
public enum IncidentOutcome {
  /** Somebody spoke with the participant and found no concern. */
  NO_CONCERN_FOUND,
  /** The participant was referred to a clinician or a service. */
  REFERRED,
  /** Emergency services were involved. */
  EMERGENCY_SERVICES,
  /** The participant was not reached; a clinician decided. */
  NOT_REACHED,
  /** The participant was erased; nobody chose this. */
  ERASED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the outcome that a person may choose by this word, or empty if there is none. */
  public static Optional<IncidentOutcome> chosen(String word) {
    return Arrays.stream(values()).filter(it -> it != ERASED && it.word().equals(word)).findFirst();
  }
}
