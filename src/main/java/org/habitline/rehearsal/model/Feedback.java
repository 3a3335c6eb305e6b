package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The script of the FEEDBACK module: asks how it went, and changes the habit or the daily prompt.
 */
final class Feedback {

  private static final String INTAKE = "INTAKE";
  private static final int ALONE = 3;
  private static final int KEEP_AT_MOST = 400;
  private static final Pattern MOTIVE =
      rule(
          "\\b(?:because|helped|helps|since|easy|easier|worked|remind\\w*|thanks to"
              + "|made it|felt)\\b");
  private static final Pattern WENT_WELL =
      rule(
          "^(?:it (?:went|was|is) )?(?:really |very |pretty |quite |so )?(?:good|well|great|nice"
              + "|easy|fun|fine|ok|okay|alright|lovely)\\b(?! idea)");
  private static final Pattern WISH =
      rule(
          "\\b(?:please|pls|from now on|every ?day|daily|i want|i'd like|i would like|better"
              + "|remind|text me|message me|nudge me|ping me|send|schedule|could you|can you"
              + "|could it|can it|instead|works)\\b");
  private static final Pattern A_MEAL =
      rule("^(?:at|around|over|during) (?:my |the )?(?:lunch|breakfast|dinner)(?: ?time)?$");
  private static final Pattern REFUSAL =
      rule(
          "^(?:(?:no+|nope|nah|not (?:yet|really|today)|next time|sorry"
              + "|unfortunately)(?=\\W|$)[\\s,.]*)+");
  private static final Pattern JUST_NOT =
      rule(
          "^(?:(?:i|we|it) )?(?:didn'?t|did not|haven'?t|have not|couldn'?t|could not"
              + "|not done|not tried|skipped it|missed it|no chance)?(?:"
              + " (?:do|done|try|tried|get|had|have|to|it|that|a|the|chance|yet|today|this|time"
              + "|sorry)(?= |$))*+$");

  private final Scene scene;
  private final Heard heard;
  private final Optional<Cue.Given> pending;
  private final Map<String, String> changes;
  private final Daily daily;

  private Feedback(Scene scene) {
    this.scene = scene;
    this.heard = scene.heard();
    this.pending = scene.newest();
    this.changes = changes();
    this.daily = daily();
  }

  static Plan plan(Scene scene) {
    return new Feedback(scene).plan();
  }

  private Plan plan() {
    if (scene.endsPrompts()) {
      return ended();
    }
    if (scene.intensity().isPresent() && !heard.meansAny(Meaning.TRIED, Meaning.NOT_TRIED)) {
      return noting(Map.of(), afterTheIntensity());
    }
    if (!changesTheTime() && wantsAPrompt()) {
      return write();
    }
    if (daily.wanted() && changes.isEmpty()) {
      return noting(changes, afterTheTime());
    }
    if (unclearTime()) {
      return noting(changes, Cue.CLOCK.text());
    }
    if (!changes.isEmpty()) {
      if (pending(Cue.TWEAK)) {
        changes.put(Field.TWEAK, heard.words());
      }
      return noting(changes, Cue.NEW_PROMPT.text());
    }
    if (heard.means(Meaning.NOT_TRIED) && heard.means(Meaning.CORRECTION)) {
      return notTried();
    }
    return switch (pending.map(Cue.Given::cue).orElse(Cue.OFFER)) {
      case TRIED -> howItWent();
      case WORKED -> whatWorked();
      case BARRIER -> whatGotInTheWay();
      case BARRIER_MORE -> whatElseGotInTheWay();
      case TWEAK -> whatToChange();
      case NEW_PROMPT -> newPromptOrNot();
      case CLOSED -> whenClosed();
      case CLOCK, OTHER_TIME -> whichTimeOrNone();
      default -> howItWent();
    };
  }

  private boolean wantsAPrompt() {
    return heard.means(Meaning.NEW_PROMPT)
        || (pending(Cue.NEW_PROMPT) && changes.isEmpty() && agrees());
  }

