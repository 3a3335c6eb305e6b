package org.habitline.rehearsal.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The script of the INTAKE module. It gives an example, asks for moment, reason, time and anything
 * else, and offers a habit prompt.
 */
final class Intake {

  private static final String NEXT_MODULE = "FEEDBACK";
  private static final int A_FEW_WORDS = 3;
  private static final Map<Cue, String> QUESTIONS = new LinkedHashMap<>();
  private static final Map<Cue, String> BEST_OF_VAGUE =
      Map.of(Cue.MOMENT, "when the phone buzzes", Cue.TIME, "any time of day");

  static {
    QUESTIONS.put(Cue.MOMENT, Field.MOMENT);
    QUESTIONS.put(Cue.REASON, Field.REASON);
    QUESTIONS.put(Cue.TIME, Field.TIME);
    QUESTIONS.put(Cue.MORE, Field.MORE);
  }

  private static final Set<Cue> FOR_A_TIME = Set.of(Cue.TIME, Cue.CLOCK, Cue.OTHER_TIME);

  private final Scene scene;
  private final Heard heard;
  private final Optional<Cue.Given> pending;
  private final Map<String, String> learnt;

  private Intake(Scene scene) {
    this.scene = scene;
    this.heard = scene.heard();
    this.pending = scene.pending();
    this.learnt = learn();
  }

  static Plan plan(Scene scene) {
    return new Intake(scene).plan();
  }

  private Plan plan() {
    if (scene.joined() || firstContact()) {
      return greet();
    }
    if (tellsOfAPrompt()) {
      return Feedback.plan(scene).and(move("the participant said how it went"));
    }
    if (scene.endsPrompts()) {
      return plan(Note.NOTHING, Daily.off(scene), "");
    }
    if (wantsToTry()) {
      return complete() ? write() : tryNow();
    }
    if (pending(Cue.OFFER) && complete() && declines()) {
      return leave();
    }
    if (pending(Cue.CHOICE) && learnt.isEmpty() && !heard.means(Meaning.PERSONAL)) {
      if (heard.meansAny(Meaning.NO, Meaning.LATER)) {
        return noting(Lines.NO_RUSH_CHOICE);
      }
      if (away()) {
        return noting(Cue.CHOICE.text());
      }
      if (!followedUp()) {
        return noting(Cue.CHOICE.followUp());
      }
    }
    if (heard.means(Meaning.LATER) && learnt.isEmpty()) {
      return noting(Lines.NO_RUSH);
    }
    return noting(next());
  }

  private boolean firstContact() {
    return pending.isEmpty()
        && learnt.isEmpty()
        && QUESTIONS.values().stream().noneMatch(scene.status()::knows)
        && !heard.meansAny(Meaning.NOW, Meaning.PERSONAL);
  }

  private Plan greet() {
    var note = Note.of(scene, learnt);
    var greeting =
        Aside.join(Lines.REHEARSAL, Lines.LIKE_THIS.formatted(scene.example()), Cue.CHOICE.text());
    return new Plan(Plan.acts(List.of(note.act())), outcomes -> greeting);
  }

  private boolean wantsToTry() {
    if (heard.means(Meaning.PERSONAL) || askedForATime()) {
      return false;
    }
    return heard.means(Meaning.NOW)
        || (complete() && heard.means(Meaning.NEW_PROMPT))
        || (pending(Cue.OFFER) && complete() && learnt.isEmpty() && heard.means(Meaning.YES));
  }

  private boolean declines() {
    return learnt.isEmpty()
        && (heard.meansAny(Meaning.NO, Meaning.LATER, Meaning.NOTHING, Meaning.TRIED)
            || (followedUp() && !away()));
  }

  /** Returns whether the text replies to a daily prompt that arrived during the intake. */
  private boolean tellsOfAPrompt() {
    if (!scene.promptIsNewest() && !pending(Cue.CHECK_IN)) {
      return false;
    }
    return scene.intensity().isPresent()
        || heard.meansAny(Meaning.TRIED, Meaning.NOT_TRIED, Meaning.YES, Meaning.NO);
  }

