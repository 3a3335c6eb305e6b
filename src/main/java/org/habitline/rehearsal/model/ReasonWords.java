package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reasons for a habit that the script recognizes. */
enum ReasonWords {
  ENERGY(
      "more energy",
      "get more energy",
      "\\benerg|\\bless tired\\b|\\bwake me up\\b|\\bmore awake\\b"),
  CONTROL("more control", "feel more in control", "\\bcontrol\\b"),
  WIN("a small win", "start with a small win", "\\bwins?\\b|\\baccomplish|\\bachieve|\\bproud\\b"),
  CALM("less stress", "feel calmer", "\\bstress|\\bcalm|\\brelax|\\bunwind\\b"),
  FOCUS(
      "better focus",
      "focus better",
      "\\bfocus|\\bconcentrat|\\bclear(?:s|er)? (?:my )?(?:head|mind)\\b"),
  SLEEP("better sleep", "sleep better", "\\bsleep (?:better|well)\\b|\\bbetter sleep\\b"),
  MOOD(
      "a better mood",
      "feel better",
      "\\bmood\\b|\\bhapp(?:y|ier)\\b|\\bfeel(?:ing)? (?:better|good|great)\\b"),
  HEALTH(
      "better health",
      "look after your health",
      "\\bhealth|\\bfit(?:ter)?\\b|\\bin shape\\b|\\bstronger\\b");

  private final String frame;
  private final String benefit;
  private final Pattern rule;

  ReasonWords(String frame, String benefit, String regex) {
    this.frame = frame;
    this.benefit = benefit;
    this.rule = rule(regex);
  }

  /** Returns the reason in short, as it is saved when the text also says other things. */
  String frame() {
    return frame;
  }

  /** Returns the reason as a verb, to follow "it helps you". */
  String benefit() {
    return benefit;
  }

  static Optional<ReasonWords> in(String text) {
    return Arrays.stream(values()).filter(reason -> reason.rule.matcher(text).find()).findFirst();
  }
}