  private Plan howItWent() {
    if (heard.means(Meaning.NOT_TRIED) || (asked() && heard.means(Meaning.NO))) {
      return notTried();
    }
    if (heard.means(Meaning.TRIED)
        || (asked() && saysWhen())
        || (pending(Cue.CHECK_IN) && WENT_WELL.matcher(heard.words()).find())
        || (agrees() && tellsWhy())) {
      return tried();
    }
    if (heard.means(Meaning.LATER)) {
      return noting(Map.of(), Cue.CLOSED.texts().get(2));
    }
    if (Aside.leadsAway(heard) || !pending(Cue.TRIED)) {
      return noting(Map.of(), Cue.TRIED.text());
    }
    return noting(Map.of(), followedUp() ? Cue.CLOSED.texts().get(2) : Cue.TRIED.followUp());
  }

  /**
   * Returns whether the newest message asked how it went, by the script's question or one that came
   * with a prompt.
   */
  private boolean asked() {
    return pending(Cue.TRIED)
        || pending(Cue.CHECK_IN)
        || (pending.isEmpty() && scene.said().stream().findFirst().orElse("").contains("?"));
  }

  /** Accepts another time, and drops the question if the participant names none. */
  private Plan whichTimeOrNone() {
    if (away()) {
      return again();
    }
    return heard.meansAny(Meaning.NO, Meaning.NOTHING, Meaning.LATER, Meaning.VAGUE)
        ? noting(Map.of(), Cue.CLOSED.texts().get(2))
        : howItWent();
  }

  private boolean saysWhen() {
    return heard.meansAny(Meaning.YES, Meaning.MOMENT, Meaning.TIME);
  }

  private boolean tellsWhy() {
    return MOTIVE.matcher(heard.words()).find();
  }

  private Plan whenClosed() {
    if (heard.means(Meaning.NOT_TRIED)) {
      return notTried();
    }
    if (heard.means(Meaning.TRIED)) {
      return tried();
    }
    if (heard.means(Meaning.HELLO)) {
      return noting(Map.of(), Cue.TRIED.text());
    }
    if (heard.means(Meaning.THANKS)) {
      return noting(Map.of(), Cue.CLOSED.texts().get(1));
    }
    if (heard.means(Meaning.LATER)) {
      return noting(Map.of(), Cue.CLOSED.texts().get(2));
    }
    return noting(Map.of(), Cue.CLOSED.texts().get(3));
  }

  private Plan tried() {
    if (tellsWhy()) {
      return worked(heard.words());
    }
    return noting(Map.of(), Aside.join(Lines.GLAD, Cue.WORKED.text()));
  }

  private Plan notTried() {
    var barrier = REFUSAL.matcher(heard.words()).replaceFirst("").strip();
    if (barrier.isEmpty() || JUST_NOT.matcher(barrier).matches()) {
      return noting(Map.of(), Aside.join(Lines.NO_MATTER, Cue.BARRIER.text()));
    }
    return noting(Map.of(Field.BARRIER, barrier), Cue.BARRIER_MORE.text());
  }

  private Plan whatWorked() {
    if (away()) {
      return again();
    }
    if (saysLittle()) {
      return followedUp()
          ? noting(success(), Cue.TWEAK.text())
          : noting(Map.of(), Cue.WORKED.followUp());
    }
    return worked(heard.words());
  }

  private Plan worked(String motivator) {
    var learnt = new LinkedHashMap<>(success());
    learnt.put(Field.MOTIVATOR, motivator);
    return noting(learnt, Cue.TWEAK.text());
  }

  private Map<String, String> success() {
    var prompt = scene.status().lastPrompt().orElse(scene.example());
    return Map.of(Field.SUCCESS, Clause.cut(prompt, KEEP_AT_MOST));
  }

  private Plan whatGotInTheWay() {
    if (away()) {
      return again();
    }
    if (saysLittle()) {
      return followedUp()
          ? noting(Map.of(), Cue.TWEAK.text())
          : noting(Map.of(), Cue.BARRIER.followUp());
    }
    var next = followedUp() ? Cue.TWEAK : Cue.BARRIER_MORE;
    return noting(Map.of(Field.BARRIER, heard.words()), next.text());
  }

  private Plan whatElseGotInTheWay() {
    if (away()) {
      return again();
    }
    if (saysLittle()) {
      return noting(Map.of(), Cue.TWEAK.text());
    }
    var before = scene.status().profile().getOrDefault(Field.BARRIER, "");
    var whole = before.isEmpty() ? heard.words() : before + "; " + heard.words();
    return noting(Map.of(Field.BARRIER, Clause.cut(whole, KEEP_AT_MOST)), Cue.TWEAK.text());
  }

