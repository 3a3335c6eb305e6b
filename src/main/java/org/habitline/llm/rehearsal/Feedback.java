package org.habitline.llm.rehearsal;

import static org.habitline.llm.rehearsal.Clause.rule;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The module that hears how it went, and changes what should change. */
final class Feedback {

  private static final String INTAKE = "INTAKE";
  private static final int ALONE = 3;
  private static final int KEEP_AT_MOST = 400;
  private static final Pattern MOTIVE =
      rule(
          "\\b(?:because|helped|helps|since|easy|easier|worked|remind\\w*|thanks to"
              + "|made it|felt)\\b");
  private static final Pattern REFUSAL =
      rule(
          "^(?:(?:no+|nope|nah|not (?:yet|really|today)|next time|sorry"
              + "|unfortunately)(?=\\W|$)[\\s,.]*)+");
  private static final Pattern JUST_NOT =
      rule(
          "^(?:(?:i|we) )?(?:didn'?t|did not|haven'?t|have not|couldn'?t|could not"
              + "|not done|not tried|skipped it|missed it|no chance)?(?:"
              + " (?:do|done|try|tried|get|had|have|to|it|that|a|the|chance|yet|today|this|time"
              + "|sorry))*$");

  private final Scene scene;
  private final Heard heard;
  private final Optional<Cue.Given> pending;
  private final Map<String, String> changes;

  private Feedback(Scene scene) {
    this.scene = scene;
    this.heard = scene.heard();
    this.pending = scene.newest();
    this.changes = changes();
  }

  static Plan plan(Scene scene) {
    return new Feedback(scene).plan();
  }

  private Plan plan() {
    if (heard.means(Meaning.NEW_PROMPT)
        || (pending(Cue.NEW_PROMPT) && changes.isEmpty() && agrees())) {
      return write();
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
      default -> howItWent();
    };
  }

  private Plan howItWent() {
    if (heard.means(Meaning.NOT_TRIED) || (asked() && heard.means(Meaning.NO))) {
      return notTried();
    }
    if (heard.means(Meaning.TRIED) || (asked() && saysWhen()) || (agrees() && tellsWhy())) {
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
   * Whether the newest text asked how it went: the script's question, or one that came with a
   * prompt.
   */
  private boolean asked() {
    return pending(Cue.TRIED)
        || (pending.isEmpty() && scene.said().stream().findFirst().orElse("").contains("?"));
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
    var note = Note.of(scene, learnt);
    var aside = Aside.of(heard).filter(words -> !next.equals(Cue.CLOSED.texts().get(1))).orElse("");
    return new Plan(
        Plan.acts(List.of(note.act())),
        outcomes -> Aside.join(aside, note.then(outcomes, next, pendingText())));
  }

  private String pendingText() {
    return pending
        .map(given -> given.followUp() ? given.cue().followUp() : given.cue().text())
        .orElse("");
  }

  /** A story about how it went may name moments and times; only a wish to change changes them. */
  private Map<String, String> changes() {
    var wish =
        switch (pending.map(Cue.Given::cue).orElse(Cue.OFFER)) {
          case TWEAK, NEW_PROMPT, CLOSED -> heard.brief();
          case TRIED, WORKED, BARRIER, BARRIER_MORE -> false;
          default -> heard.length() <= ALONE;
        };
    var told = heard.meansAny(Meaning.TRIED, Meaning.NOT_TRIED);
    return heard.means(Meaning.CORRECTION) || (wish && !told)
        ? new LinkedHashMap<>(heard.facts())
        : new LinkedHashMap<>();
  }

  private boolean agrees() {
    return heard.meansAny(Meaning.YES, Meaning.NOW);
  }

  /** Whether there is nothing in it to note as an answer. */
  private boolean saysLittle() {
    var just = heard.length() <= 2 && heard.meansAny(Meaning.YES, Meaning.NO, Meaning.NOTHING);
    return just
        || heard.length() == 0
        || heard.meansAny(Meaning.VAGUE, Meaning.NONSENSE, Meaning.LATER, Meaning.NOTHING);
  }

  /** A health matter may be what got in the way; it is noted, and answered as well. */
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
