package org.habitline.llm.rehearsal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to do next from what is seen, and from nothing else: asked the same again, it does
 * the same again, and a restart changes nothing. Calls come one at a time, in the order save,
 * generate, transition; whatever is said at the end takes their results into account.
 */
final class Script {

  private static final String SAVE = "save_user_profile";
  private static final String GENERATE = "generate_habit_prompt";
  private static final String TRANSITION = "transition_state";
  private static final String JOINED = "<the participant has just joined";

  static final String REHEARSAL = "(This is a rehearsal: a built-in script answers, no AI model.)";

  private static final List<String> NUDGES =
      List.of(
          "When your phone buzzes, take about fifty steps on the spot.",
          "When your phone buzzes, walk about fifty steps around the room.");

  private static final String NOT_SAVED =
      "Sorry, I could not note that just now. Could you tell me again, perhaps in other words?";
  private static final String NOT_WRITTEN =
      "Sorry, I could not write your prompt just now. Ask me for a new prompt in a little while.";

  private final Seen seen;
  private final Heard heard;
  private final Optional<Question> asked;
  private final Map<String, String> profile;

  private Script(Seen seen) {
    this.seen = seen;
    this.heard = Heard.in(seen.news());
    this.asked = Question.in(seen.lastSaid());
    this.profile = new TreeMap<>(seen.profile());
  }

  static Act next(Seen seen) {
    if (seen.asksForAPrompt()) {
      return new Act.Say(Sentence.from(seen.profile()));
    }
    return new Script(seen).next();
  }

  private Act next() {
    if (seen.news().stream().anyMatch(text -> text.startsWith(JOINED))) {
      return new Act.Say(greeting());
    }
    if (heard.says(Phrases.CRISIS)) {
      return new Act.Say(seen.resources());
    }
    if (heard.says(Phrases.MEDICAL)) {
      return new Act.Say(
          "I can't give medical advice; please ask a doctor or another professional you trust."
              + asked.map(question -> " " + question.words()).orElse(""));
    }
    if (heard.says(Phrases.WHO) && heard.facts().isEmpty()) {
      return new Act.Say(
          "I'm the coach of a habit line, played by a script in this rehearsal. "
              + asked.orElse(firstQuestion()).words());
    }
    return carryOut(
        switch (seen.module()) {
          case "INTAKE" -> intake();
          case "FEEDBACK" -> feedback();
          default ->
              Plan.say(
                  "This is a rehearsal, and its script knows only the intake and feedback of the habit flow.");
        });
  }

  private Question firstQuestion() {
    return seen.module().equals("FEEDBACK") ? Question.DID_IT : Question.NOW_OR_PERSONAL;
  }

  /**
   * One of the two examples; which one depends on the participant's own data and stays the same.
   */
  private String greeting() {
    var nudge = NUDGES.get(Math.floorMod(seen.status().hashCode(), NUDGES.size()));
    return "Hello and welcome! "
        + REHEARSAL
        + " I help you build a one-minute habit. A nudge could be: \""
        + nudge
        + "\" "
        + Question.NOW_OR_PERSONAL.words();
  }

  /** What a turn wants: facts to save, a prompt, a move, and what to say then. */
  private record Plan(
      Map<String, Object> save, boolean generate, Optional<String> moveTo, String text) {

    static Plan say(String text) {
      return new Plan(Map.of(), false, Optional.empty(), text);
    }

    Plan saving(Map<String, ?> facts) {
      var all = new LinkedHashMap<String, Object>(save);
      all.putAll(facts);
      return new Plan(all, generate, moveTo, text);
    }

    Plan generating() {
      return new Plan(save, true, moveTo, text);
    }

    Plan movingTo(String state) {
      return new Plan(save, generate, Optional.of(state), text);
    }
  }

  private Act carryOut(Plan plan) {
    var save = plan.saving(tone()).save();
    if (!save.isEmpty() && seen.offers(SAVE) && !seen.called(SAVE)) {
      return new Act.Call(SAVE, save);
    }
    if (seen.failed(SAVE) || (!save.isEmpty() && !seen.called(SAVE))) {
      return new Act.Say(NOT_SAVED);
    }
    if (plan.generate() && seen.offers(GENERATE) && !seen.called(GENERATE)) {
      return new Act.Call(GENERATE, Map.of("delivery_mode", "immediate"));
    }
    if (plan.generate() && (seen.failed(GENERATE) || !seen.called(GENERATE))) {
      return new Act.Say(NOT_WRITTEN);
    }
    if (plan.moveTo().isPresent() && seen.offers(TRANSITION) && !seen.called(TRANSITION)) {
      return new Act.Call(
          TRANSITION,
          Map.of("target_state", plan.moveTo().get(), "reason", "the script goes on there"));
    }
    return new Act.Say(plan.generate() ? written() : plan.text());
  }

