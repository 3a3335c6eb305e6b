package org.habitline.llm.rehearsal;

import java.util.Map;

/** Writes the habit prompt from a profile, in the form the generator's prompt file asks for. */
final class Sentence {

  private static final Map<String, String> ACTIONS =
      Map.of(
          "walking", "walking about fifty steps, on the spot or around",
          "stretching", "one slow stretch from head to toe",
          "breathing", "six slow breaths, longer out than in",
          "drinking water", "a glass of water, sip by sip, on your feet",
          "strength", "five slow squats",
          "reading", "reading one page",
          "writing", "writing down one good thing",
          "tidying", "putting five things back where they belong");

  private static final String USUAL_ACTION = "taking about fifty steps, on the spot or around";

  private Sentence() {}

  static String from(Map<String, String> profile) {
    return moment(profile.getOrDefault("prompt_anchor", "when your phone buzzes"))
        + ", try "
        + ACTIONS.getOrDefault(profile.getOrDefault("habit_domain", ""), USUAL_ACTION)
        + " — it helps you "
        + reason(profile.getOrDefault("motivational_frame", "a small win"))
        + ".";
  }

  private static String moment(String anchor) {
    var said = Heard.toYou(anchor.strip());
    var natural =
        said.matches("(?i)(?:after|before|while|when|whenever|during|as soon as|once)\\b.*");
    return Heard.capitalised(natural ? said : "Before or after " + said);
  }

  private static String reason(String frame) {
    var said = Heard.toYou(frame.strip());
    if (said.matches("(?i)(?:feel|get|have|be|stay|find|keep|sleep)\\b.*")) {
      return said;
    }
    return said.matches("(?i)you\\b.*") ? "remember why: " + said : "get " + said;
  }
}