  private Plan write() {
    var note = Note.of(scene, learnt);
    var daily = dailyAtTheEnd();
    if (!scene.tools().has(Act.WRITE)) {
      return moving(note, Lines.NO_PROMPTS_HERE.formatted(scene.example()));
    }
    return new Plan(
        acts(note, daily, List.of(scene.tools().write(), move("the prompt was written"))),
        outcomes -> outcomes.prompt().orElseGet(() -> notWritten(note, daily, outcomes)));
  }

  private static String notWritten(Note note, Daily daily, Outcomes outcomes) {
    if (note.failed(outcomes)) {
      return Aside.join(Lines.COULD_NOT_NOTE, Cue.OFFER.text());
    }
    return daily.failed(outcomes)
        ? daily.words(outcomes)
        : Aside.join(daily.words(outcomes), Lines.COULD_NOT_WRITE, Cue.OFFER.afterFailure());
  }

  private Plan tryNow() {
    var note = Note.of(scene, learnt);
    var action =
        Optional.ofNullable(learnt.get(Field.HABIT))
            .or(() -> Optional.ofNullable(scene.status().profile().get(Field.HABIT)))
            .flatMap(HabitWords::in)
            .map(habit -> "try " + habit.action(scene.status().intensity()))
            .orElse(scene.example());
    return moving(note, Aside.join(Lines.TRY_NOW.formatted(action), Lines.TELL_ME));
  }

  private Plan leave() {
    return moving(Note.of(scene, learnt), Lines.NOT_NOW);
  }

  /**
   * Moves to FEEDBACK, even if no daily prompt can be set up, because FEEDBACK accepts another time
   * too.
   */
  private Plan moving(Note note, String words) {
    var daily = dailyAtTheEnd().inPassing();
    return new Plan(
        acts(note, daily, List.of(move("intake is done"))),
        outcomes -> note.then(outcomes, Aside.join(words, daily.words(outcomes)), pendingText()));
  }

  private static List<Act> acts(Note note, Daily daily, List<Optional<Act>> then) {
    var all = new ArrayList<>(Plan.acts(List.of(note.act())));
    all.addAll(daily.acts());
    all.addAll(Plan.acts(then));
    return List.copyOf(all);
  }

  private Optional<Act> move(String reason) {
    return scene.tools().move(NEXT_MODULE, reason);
  }

  private Plan noting(String next) {
    var note = Note.of(scene, learnt);
    var best = takenForVague();
    var acknowledged =
        best.map(value -> note.acknowledgedBy(Lines.FOR_NOW.formatted(value))).orElse(note);
    return plan(acknowledged, daily(), next);
  }

  private Plan plan(Note note, Daily daily, String next) {
    var aside = daily.wanted() ? "" : Aside.of(scene).orElse("");
    return new Plan(
        acts(note, daily, List.of()),
        outcomes -> {
          var then = daily.failed(outcomes) ? "" : next;
          return Aside.join(
              aside, note.then(outcomes, Aside.join(daily.words(outcomes), then), pendingText()));
        });
  }

  // --- the daily prompt ---

  /** Returns the change to the daily prompt that this text alone asks for. */
  private Daily daily() {
    if (!scene.schedules()) {
      return Daily.NOTHING;
    }
    if (learnt.containsKey(Field.TIME)) {
      return time(learnt.get(Field.TIME)).map(time -> Daily.at(scene, time)).orElse(Daily.NOTHING);
    }
    if (leavesTheTimeOpen()) {
      return Daily.at(scene, DailyTime.USUAL);
    }
    if (heard.means(Meaning.PLACE)) {
      return Daily.moved(scene);
    }
    return Daily.NOTHING;
  }