  /** The generated prompt, verbatim, is the whole reply. */
  private String written() {
    var result = seen.results().get(GENERATE);
    return result == null ? NOT_WRITTEN : result.path("prompt").asText(NOT_WRITTEN);
  }

  private Map<String, Object> tone() {
    var tags = new ArrayList<String>();
    if (heard.says(Phrases.SHORTER)) {
      tags.add("concise");
    }
    if (heard.says(Phrases.NO_EMOJIS)) {
      tags.add("no_emojis");
    }
    if (heard.says(Phrases.FORMAL)) {
      tags.add("formal");
    } else if (heard.says(Phrases.CASUAL)) {
      tags.add("casual");
    }
    return tags.isEmpty() ? Map.of() : Map.of("tone_tags", tags, "tone_update_source", "explicit");
  }

  private Plan intake() {
    var facts = new LinkedHashMap<String, String>(heard.facts());
    if (facts.isEmpty() && asked.equals(Optional.of(Question.NOW_OR_PERSONAL))) {
      return nowOrPersonal();
    }
    if (asked.equals(Optional.of(Question.TRY_NOW)) && facts.isEmpty() && !heard.isVague()) {
      return heard.says(Phrases.NO) ? notNow() : tryNow();
    }
    asked.flatMap(this::field).ifPresent(field -> answer(field, facts));
    profile.putAll(facts);
    if (facts.isEmpty() && (heard.isVague() || asked.isEmpty()) && !askedTwice()) {
      return Plan.say(asked.map(Question::again).orElse(nextQuestion()));
    }
    if (asked.equals(Optional.of(Question.NOW_OR_PERSONAL))
        && heard.says(Phrases.NOW)
        && !heard.says(Phrases.PERSONAL)) {
      return startNow().saving(facts);
    }
    return Plan.say(lead(facts) + nextQuestion()).saving(facts);
  }

  private boolean askedTwice() {
    return Question.wasAskedAgain(seen.lastSaid());
  }

  private Plan nowOrPersonal() {
    if (heard.says(Phrases.PERSONAL) || heard.says(Phrases.NO)) {
      return Plan.say("Lovely, let's make it yours. " + nextQuestion());
    }
    if (heard.says(Phrases.NOW) || heard.says(Phrases.YES)) {
      return startNow();
    }
    return askedTwice()
        ? Plan.say("Let's simply begin. " + nextQuestion())
        : Plan.say(Question.NOW_OR_PERSONAL.again());
  }

  private static Plan startNow() {
    return Plan.say(
            "Great! Take about fifty steps right now, on the spot or around. Text me how it went!")
        .movingTo("FEEDBACK");
  }

  private static Plan tryNow() {
    return Plan.say("").generating().movingTo("FEEDBACK");
  }

  private static Plan notNow() {
    return Plan.say(
            "All right, whenever the moment comes. Text me when you have tried it, I'd love to hear how it went.")
        .movingTo("FEEDBACK");
  }

  private Optional<String> field(Question question) {
    return switch (question) {
      case ANCHOR -> Optional.of("prompt_anchor");
      case FRAME -> Optional.of("motivational_frame");
      case TIME -> Optional.of("preferred_time");
      case INFO -> Optional.of("additional_info");
      default -> Optional.empty();
    };
  }

  /**
   * Takes the whole text as the answer to what was asked, or, after a second vague one, something
   * usual.
   */
  private void answer(String field, Map<String, String> facts) {
    if (facts.containsKey(field)) {
      return;
    }
    var nothingToAdd =
        field.equals("additional_info")
            && (heard.says(Phrases.NO) || heard.says(Phrases.NOTHING) || heard.isVague());
    if (nothingToAdd || (!facts.isEmpty() && !field.equals("additional_info"))) {
      return;
    }
    if (!heard.isVague()) {
      facts.put(field, heard.asAnswer());
    } else if (askedTwice()) {
      facts.put(field, usual(field));
    }
  }

  private static String usual(String field) {
    return switch (field) {
      case "prompt_anchor" -> "when the phone buzzes";
      case "motivational_frame" -> "a small win";
      default -> "any time of day";
    };
  }

