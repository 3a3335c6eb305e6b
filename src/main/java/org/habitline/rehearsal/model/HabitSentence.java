package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.habitline.Patterns;

/** Writes the one-sentence habit prompt from the profile. */
final class HabitSentence {

  private static final int PART_AT_MOST = 120;

  /** Moment, action and reason; more than a writer is shown of the last daily prompts. */
  private static final List<String> WORDINGS =
      List.of(
          "%s, try %s — it helps you %s.",
          "%s, here is one minute for you: %s. It helps you %s.",
          "%s, your one minute is %s — it helps you %s.",
          "%s, how does this sound: %s? It helps you %s.",
          "%s, pause for %s. It helps you %s.",
          "%s, make room for %s — it helps you %s.");

  private static final Pattern NEITHER_LETTERS_NOR_DIGITS = Pattern.compile("[^\\p{L}\\p{N}]+");
  private static final Pattern BEGINS_AS_A_MOMENT =
      rule(
          "^(?:(?:right|just|directly|straight|shortly) )?(?:after|before|while|when"
              + "|whenever|during|once|as|at|in|on|with|over|between|around|until|every|each"
              + "|first thing|upon)\\b");
  private static final Pattern OPENING_OF_A_REASON =
      rule(
          "^(?:(?:i (?:want|need|would like|'d like)|i'd like|because|so that|so|it(?:'s"
              + "| is)|it (?:helps|makes|gives)|it would(?: help)?|helps?|to|for|me|i)\\b\\s*)+");

  private HabitSentence() {}

  /**
   * Returns the sentence in the first wording that was not used lately.
   *
   * @param shown what the request says about the last daily prompts, among other things
   */
  static String of(Status status, String shown) {
    var profile = status.profile();
    var moment = moment(profile.getOrDefault(Field.MOMENT, ""));
    var habit = profile.getOrDefault(Field.HABIT, "");
    var reason = profile.getOrDefault(Field.REASON, "");
    var action = action(habit, status.intensity());
    var benefit = benefit(reason);
    var lately = bare(shown);
    return WORDINGS.stream()
        .map(wording -> wording.formatted(moment, action, benefit))
        .filter(sentence -> !lately.contains(bare(sentence)))
        .findFirst()
        .orElseGet(() -> WORDINGS.getFirst().formatted(moment, action, benefit));
  }

  private static String bare(String text) {
    return NEITHER_LETTERS_NOR_DIGITS.matcher(text).replaceAll("").toLowerCase(Locale.ROOT);
  }

  private static String moment(String told) {
    var moment = part(told);
    if (moment.isEmpty()) {
      return "When your phone buzzes";
    }
    if (BEGINS_AS_A_MOMENT.matcher(moment).find()) {
      var first = moment.offsetByCodePoints(0, 1);
      return moment.substring(0, first).toUpperCase(Locale.ROOT) + moment.substring(first);
    }
    return "After " + moment;
  }

  private static String action(String habit, String intensity) {
    if (habit.isBlank()) {
      return HabitWords.WALKING.action(intensity);
    }
    return HabitWords.in(habit)
        .map(known -> known.action(intensity))
        .orElseGet(() -> "one minute of " + part(habit));
  }

  private static String benefit(String told) {
    if (told.isBlank()) {
      return ReasonWords.WIN.benefit();
    }
    return ReasonWords.in(told)
        .map(ReasonWords::benefit)
        .orElseGet(() ->
            "with what matters to you: "
                + part(OPENING_OF_A_REASON.matcher(told).replaceFirst("")));
  }

  /** Returns a participant's words as a part of the sentence, turned from "I" to "you". */
  private static String part(String told) {
    return Clause.cut(Patterns.foldBlanks(told).replace('\n', ' '), PART_AT_MOST)
        .replaceAll("[\\s.,;:!?—–-]+$", "")
        .replaceAll("(?i)\\bI'm\\b|\\bI am\\b", "you're")
        .replaceAll("(?i)\\bI've\\b", "you've")
        .replaceAll("(?i)\\bI'll\\b", "you'll")
        .replaceAll("(?i)\\bI'd\\b", "you'd")
        .replaceAll("(?i)\\bmyself\\b", "yourself")
        .replaceAll("(?i)\\bmy\\b", "your")
        .replaceAll("(?i)\\bmine\\b", "yours")
        .replaceAll("(?i)\\bme\\b", "you")
        .replaceAll("(?i)(?<![\\w'])I(?![\\w'])", "you")
        .strip();
  }
}