  private Plan whatToChange() {
    if (heard.meansAny(Meaning.NOTHING, Meaning.NO, Meaning.LATER)) {
      return close();
    }
    if (away()) {
      return again();
    }
    if (saysLittle()) {
      return followedUp() ? close() : noting(Map.of(), Cue.TWEAK.followUp());
    }
    return noting(Map.of(Field.TWEAK, heard.words()), Cue.NEW_PROMPT.text());
  }

  private Plan newPromptOrNot() {
    if (heard.meansAny(Meaning.NO, Meaning.NOTHING, Meaning.LATER)) {
      return close();
    }
    if (away()) {
      return again();
    }
    return followedUp() ? close() : noting(Map.of(), Cue.NEW_PROMPT.followUp());
  }

  private Plan close() {
    return noting(Map.of(), Cue.CLOSED.text());
  }

  private Plan write() {
    var note = Note.of(scene, changes);
    if (scene.status().missing().stream().anyMatch(field -> !changes.containsKey(field))) {
      return new Plan(
          Plan.acts(List.of(note.act(), scene.tools().move(INTAKE, "the profile is not complete"))),
          outcomes ->
              note.then(
                  outcomes,
                  outcomes.did(Act.MOVE) ? Cue.HANDOVER.text() : Lines.CANNOT_WRITE_YET,
                  ""));
    }
    if (!scene.tools().has(Act.WRITE)) {
      return noting(changes, Lines.NO_PROMPTS_HERE.formatted(scene.example()));
    }
    return new Plan(
        Plan.acts(List.of(note.act(), scene.tools().write())),
        outcomes ->
            outcomes
                .prompt()
                .orElseGet(() ->
                    note.failed(outcomes)
                        ? Lines.COULD_NOT_NOTE
                        : Aside.join(Lines.COULD_NOT_WRITE, Cue.NEW_PROMPT.afterFailure())));
  }

  private Plan again() {
    return noting(Map.of(), pendingText());
  }

  private Plan noting(Map<String, String> learnt, String next) {
    var level = scene.intensity();
    var all = new LinkedHashMap<>(learnt);
    level.ifPresent(told -> all.put(Field.INTENSITY, told));
    var known = level.filter(told -> told.equals(scene.status().intensity()));
    if (known.isPresent()) {
      all.remove(Field.INTENSITY);
    }
    var heardLevel = level.map(Feedback::acknowledged).orElse("");
    var note = Note.of(scene, all);
    var noted = level.isPresent() && known.isEmpty() ? note.acknowledgedBy(heardLevel) : note;
    var aside =
        Aside.of(scene)
            .filter(words -> !next.equals(Cue.CLOSED.texts().get(1)) && !daily.wanted())
            .orElse(known.isPresent() ? heardLevel : "");
    var acts = Stream.concat(note.act().stream(), daily.acts().stream()).toList();
    return new Plan(
        acts,
        outcomes -> {
          var then = daily.failed(outcomes) ? "" : next;
          return Aside.join(
              aside, noted.then(outcomes, Aside.join(daily.words(outcomes), then), pendingText()));
        });
  }

  private static String acknowledged(String level) {
    return Lines.INTENSITY.formatted(
        level.substring(0, 1).toUpperCase(Locale.ROOT) + level.substring(1));
  }

  private String pendingText() {
    return pending.map(Cue.Given::text).orElse("");
  }

  // --- the daily prompt ---

  /** Returns the change to the daily prompt that the text asks for. */
  private Daily daily() {
    if (!scene.schedules() || scene.endsPrompts()) {
      return Daily.NOTHING;
    }
    if (changes.containsKey(Field.TIME)) {
      return DailyTime.in(changes.getOrDefault(Field.TIME, ""))
          .map(time -> Daily.at(scene, time))
          .orElse(Daily.NOTHING);
    }
    if (leavesTheTimeOpen()) {
      return Daily.at(scene, DailyTime.USUAL);
    }
    return heard.means(Meaning.PLACE) ? Daily.moved(scene) : Daily.NOTHING;
  }

  private boolean changesTheTime() {
    return scene.schedules() && changes.containsKey(Field.TIME);
  }

  /** Returns whether they want another time that a schedule cannot have. */
  private boolean unclearTime() {
    return changesTheTime() && daily.equals(Daily.NOTHING) && !pending(Cue.CLOCK);
  }

  /** Returns whether they were asked for a clock time and named none. */
  private boolean leavesTheTimeOpen() {
    return askedForATime()
        && heard.means(Meaning.VAGUE)
        && changes.isEmpty()
        && scene.status().schedules().isEmpty()
        && !away()
        && !heard.means(Meaning.PLACE);
  }