  /**
   * Returns the change at the end of the intake, which sets the daily prompt up at the time they
   * named or at the usual time, unless one exists or they declined it.
   */
  private Daily dailyAtTheEnd() {
    var daily = daily();
    if (daily.wanted()
        || !scene.schedules()
        || !scene.status().schedules().isEmpty()
        || Daily.leftAtNone(scene)) {
      return daily;
    }
    var told = Optional.ofNullable(learnt.get(Field.TIME));
    return Daily.at(
        scene,
        told.or(() -> Optional.ofNullable(scene.status().profile().get(Field.TIME)))
            .flatMap(DailyTime::in)
            .orElse(DailyTime.USUAL));
  }

  private static Optional<DailyTime> time(@Nullable String told) {
    return Optional.ofNullable(told).flatMap(DailyTime::in);
  }

  /** Returns whether they were asked for a clock time and named none. */
  private boolean leavesTheTimeOpen() {
    var vague = heard.means(Meaning.VAGUE) || (pending(Cue.CLOCK) && !heard.means(Meaning.LATER));
    return (pending(Cue.CLOCK) || pending(Cue.OTHER_TIME))
        && vague
        && learnt.isEmpty()
        && scene.status().schedules().isEmpty()
        && !away();
  }

  /** Returns whether they named a time that a schedule cannot have. */
  private boolean needsAClockTime() {
    var told = learnt.get(Field.TIME);
    return scene.schedules()
        && told != null
        && time(told).isEmpty()
        && scene.status().schedules().isEmpty()
        && !scene.asked(Cue.CLOCK);
  }

  private boolean askedForATime() {
    return pending.filter(given -> FOR_A_TIME.contains(given.cue())).isPresent();
  }

  private String pendingText() {
    return pending.map(given -> given.cue().text()).orElse("");
  }

  // --- facts in the text ---

  private Map<String, String> learn() {
    var told = new LinkedHashMap<String, String>();
    heard
        .facts()
        .forEach((field, value) -> {
          if (meant(field)) {
            told.put(field, value);
          }
        });
    if (askedForATime()) {
      timeTold(told);
    }
    if (scene.endsPrompts()) {
      return Map.of();
    }
    var asked = pending.map(given -> QUESTIONS.get(given.cue()));
    asked
        .filter(field -> !told.containsKey(field))
        .flatMap(field -> ownWords(told).map(words -> Map.entry(field, words)))
        .ifPresent(answer -> told.put(answer.getKey(), answer.getValue()));
    takenForVague(told).ifPresent(value -> asked.ifPresent(field -> told.put(field, value)));
    return told;
  }

  /**
   * Returns whether a value is meant for a field. A story may mention other moments or times; only
   * an instruction changes a known value.
   */
  private boolean meant(String field) {
    return !scene.status().knows(field)
        || (field.equals(Field.TIME) && askedForATime())
        || heard.means(Meaning.CORRECTION)
        || heard.brief()
        || pending.map(given -> field.equals(QUESTIONS.get(given.cue()))).orElse(false);
  }

  /**
   * Adds the time to the facts. Once the moment is known, "after lunch" answers the question about
   * the time.
   */
  private void timeTold(Map<String, String> told) {
    var moment = told.get(Field.MOMENT);
    if (MomentAndTime.onlyATime(heard.words())) {
      told.put(Field.TIME, heard.words());
    } else if (moment != null
        && !told.containsKey(Field.TIME)
        && scene.status().knows(Field.MOMENT)
        && !heard.means(Meaning.CORRECTION)) {
      told.remove(Field.MOMENT);
      told.put(Field.TIME, moment);
    } else if (!pending(Cue.TIME)
        && !told.containsKey(Field.TIME)
        && heard.brief()
        && DailyTime.in(heard.words()).isPresent()) {
      told.put(Field.TIME, heard.words());
    }
  }

