package org.habitline.tools;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A tone that a participant may prefer, with the instruction it gives a model. */
enum ToneTag {
  CONCISE("Keep it short: one or two sentences."),
  DETAILED("Explain a little more than usual, with one concrete example."),
  FORMAL("Write formally: full sentences, no slang."),
  CASUAL("Write casually, as to a friend."),
  NO_EMOJIS("Use no emojis."),
  EMOJIS_OK("An emoji now and then is welcome."),
  BULLET_POINTS("Where there is more than one point, use a short list."),
  ONE_QUESTION_AT_A_TIME("Ask at most one question in a message."),
  WARM_SUPPORTIVE("Be warm and supportive."),
  NEUTRAL_PROFESSIONAL("Be neutral and professional."),
  DIRECT_COACH("Coach directly: say plainly what to do next."),
  GENTLE_COACH("Coach gently: suggest, do not push."),
  CONFIRM_BEFORE_ACTING("Ask before saving, scheduling or changing anything."),
  DEFAULT_ACTIONABLE("End with something that can be done right away."),
  HIGH_AUTONOMY("Offer choices and leave the decision to the participant.");

  /**
   * Pairs of which at most one is on. With equal scores the first stays, unless the second was on
   * already.
   */
  static final List<Pair> EXCLUSIVE =
      List.of(
          new Pair(CONCISE, DETAILED, false),
          new Pair(FORMAL, CASUAL, false),
          new Pair(DIRECT_COACH, GENTLE_COACH, false),
          new Pair(NO_EMOJIS, EMOJIS_OK, true));

  /** Two tags that contradict each other; with {@code firstAlways} the first wins at any score. */
  record Pair(ToneTag first, ToneTag second, boolean firstAlways) {}

  private final String instruction;

  ToneTag(String instruction) {
    this.instruction = instruction;
  }

  /** Returns the tag as models and stored profiles write it, in lower case. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  String instruction() {
    return instruction;
  }

  static Optional<ToneTag> of(String word) {
    return Arrays.stream(values()).filter(tag -> tag.word().equalsIgnoreCase(word)).findFirst();
  }

  static List<String> words() {
    return Arrays.stream(values()).map(ToneTag::word).toList();
  }
}
