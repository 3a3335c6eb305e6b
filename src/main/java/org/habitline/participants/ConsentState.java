package org.habitline.participants;

import java.util.Locale;

/** How far a participant is with the study's question for consent. */
public enum ConsentState {
  /** Nothing was asked, and enrolment named no consent that was obtained elsewhere. */
  NOT_ASKED,
  /** They were asked how old they are. */
  AGE_ASKED,
  /** They were asked for consent. */
  ASKED,
  /** They said yes. */
  GIVEN,
  /** Consent was obtained elsewhere, as enrolment or a staff member recorded. */
  ELSEWHERE,
  /** They said no. */
  DECLINED,
  /** They are younger than the study allows. */
  NOT_ELIGIBLE,
  /** Their answers stayed unclear; a staff member must find out. */
  LEFT_TO_STAFF;

  /** Returns the lower-case word used in the database and the API. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether there is consent, to whichever version. */
  public boolean isConsent() {
    return this == GIVEN || this == ELSEWHERE;
  }
}
