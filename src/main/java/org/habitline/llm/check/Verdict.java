package org.habitline.llm.check;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How an exchange with a model went. */
public enum Verdict {
  WORKS("works"),

  /** It works because Habitline changed the request, or read the reply leniently. */
  ADAPTED("works, adapted"),

  DOES_NOT_WORK("does not work");

  private final String words;

  Verdict(String words) {
    this.words = words;
  }

  /** Returns the verdict in the words of the printed report. */
  public String words() {
    return words;
  }

  /** Returns the verdict in the JSON report. */
  @JsonValue
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }
}
