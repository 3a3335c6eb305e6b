package org.habitline.study.fidelity;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What can differ from the plan of a study. */
public enum DeviationKind {
  /** A daily prompt was not sent. */
  PROMPT_MISSED("Daily prompt missed"),
  /** A daily prompt was sent later than planned. */
  PROMPT_LATE("Daily prompt late"),
  /** The reminder or the later question about the outcome was due and did not go out. */
  FOLLOW_UP_MISSED("Reminder or question missed"),
  /** A turn sent the flow's own text, or nothing, in place of the model's words. */
  FALLBACK("Fallback reply"),
  /** A text got no reply. */
  UNANSWERED_TEXT("Unanswered text"),
  /** Another model answered than the one that was asked. */
  MODEL_CHANGED("Other model"),
  /** A prompt file has another text than before. */
  PROMPT_FILE_CHANGED("Prompt file changed"),
  /** A participant has sent no text for some days. */
  SILENT_PARTICIPANT("Silent participant");

  private final String title;

  DeviationKind(String title) {
    this.title = title;
  }

  /** Returns the words for the pages. */
  public String title() {
    return title;
  }

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
