package org.habitline.staff.participant;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What an entry of a participant's timeline is about. */
public enum TimelineKind {
  ENROLMENT("Enrolment"),
  CONSENT("Consent"),
  /** Opt-outs, and opt-ins after one. */
  OPT_OUT("Opt-out"),
  /** Status, study id and fields, language, time zone and phone number. */
  SETTINGS("Details and status"),
  /** Moves to another module or flow. */
  MODULE("Module and flow"),
  PROFILE("Profile"),
  SCHEDULE("Daily prompt times"),
  /** Daily prompts and what came of them. */
  PROMPT("Daily prompts"),
  REMINDER("Reminders and nudges"),
  /** Turns without a usable reply, and messages that did not arrive. */
  FAILURE("Failures"),
  TAKEOVER("Takeover"),
  /** Only for readers with the role safety. */
  INCIDENT("Safety incidents"),
  CONFIGURATION("Configuration"),
  /** Only for readers with the role researcher or a higher one. */
  NOTE("Notes"),
  /** Everything else that staff did. */
  STAFF("Other actions of staff");

  private final String title;

  TimelineKind(String title) {
    this.title = title;
  }

  /** Returns the kind as a page names it. */
  public String title() {
    return title;
  }

  /** Returns the word used over the API. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the kind of a word, or empty. */
  static Optional<TimelineKind> of(String word) {
    return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
  }
}
