package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The script of a module of any flow: asks for the next required field that is missing, saves what
 * it was told in the field's type, accepts corrections such as "my fitness level is advanced", and
 * hands over to the next module when nothing is missing; with {@code export_data}, it reads
 * everything back and exports it once the participant agrees. Its questions come from the
 * descriptions in the flow.
 */
final class Form {

  /** Arguments of the tool that are no fields. */
  private static final Set<String> NO_FIELDS =
      Set.of("tone_tags", "tone_update_source", "tone_confidence", "clear_fields");

  /** What a reading has besides the values that participants gave. */
  private static final Set<String> NOT_TOLD = Set.of("status", "conversation_summary");

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
        "\\b(?:"
            + Pattern.quote(blank.words())
            + "|"
            + Pattern.quote(blank.wordsWithoutUnit())
            + ")\\b\\s*(?:is|are|should be|to|:|=)\\s*(.+)");
  }

  private Plan plan() {
    var missing = missing();
    var acts = new ArrayList<>(answers.save(told));
    if (missing.isEmpty() && scene.tools().has(Act.EXPORT)) {
      acts.add(
          confirmed()
              ? scene
                  .tools()
                  .call(
                      Act.EXPORT, Map.of("confirmation_message", Blank.text(scene.heard().words())))
              : scene.tools().call(Act.READ_DATA, Map.of()));
    }
    var target = missing.isEmpty() ? next() : Optional.<String>empty();
    target.ifPresent(
        module -> acts.add(scene.tools().move(module, "nothing is missing in this module")));
    return new Plan(Plan.acts(acts), outcomes -> words(outcomes, missing));
  }

  /** Returns whether they said yes to the question whether to finish. */
  private boolean confirmed() {
    return scene.said().stream().findFirst().filter(it -> it.contains(Lines.CONFIRM)).isPresent()
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
          Lines.COULD_NOT_KEEP.formatted(why(refused.get().result())).strip(),
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
    var noted = outcomes.did(answers.tool()) ? noted(outcomes) : notUnderstood();
    if (!missing.isEmpty()) {
      return Aside.join(greeting, noted, missing.getFirst().question());
    }
    return Aside.join(greeting, noted, nothingMissing(outcomes));
  }

  /** Returns what was wrong; a flag is for staff, so its name is not told. */
  private static String why(JsonNode refused) {
    if (!refused.has("flag")) {
      return refused.path("message").asText(Lines.TRY_AGAIN);
    }
    var values = refused.path("valid_values");
    return values.isEmpty()
        ? ""
        : Lines.ACCEPTED.formatted(Questions.spoken(Phrasebook.shown(values)));
  }

  /** Returns that everything was noted; with notes, something was not saved. */
  private String noted(Outcomes outcomes) {
    return outcomes
            .newest(answers.tool())
            .filter(saved -> !saved.result().path("notes").isEmpty())
            .isPresent()
        ? Lines.THANKS_FOR_TELLING
        : Lines.NOTED;
  }

  private String nothingMissing(Outcomes outcomes) {
    if (outcomes.did(Act.MOVE)) {
      return Lines.PART_DONE;
    }
    if (scene.tools().has(Act.EXPORT)) {
      return Aside.join(readBack(outcomes).orElse(Lines.HAVE_ALL), Lines.CONFIRM);
    }
    return blanks.isEmpty() ? otherwise.orElse(Lines.NOTHING_TO_ASK) : Lines.ALL_DONE;
  }

  /** Returns the values that were read, or empty if there is no tool that reads them. */
  private static Optional<String> readBack(Outcomes outcomes) {
    return outcomes
        .newest(Act.READ_DATA)
        .filter(Outcomes.Outcome::good)
        .map(read ->
            read.result().properties().stream()
                .filter(value -> !NOT_TOLD.contains(value.getKey()) && !value.getValue().isNull())
                .map(value ->
                    Questions.spoken(value.getKey()) + " " + Phrasebook.shown(value.getValue()))
                .collect(Collectors.joining(", ")))
        .filter(values -> !values.isEmpty())
        .map(Lines.READ_BACK::formatted);
  }

  private String notUnderstood() {
    return asked.isPresent() && !scene.texts().isEmpty() && told.isEmpty()
        ? Lines.NOT_UNDERSTOOD
        : "";
  }
}
