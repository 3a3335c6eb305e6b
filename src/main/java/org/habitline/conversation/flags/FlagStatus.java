package org.habitline.conversation.flags;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How far staff are with a flag. */
public enum FlagStatus {
  /** It is listed on Today. */
  OPEN,
  /** Somebody saw to it. */
  CLOSED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the status with this word, or empty if there is none. */
  public static Optional<FlagStatus> of(String word) {
    return Arrays.stream(values()).filter(it -> it.word().equals(word)).findFirst();
  }
}
