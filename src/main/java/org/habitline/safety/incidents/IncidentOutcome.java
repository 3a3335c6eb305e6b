package org.habitline.safety.incidents;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.habitline.safety.rules.RiskKind;

/** How an incident ended. */
public enum IncidentOutcome {
  /** Somebody spoke with the participant and found no concern. */
  NO_CONCERN_FOUND,
  /** The participant was referred to a clinician or a service. */
  REFERRED,
  /** Emergency services were involved. */
  EMERGENCY_SERVICES,
  /** The participant was not reached; a clinician or the study team decided. */
  NOT_REACHED,
  /** The participant is old enough to take part. */
  AGE_CONFIRMED,
  /** The participant is too young and was withdrawn. */
  WITHDRAWN_UNDERAGE,
  /** A parent or guardian was contacted. */
  GUARDIAN_CONTACTED,
  /** The study team knows and decides what happens. */
  STUDY_TEAM_CONTACTED,
  /** The participant was erased; nobody chose this. */
  ERASED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the outcomes that a person may choose for an incident of this kind. */
  public static List<IncidentOutcome> choices(RiskKind kind) {
    return kind == RiskKind.UNDERAGE
        ? List.of(
            AGE_CONFIRMED,
            WITHDRAWN_UNDERAGE,
            GUARDIAN_CONTACTED,
            STUDY_TEAM_CONTACTED,
            NOT_REACHED)
        : List.of(NO_CONCERN_FOUND, REFERRED, EMERGENCY_SERVICES, NOT_REACHED);
  }

  /**
   * Returns the outcome that a person may choose by this word for an incident of this kind, or
   * empty if there is none.
   */
  public static Optional<IncidentOutcome> chosen(String word, RiskKind kind) {
    return choices(kind).stream().filter(it -> it.word().equals(word)).findFirst();
  }
}
