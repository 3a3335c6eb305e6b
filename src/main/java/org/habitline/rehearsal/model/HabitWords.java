package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/** The small habits that the script recognizes, in the order in which it looks for them. */
enum HabitWords {
  WATER(
      "drinking water",
      "drinking a glass of water",
      false,
      "\\bdrink\\w* (?:some |more |a glass of )?water|\\bwater\\b|\\bhydrat"),
  STRETCHING("stretching", "stretching your arms and back", true, "\\bstretch"),
  BREATHING(
      "breathing",
      "breathing slowly in and out",
      true,
      "\\bbreath(?:e|ing)?\\b|\\bdeep breaths?\\b"),
  MEDITATION(
      "meditation", "sitting still and following your breath", true, "\\bmeditat|\\bmindful"),
  SQUATS("squats", "doing a few easy squats", true, "\\bsquats?\\b"),
  PUSH_UPS("push-ups", "doing a few push-ups against the wall", true, "\\bpush[- ]?ups?\\b"),
  YOGA("yoga", "holding one easy yoga pose", true, "\\byoga\\b"),
  DANCING("dancing", "dancing to a song you like", true, "\\bdanc(?:e|ing)\\b"),
  READING("reading", "reading a page of your book", true, "\\bread(?:ing)?\\b(?! your)"),
  TIDYING("tidying", "tidying one small corner", true, "\\btid(?:y|ying)\\b|\\bdeclutter"),
  JOURNALING(
      "journaling",
      "writing down one good thing of the day",
      true,
      "\\bjournal|\\bgratitude\\b|\\bdiary\\b"),
  WALKING(
      "walking",
      "taking about fifty steps, on the spot or around the room",
      false,
      "\\bwalk(?:s|ing)?\\b(?! (?:(?:the|my|our) dog|to|home|back|in)\\b)"
          + "|(?<!more )(?<!fewer )(?<!less )\\bsteps?\\b|\\bstroll|\\bon the spot\\b");

  private final String domain;
  private final String action;
  private final boolean timed;
  private final Pattern rule;

  HabitWords(String domain, String action, boolean timed, String regex) {
    this.domain = domain;
    this.action = action;
    this.timed = timed;
    this.rule = rule(regex);
  }

  /** Returns the kind of habit as it is saved. */
  String domain() {
    return domain;
  }

  /** Returns an action of about a minute, worded to follow "try". */
  String action(String intensity) {
    if (this == WALKING) {
      return switch (intensity) {
        case "low" -> "taking about twenty easy steps, on the spot or around the room";
        case "high" -> "taking about a hundred quick steps, on the spot or around the room";
        default -> action;
      };
    }
    return timed ? action + " for " + length(intensity) : action;
  }

  static Optional<HabitWords> in(String text) {
    return Arrays.stream(values()).filter(habit -> habit.rule.matcher(text).find()).findFirst();
  }

  private static String length(String intensity) {
    return switch (intensity) {
      case "low" -> "half a minute";
      case "high" -> "one full minute, with a little more effort";
      default -> "one minute";
    };
  }
}