  private boolean askedForATime() {
    return pending(Cue.CLOCK) || pending(Cue.OTHER_TIME);
  }

  private Plan ended() {
    var off = Daily.off(scene);
    return new Plan(off.acts(), off::words);
  }

  /** Returns the question that was open, or closing words if there was none. */
  private String afterTheTime() {
    return pending.isEmpty() || askedForATime() || pending(Cue.CLOSED)
        ? Cue.CLOSED.texts().get(3)
        : pendingText();
  }

  private String afterTheIntensity() {
    if (pending(Cue.CLOSED)) {
      return Cue.CLOSED.texts().get(3);
    }
    return pending.isEmpty() ? Cue.TRIED.text() : pendingText();
  }

  /**
   * Returns the facts that the participant wants to change. Moments and times in a story about how
   * it went do not count.
   */
  private Map<String, String> changes() {
    var wish =
        switch (pending.map(Cue.Given::cue).orElse(Cue.OFFER)) {
          case TWEAK, NEW_PROMPT, CLOSED -> heard.brief();
          case TRIED, CHECK_IN, WORKED, BARRIER, BARRIER_MORE -> false;
          default -> heard.length() <= ALONE;
        };
    var told = heard.meansAny(Meaning.TRIED, Meaning.NOT_TRIED);
    var facts =
        heard.means(Meaning.CORRECTION) || (wish && !told)
            ? new LinkedHashMap<>(heard.facts())
            : new LinkedHashMap<String, String>();
    return scene.schedules() ? withTheTime(facts, told) : facts;
  }

  /**
   * Adds a time that the participant wants, which they may name in more ways if there are
   * schedules.
   */
  private Map<String, String> withTheTime(Map<String, String> facts, boolean told) {
    if (scene.endsPrompts() || scene.intensity().isPresent()) {
      return new LinkedHashMap<>();
    }
    var time = heard.facts().get(Field.TIME);
    if (time != null && !told && (wishesFor(time) || (askedForATime() && heard.brief()))) {
      facts.put(Field.TIME, time);
    }
    var moment = facts.get(Field.MOMENT);
    if (moment != null && !facts.containsKey(Field.TIME) && namesTheTime(moment)) {
      facts.put(Field.TIME, moment);
      if (askedForATime()) {
        facts.remove(Field.MOMENT);
      }
    }
    if (askedForATime()
        && !facts.containsKey(Field.TIME)
        && heard.brief()
        && DailyTime.in(heard.words()).isPresent()) {
      facts.put(Field.TIME, heard.words());
    }
    return facts;
  }

  private boolean wishesFor(String time) {
    var justTheTime = time.equalsIgnoreCase(heard.words());
    var window = DailyTime.in(time).filter(told -> told.end() != null).isPresent();
    return switch (pending.map(Cue.Given::cue).orElse(Cue.OFFER)) {
      case TRIED, CHECK_IN, WORKED ->
          (justTheTime && window) || (heard.brief() && WISH.matcher(heard.said()).find());
      default -> WISH.matcher(heard.said()).find();
    };
  }

  private boolean namesTheTime(String moment) {
    return askedForATime() ? DailyTime.in(moment).isPresent() : A_MEAL.matcher(moment).matches();
  }

  private boolean agrees() {
    return heard.meansAny(Meaning.YES, Meaning.NOW);
  }

  /** Returns whether the text has nothing to note as an answer. */
  private boolean saysLittle() {
    var just = heard.length() <= 2 && heard.meansAny(Meaning.YES, Meaning.NO, Meaning.NOTHING);
    return just
        || heard.length() == 0
        || heard.meansAny(Meaning.VAGUE, Meaning.NONSENSE, Meaning.LATER, Meaning.NOTHING);
  }

  /**
   * Returns whether the text leads away from the question. A health problem may be what got in the
   * way, so it is noted as well as replied to.
   */
  private boolean away() {
    var told = heard.means(Meaning.HEALTH) && !heard.means(Meaning.QUESTION);
    return Aside.leadsAway(heard) && !told;
  }

  private boolean pending(Cue cue) {
    return pending.filter(given -> given.cue() == cue).isPresent();
  }

  private boolean followedUp() {
    return pending.filter(Cue.Given::followUp).isPresent();
  }
}
