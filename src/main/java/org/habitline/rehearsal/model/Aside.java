package org.habitline.rehearsal.model;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Replies to remarks that interrupt the conversation, such as questions, before it continues where
 * it was.
 */
final class Aside {

  private static final Map<Meaning, String> ANSWERS = new EnumMap<>(Meaning.class);

  static {
    ANSWERS.put(Meaning.HEALTH, Lines.HEALTH);
    ANSWERS.put(Meaning.ABOUT, Lines.ABOUT);
    ANSWERS.put(Meaning.ABILITY, Lines.ABILITY);
    ANSWERS.put(Meaning.REMINDER, Lines.REMINDER);
    ANSWERS.put(Meaning.QUESTION, Lines.CANNOT_ANSWER);
    ANSWERS.put(Meaning.HELLO, Lines.HELLO);
    ANSWERS.put(Meaning.THANKS, Lines.WELCOME);
  }

  private Aside() {}

  /**
   * Returns the reply to the most important remark, in the order of {@link Meaning}, or empty if
   * there is none.
   */
  static Optional<String> of(Scene scene) {
    return of(scene.heard())
        .map(answer -> answer.equals(Lines.REMINDER) ? aboutReminders(scene) : answer);
  }

  private static String aboutReminders(Scene scene) {
    if (!scene.schedules()) {
      return Lines.REMINDER;
    }
    return scene.status().schedules().stream()
        .findFirst()
        .map(active -> Lines.REMINDS.formatted(Daily.time(active.local())))
        .orElse(Lines.CAN_REMIND);
  }

  private static Optional<String> of(Heard heard) {
    return ANSWERS.entrySet().stream()
        .filter(answer -> heard.means(answer.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** Returns whether a text leads away from the script's question. */
  static boolean leadsAway(Heard heard) {
    return heard.means(Meaning.TONE) || of(heard).isPresent();
  }

  static String join(String... parts) {
    return String.join(" ", Arrays.stream(parts).filter(part -> !part.isBlank()).toList());
  }
}
