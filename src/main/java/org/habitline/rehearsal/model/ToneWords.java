package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Tones that a participant may ask for, named like the profile's tone tags. */
enum ToneWords {
  CONCISE(
      "\\bshorter\\b|\\bkeep it (?:short|brief)\\b|\\btoo (?:long|wordy|much text)\\b"
          + "|\\bless text\\b|\\bconcise\\b"),
  DETAILED("\\bmore detail|\\blonger (?:texts?|answers?|messages?)\\b|\\bexplain more\\b"),
  FORMAL("\\bmore formal|\\bbe formal\\b|\\bless casual\\b"),
  CASUAL("\\bmore casual|\\bless formal\\b|\\binformal\\b|\\bbe casual\\b"),
  NO_EMOJIS(
      "\\b(?:no|without|stop (?:the|using)|fewer|skip the"
          + "|don'?t use) (?:more )?(?:emojis?|smileys?)\\b"),
  EMOJIS_OK(
      "\\b(?:use|more|add|with|like|love|some) (?:emojis?|smileys?)\\b"
          + "|\\bemojis? (?:are|is) (?:ok|fine|good|great)\\b"),
  BULLET_POINTS("\\bbullet ?points?\\b|\\bas a list\\b"),
  ONE_QUESTION_AT_A_TIME("\\bone (?:question|thing) at a time\\b|\\btoo many questions\\b"),
  WARM_SUPPORTIVE("\\b(?:be |more )(?:warm|warmer|kinder|nicer|supportive|friendlier)\\b"),
  NEUTRAL_PROFESSIONAL("\\b(?:be |more )(?:neutral|professional)\\b"),
  DIRECT_COACH("\\b(?:be |more )direct\\b|\\bget to the point\\b|\\bjust tell me what to do\\b"),
  GENTLE_COACH("\\b(?:be |more )(?:gentle|gentler)\\b|\\bdon'?t push me\\b|\\bless pushy\\b"),
  CONFIRM_BEFORE_ACTING("\\bask (?:me )?before\\b|\\bask (?:me )?first\\b"),
  HIGH_AUTONOMY("\\blet me (?:decide|choose)\\b|\\bgive me choices\\b");

  private final Pattern rule;

  ToneWords(String regex) {
    this.rule = rule(regex);
  }

  static List<String> in(String text) {
    return Arrays.stream(values())
        .filter(tone -> tone.rule.matcher(text).find())
        .map(tone -> tone.name().toLowerCase(Locale.ROOT))
        .toList();
  }
}