  /** The first question whose answer is not known, taking what was just said as known. */
  private String nextQuestion() {
    if (!profile.containsKey("prompt_anchor")) {
      return Question.ANCHOR.words();
    }
    if (!profile.containsKey("motivational_frame")) {
      return Question.FRAME.words();
    }
    if (!profile.containsKey("preferred_time")) {
      return Question.TIME.words();
    }
    if (!profile.containsKey("additional_info") && !seen.wasAsked(Question.INFO)) {
      return Question.INFO.words();
    }
    return Question.TRY_NOW.words();
  }

  /** Says what was noted; it is spoken only after the tool said that it was. */
  private static String lead(Map<String, String> facts) {
    if (facts.isEmpty()) {
      return "";
    }
    if (facts.size() == 1 && facts.containsKey("preferred_time")) {
      return "Noted: " + Heard.toYou(String.valueOf(facts.get("preferred_time"))) + ". ";
    }
    if (facts.containsKey("prompt_anchor")) {
      return "Noted: " + Heard.toYou(String.valueOf(facts.get("prompt_anchor"))) + ". ";
    }
    return "Got it. ";
  }

  private Plan feedback() {
    if (heard.says(Phrases.NEW_PROMPT)
        || (asked.equals(Optional.of(Question.NEW_PROMPT)) && heard.says(Phrases.YES))) {
      return newPrompt();
    }
    var facts = new LinkedHashMap<String, Object>(heard.facts());
    intensity().ifPresent(level -> facts.put("intensity", level));
    if (asked.isEmpty() || asked.get() == Question.DID_IT) {
      return didIt(facts);
    }
    if (heard.isVague() && !askedTwice()) {
      return Plan.say(asked.get().again());
    }
    return switch (asked.get()) {
      case WHAT_WORKED ->
          learn(Map.of("last_motivator", heard.asAnswer(), "last_successful_prompt", lastPrompt()));
      case BARRIER ->
          Plan.say(Question.EASIER.words()).saving(Map.of("last_barrier", heard.asAnswer()));
      case EASIER ->
          learn(Map.of("last_barrier", join(profile.get("last_barrier"), heard.asAnswer())));
      case CHANGE -> change(facts);
      default -> close();
    };
  }

  private Plan learn(Map<String, String> learned) {
    return Plan.say("Good to know, thank you. " + Question.CHANGE.words()).saving(learned);
  }

  private static String join(@Nullable String before, String more) {
    return before == null ? more : before + "; " + more;
  }

  private String lastPrompt() {
    return seen.lastHabitPrompt().isEmpty() ? "about fifty steps" : seen.lastHabitPrompt();
  }

  private Plan didIt(Map<String, Object> facts) {
    if (heard.says(Phrases.NOT_DONE) || (asked.isPresent() && heard.says(Phrases.NO))) {
      return Plan.say(Question.BARRIER.words());
    }
    if (heard.says(Phrases.DONE) || (asked.isPresent() && heard.says(Phrases.YES))) {
      return Plan.say("Well done! " + Question.WHAT_WORKED.words());
    }
    if (!facts.isEmpty()) {
      return change(facts);
    }
    if (heard.says(Phrases.NOTHING) || heard.says(Phrases.THANKS)) {
      return close();
    }
    return Plan.say(asked.isPresent() ? Question.DID_IT.again() : Question.DID_IT.words());
  }

  private Optional<String> intensity() {
    if (heard.says(Phrases.HARDER)) {
      return Optional.of("high");
    }
    return heard.says(Phrases.EASIER) ? Optional.of("low") : Optional.empty();
  }

  private Plan change(Map<String, Object> facts) {
    if (!facts.isEmpty()) {
      return Plan.say("I have noted the change. " + Question.NEW_PROMPT.words())
          .saving(facts)
          .saving(Map.of("last_tweak", heard.asAnswer()));
    }
    if (heard.says(Phrases.NOTHING) || heard.says(Phrases.NO) || heard.isVague()) {
      return close();
    }
    return Plan.say("I have noted that. " + Question.NEW_PROMPT.words())
        .saving(Map.of("last_tweak", heard.asAnswer()));
  }

  private static Plan close() {
    return Plan.say("Wonderful, then we leave it as it is. Text me whenever something comes up!");
  }

  private Plan newPrompt() {
    var facts = heard.facts();
    profile.putAll(facts);
    if (!profile.containsKey("prompt_anchor") || !profile.containsKey("preferred_time")) {
      return Plan.say("Gladly, I only need to know a little more. " + nextQuestion())
          .saving(facts)
          .movingTo("INTAKE");
    }
    return Plan.say("").saving(facts).generating();
  }
}
