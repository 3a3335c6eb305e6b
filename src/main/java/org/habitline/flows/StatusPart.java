package org.habitline.flows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A line of the participant's status that a module's model is shown. */
public enum StatusPart {
  /** The participant's own id, for tools that ask for it. */
  PARTICIPANT_ID,

  /** The module that replies. */
  MODULE,

  /** The participant's local time and time zone. */
  LOCAL_TIME,

  /** When the participant and the coach last wrote. */
  LAST_MESSAGES,

  /** The values of the module's fields, and of the fields of no module. */
  PROFILE,

  /** The required fields of the module that have no value yet. */
  MISSING,

  /** The fields that a habit prompt needs and that have no value yet. */
  MISSING_FOR_PROMPT,

  /** What other modules collected, by module, and when they handed over. */
  EARLIER_MODULES,

  SCHEDULES,

  LAST_HABIT_PROMPT,

  DAILY_PROMPT;

  /** Returns the name in a flow file, such as {@code local_time}. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<StatusPart> of(String word) {
    return Arrays.stream(values()).filter(part -> part.word().equals(word)).findFirst();
  }

  static List<String> words() {
    return Arrays.stream(values()).map(StatusPart::word).toList();
  }

  /** Returns the parts that a module is shown if the flow does not say. */
  static List<StatusPart> usual(
      boolean writesPrompts, boolean sendsPrompts, boolean modulesOwn, boolean required) {
    var parts = new ArrayList<>(List.of(MODULE, LOCAL_TIME, LAST_MESSAGES, PROFILE));
    if (writesPrompts) {
      parts.add(MISSING_FOR_PROMPT);
    }
    if (required || !writesPrompts) {
      parts.add(MISSING);
    }
    if (modulesOwn) {
      parts.add(EARLIER_MODULES);
    }
    if (sendsPrompts) {
      parts.add(SCHEDULES);
    }
    if (writesPrompts) {
      parts.add(LAST_HABIT_PROMPT);
    }
    if (sendsPrompts) {
      parts.add(DAILY_PROMPT);
    }
    return List.copyOf(parts);
  }
}