  /** Returns the whole answer verbatim, if it can only be an answer to the question. */
  private Optional<String> ownWords(Map<String, String> told) {
    var just =
        heard.length() <= A_FEW_WORDS
            && heard.meansAny(Meaning.YES, Meaning.NO, Meaning.PERSONAL, Meaning.TRIED);
    if (just
        || heard.length() == 0
        || away()
        || heard.meansAny(Meaning.VAGUE, Meaning.NONSENSE, Meaning.NOW, Meaning.LATER)) {
      return Optional.empty();
    }
    var elsewhere = !told.isEmpty() && heard.means(Meaning.CORRECTION);
    var answers =
        switch (pending.orElseThrow().cue()) {
          case MORE ->
              (told.isEmpty() || (!elsewhere && heard.length() > A_FEW_WORDS))
                  && !heard.meansAny(Meaning.NOTHING, Meaning.NO);
          case REASON ->
              told.isEmpty()
                  || (told.keySet().equals(Set.of(Field.HABIT)) && heard.length() > A_FEW_WORDS);
          default -> told.isEmpty() && !heard.means(Meaning.NOTHING);
        };
    return answers ? Optional.of(heard.words()) : Optional.empty();
  }

  /**
   * Returns a value to use after a second vague answer about something that a prompt needs, or
   * empty.
   */
  private Optional<String> takenForVague(Map<String, String> told) {
    return pending
        .filter(
            given -> given.followUp() && told.isEmpty() && !away() && !heard.means(Meaning.LATER))
        .map(given -> BEST_OF_VAGUE.get(given.cue()));
  }

  private Optional<String> takenForVague() {
    return pending
        .map(given -> BEST_OF_VAGUE.get(given.cue()))
        .filter(value -> followedUp() && learnt.containsValue(value));
  }

  // --- the next question ---

  private String next() {
    if (needsAClockTime() || (pending(Cue.CLOCK) && away())) {
      return Cue.CLOCK.text();
    }
    var open =
        QUESTIONS.entrySet().stream()
            .filter(question -> !settled(question.getKey(), question.getValue()))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse(Cue.OFFER);
    if (!pending(open)) {
      return open.text();
    }
    var vague = learnt.isEmpty() && !away();
    return vague || followedUp() ? open.followUp() : open.text();
  }

  private boolean settled(Cue cue, String field) {
    if (scene.status().knows(field) || learnt.containsKey(field)) {
      return true;
    }
    if (pending(cue)) {
      return passed(cue);
    }
    var optional = !BEST_OF_VAGUE.containsKey(cue);
    return optional
        ? scene.asked(cue) || scene.said().isEmpty()
        : scene.asked(cue) && !scene.tools().has(Act.SAVE);
  }

  /** Returns whether the question just asked is dropped. */
  private boolean passed(Cue cue) {
    var digressed = away() || !learnt.isEmpty();
    return switch (cue) {
      case MORE -> !away();
      case REASON -> followedUp() && !digressed;
      default -> !scene.tools().has(Act.SAVE) && !away();
    };
  }

  private boolean complete() {
    return scene.status().missing().stream().allMatch(learnt::containsKey);
  }

  /**
   * Returns whether the text leads away from the question. A health problem may also be an answer.
   */
  private boolean away() {
    var told = heard.means(Meaning.HEALTH) && !heard.means(Meaning.QUESTION) && pending(Cue.MORE);
    return (Aside.leadsAway(heard) || heard.means(Meaning.NEW_PROMPT) || saysOnlyWhere()) && !told;
  }

  private boolean saysOnlyWhere() {
    return scene.schedules()
        && heard.means(Meaning.PLACE)
        && heard.facts().isEmpty()
        && heard.brief();
  }

  private boolean pending(Cue cue) {
    return pending.filter(given -> given.cue() == cue).isPresent();
  }

  private boolean followedUp() {
    return pending.filter(Cue.Given::followUp).isPresent();
  }
}
