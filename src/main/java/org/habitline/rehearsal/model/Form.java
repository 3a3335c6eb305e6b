package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The script of a module of any flow: asks for the next required field that is missing, saves what
 * it was told in the field's type, accepts corrections such as "my fitness level is advanced", and
 * hands over to the next module when nothing is missing; with {@code export_data}, it exports
 * everything once the participant agrees. Its questions come from the descriptions in the flow.
 */
final class Form {

  /** Arguments of the tool that are no fields. */
  private static final Set<String> NO_FIELDS =
      Set.of("tone_tags", "tone_update_source", "tone_confidence", "clear_fields");

  private final Scene scene;
  private final Optional<String> otherwise;
  private final Answers answers;
  private final List<Blank> blanks;
  private final Optional<Blank> asked;

  /** The values that the newest texts give, by field. */
  private final Map<String, JsonNode> told = new LinkedHashMap<>();

  private Form(Scene scene, Optional<String> otherwise) {
    this.scene = scene;
    this.otherwise = otherwise;
    this.answers =
        Answers.of(
            scene,
            scene.tools().arguments(Act.SAVE).entrySet().stream()
                .filter(property -> !NO_FIELDS.contains(property.getKey()))
                .map(property -> Blank.of(property.getKey(), property.getValue()))
                .toList());
    this.blanks = answers.blanks();
    this.asked =
        scene.said().stream()
            .findFirst()
            .flatMap(said -> blanks.stream().filter(blank -> blank.askedIn(said)).findFirst());
    scene.texts().forEach(this::read);
  }

  /**
   * Returns the plan of a turn.
   *
   * @param otherwise what to say if there is nothing to ask, or empty for a fixed sentence
   */
  static Plan plan(Scene scene, Optional<String> otherwise) {
    return new Form(scene, otherwise).plan();
  }

  /** Reads one text: a correction of any field, else the answer to the question. */
  private void read(String text) {
    var corrected = false;
    for (var blank : blanks) {
      var found = correction(blank).matcher(text);
      if (found.find()) {
        var value = blank.in(found.group(1));
        value.ifPresent(it -> told.put(blank.name(), it));
        corrected |= value.isPresent();
      }
    }
    if (!corrected) {
      asked.ifPresent(blank -> blank.in(text).ifPresent(value -> told.put(blank.name(), value)));
    }
  }

  private static Pattern correction(Blank blank) {
    return Clause.rule(
        "\\b" + Pattern.quote(blank.words()) + "\\b\\s*(?:is|are|should be|to|:|=)\\s*(.+)");
  }

  private Plan plan() {
    var missing = missing();
    var acts = new ArrayList<>(answers.save(told));
    if (missing.isEmpty() && confirmed()) {
      acts.add(
          scene
              .tools()
              .call(Act.EXPORT, Map.of("confirmation_message", Blank.text(scene.heard().words()))));
    }
    var target = missing.isEmpty() ? next() : Optional.<String>empty();
    target.ifPresent(
        module -> acts.add(scene.tools().move(module, "nothing is missing in this module")));
    return new Plan(Plan.acts(acts), outcomes -> words(outcomes, missing));
  }

  /** Returns whether they said yes to the question whether to finish. */
  private boolean confirmed() {
    return scene.tools().has(Act.EXPORT)
        && scene.said().stream().findFirst().filter(it -> it.contains(Lines.CONFIRM)).isPresent()
        && scene.heard().means(Meaning.YES);
  }

  /** Returns the required fields that have no value even with what was just told. */
  private List<Blank> missing() {
    return blanks.stream()
        .filter(blank -> scene.status().missing().contains(blank.name()))
        .filter(blank -> !told.containsKey(blank.name()))
        .toList();
  }

  /** Returns the first module that may follow and has not handed over yet. */
  private Optional<String> next() {
    return scene.tools().targets().stream()
        .filter(module -> !scene.status().module().equals(Optional.of(module)))
        .filter(module -> !scene.status().finished().contains(module))
        .findFirst();
  }

  private String words(Outcomes outcomes, List<Blank> missing) {
    var greeting = scene.said().isEmpty() ? Lines.REHEARSAL : "";
    var refused = outcomes.newest(answers.tool()).filter(it -> !it.good());
    if (refused.isPresent()) {
      return Aside.join(
          greeting,
          Lines.COULD_NOT_KEEP.formatted(
              refused.get().result().path("message").asText(Lines.TRY_AGAIN)),
          asked.map(Blank::question).orElse(""));
    }
    if (!told.isEmpty() && !outcomes.did(answers.tool())) {
      // No call was left, or there is no tool that saves.
      return Aside.join(greeting, Lines.COULD_NOT_NOTE, asked.map(Blank::question).orElse(""));
    }
    var exported = outcomes.newest(Act.EXPORT);
    if (exported.isPresent()) {
      var said = exported.get().result().path("message").asText();
      return exported.get().good()
          ? Lines.FINISHED.formatted(said).strip()
          : Lines.DID_NOT_WORK.formatted(said.isBlank() ? Lines.TRY_AGAIN : said);
    }
    var noted = outcomes.did(answers.tool()) ? Lines.NOTED : notUnderstood();
    if (!missing.isEmpty()) {
      return Aside.join(greeting, noted, missing.getFirst().question());
    }
    return Aside.join(greeting, noted, nothingMissing(outcomes));
  }

  private String nothingMissing(Outcomes outcomes) {
    if (outcomes.did(Act.MOVE)) {
      return Lines.PART_DONE;
    }
    if (scene.tools().has(Act.EXPORT)) {
      return Lines.CONFIRM;
    }
    return blanks.isEmpty() ? otherwise.orElse(Lines.NOTHING_TO_ASK) : Lines.ALL_DONE;
  }

  private String notUnderstood() {
    return asked.isPresent() && !scene.texts().isEmpty() && told.isEmpty()
        ? Lines.NOT_UNDERSTOOD
        : "";
  }
}
