package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.habitline.flows.FieldType;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowPart;
import org.habitline.flows.ProfileField;
import org.habitline.llm.ToolSpec;

/**
 * Merges what a model learned into the profile: only fields that are given and different. An error
 * in one argument refuses the whole call. Repeating a call changes nothing.
 */
@Singleton
final class SaveUserProfile implements Tool {

  private static final String TONE_TAGS = "tone_tags";
  private static final String TONE_UPDATE_SOURCE = "tone_update_source";
  private static final String TONE_CONFIDENCE = "tone_confidence";
  private static final String CLEAR_FIELDS = "clear_fields";
  private static final List<String> SOURCES = List.of(ToneLearning.EXPLICIT, ToneLearning.IMPLICIT);

  @Override
  public String name() {
    return "save_user_profile";
  }

  @Override
  public Set<FlowPart> needs() {
    return Set.of(FlowPart.PROFILE);
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    var schema = new StrictSchema();
    var fields = flow.offered(module);
    for (var field : fields) {
      schema.optional(field.name(), field.description(), field.type());
    }
    if (flow.offersTone(module)) {
      schema
          .optionalWords(TONE_TAGS, "How the participant likes to be spoken to.", ToneTag.words())
          .optionalChoice(
              TONE_UPDATE_SOURCE,
              "explicit if the participant asked for the tone, implicit (the default) if it is a"
                  + " repeated pattern you noticed.",
              SOURCES)
          .optionalNumber(TONE_CONFIDENCE, "How sure you are of the tone, 0 to 1.");
    }
    schema.optionalNames(CLEAR_FIELDS, "Fields to empty.");
    return new ToolSpec(
        name(),
        "Saves what they told you"
            + Entries.replacing(fields)
            + ". Null leaves a field as it is. Nothing is saved unless the result says success.",
        schema.done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var flow = run.flow();
    var fields = flow.profileOf(run.module());
    var shown =
        Stream.concat(
                fields.stream().map(ProfileField::name),
                Stream.concat(
                    flow.tone()
                        ? Stream.of(TONE_TAGS, TONE_UPDATE_SOURCE, TONE_CONFIDENCE)
                        : Stream.of(),
                    Stream.of(CLEAR_FIELDS)))
            .toList();
    // Prompt files of flows that do not learn the tone may still name its arguments.
    var alsoAccepted =
        Stream.concat(
                fields.stream().flatMap(field -> field.aliases().stream()),
                flow.tone()
                    ? Stream.of()
                    : Stream.of(TONE_TAGS, TONE_UPDATE_SOURCE, TONE_CONFIDENCE))
            .toList();
    var arguments = new Arguments(given, shown, alsoAccepted);

    var values = new TreeMap<String, JsonNode>();
    for (var field : fields) {
      value(arguments, field).ifPresent(value -> values.put(field.name(), value));
    }
    var clearable = clearable(flow, fields);
    var clearTone = false;
    var cleared = new ArrayList<ProfileField>();
    for (var name : arguments.words(CLEAR_FIELDS)) {
      var field = field(fields, name);
      field.ifPresent(cleared::add);
      var isTone = flow.tone() && name.equals(TONE_TAGS);
      clearTone |= isTone;
      if (field.isEmpty() && !isTone) {
        arguments.refuse(
            CLEAR_FIELDS, "There is no field %s.".formatted(Arguments.shown(name)), clearable);
      }
    }
    var tone = flow.tone() ? heard(arguments) : Heard.NOTHING;
    for (var field : cleared) {
      // Entries may be replaced by one that says what still holds.
      if (values.containsKey(field.name()) && !(field.type() instanceof FieldType.Entries)) {
        refuseContradiction(arguments, field.name());
      }
    }
    if (clearTone && !tone.tags().isEmpty()) {
      refuseContradiction(arguments, TONE_TAGS);
    }
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }

    var notes = new ArrayList<String>();
    if (!arguments.blank().isEmpty()) {
      notes.add(
          "Blank texts were ignored (%s); clear_fields empties a field."
              .formatted(String.join(", ", arguments.blank())));
    }
    if (!tone.unknown().isEmpty()) {
      notes.add("Unknown tone tags were dropped: %s.".formatted(String.join(", ", tone.unknown())));
    }
    if (!flow.tone() && arguments.has(TONE_TAGS)) {
      notes.add("The tone was left out: this flow does not learn it.");
    }
    var before = run.copy().profile();
    for (var field : fields) {
      if (emptiesAList(before, field, values)) {
        values.remove(field.name());
        notes.add(
            "An empty list leaves %s as it is; clear_fields empties it.".formatted(field.name()));
      }
    }
    for (var field : fields) {
      var text = values.get(field.name());
      if (text != null && field.type() instanceof FieldType.Entries type) {
        var stored = cleared.contains(field) ? null : before.fields().get(field.name());
        var entries = Entries.with(type, stored, text, Entries.today(run));
        if (entries.isEmpty()) {
          return Entries.full(
              field.name(),
              type,
              "Save the rest without it. Or, if old entries no longer hold, name it in clear_fields"
                  + " too and give one text with all that still holds: it replaces them.");
        }
        values.put(field.name(), entries.get());
      }
    }
    var learned =
        clearTone
            ? ToneLearning.forgotten(before.tone(), run.now())
            : learned(before.tone(), tone, run.now(), notes);
    var checked = ProfileRules.check(flow, before, merged(fields, before, values, cleared));
    if (checked.refusal().isPresent()) {
      return checked.refusal().get();
    }
    notes.addAll(checked.notes());
    return outcome(
        run, before, checked.profile(before, learned, run.now()), checked.raised(), notes);
  }

  /** The arguments of a call that concern the tone. */
  private record Heard(
      EnumSet<ToneTag> tags, List<String> unknown, String source, double confidence) {

    static final Heard NOTHING =
        new Heard(EnumSet.noneOf(ToneTag.class), List.of(), ToneLearning.IMPLICIT, 1);
  }

  private static Heard heard(Arguments arguments) {
    var tags = EnumSet.noneOf(ToneTag.class);
    var unknown = new ArrayList<String>();
    for (var word : arguments.words(TONE_TAGS)) {
      ToneTag.of(word).ifPresentOrElse(tags::add, () -> unknown.add(Arguments.shown(word)));
    }
    return new Heard(
        tags,
        unknown,
        arguments.choice(TONE_UPDATE_SOURCE, SOURCES).orElse(ToneLearning.IMPLICIT),
        arguments.number(TONE_CONFIDENCE).orElse(1));
  }

  private static Tone learned(Tone before, Heard heard, Instant now, List<String> notes) {
    if (heard.tags().isEmpty()) {
      return before;
    }
    if (heard.source().equals(ToneLearning.EXPLICIT)) {
      return ToneLearning.explicit(before, heard.tags(), heard.confidence(), now);
    }
    if (ToneLearning.tooSoon(before, now)) {
      notes.add(
          "The tone was left as it is: implicit updates are accepted at most every %d minutes."
              .formatted(ToneLearning.IMPLICIT_INTERVAL.toMinutes()));
      return before;
    }
    return ToneLearning.implicit(before, heard.tags(), heard.confidence(), now);
  }

  private static Optional<JsonNode> value(Arguments arguments, ProfileField field) {
    Optional<JsonNode> value = Optional.empty();
    for (var name : names(field).toList()) {
      var said = arguments.value(name, field.type());
      if (said.isPresent() && value.isPresent() && !said.equals(value)) {
        arguments.refuse(
            name,
            "This is another name for %s; give one of them.".formatted(field.name()),
            List.of());
      }
      value = value.or(() -> said);
    }
    return value;
  }

  /** Returns whether an empty list is given for a list that has items, as models do by habit. */
  private static boolean emptiesAList(
      Profile before, ProfileField field, Map<String, JsonNode> values) {
    var given = values.get(field.name());
    return given != null
        && given.isArray()
        && given.isEmpty()
        && before.value(field).filter(stored -> !stored.isEmpty()).isPresent();
  }

  private static void refuseContradiction(Arguments arguments, String name) {
    arguments.refuse(
        CLEAR_FIELDS, "%s is both set and emptied in this call.".formatted(name), List.of());
  }

  private static Map<String, JsonNode> merged(
      List<ProfileField> fields,
      Profile before,
      Map<String, JsonNode> values,
      List<ProfileField> cleared) {
    var merged = new TreeMap<>(before.fields());
    cleared.forEach(field -> merged.remove(field.name()));
    for (var field : fields) {
      var value = values.get(field.name());
      if (value != null
          && (cleared.contains(field) || !Optional.of(value).equals(before.saved(field)))) {
        merged.put(field.name(), value);
      }
    }
    return merged;
  }

  private static ToolOutcome outcome(
      ToolRun run, Profile before, Profile after, List<String> raised, List<String> notes) {
    var flow = run.flow();
    var module = run.module();
    var changes = changes(flow, before, after);
    var outcome =
        changes.isEmpty()
            ? ToolOutcome.noop("Nothing given differs from what is saved already.")
            : ToolOutcome.success(effects(run, before, after, changes, raised));
    var result = outcome.result();
    if (!changes.isEmpty()) {
      var changed = result.putArray("changed");
      changes.forEach(change -> changed.add(change.field()));
      if (flow.promptGenerator() != null) {
        var missing = result.putArray("missing_for_prompt");
        ProfileStatus.missing(flow, after).forEach(missing::add);
      } else {
        var missing = result.putArray("missing");
        flow.module(module)
            .ifPresent(it -> ProfileStatus.missing(flow, it, after).forEach(missing::add));
      }
    }
    if (!notes.isEmpty()) {
      var said = result.putArray("notes");
      notes.forEach(said::add);
    }
    return outcome;
  }

  /** Returns the new profile, stamped if the module's part is complete now, and alerts to staff. */
  static Effect[] effects(
      ToolRun run,
      Profile before,
      Profile after,
      List<Effect.Change> changes,
      List<String> raised) {
    var save = CompletedPart.save(run, before, after, changes);
    return Stream.concat(Stream.of(save), raised.stream().map(Effect.AlertStaff::new))
        .toArray(Effect[]::new);
  }

  /**
   * Returns the fields that differ, in the order of the flow, and the tone. To choose a default is
   * a change, too: from then on it is what the person said.
   */
  static List<Effect.Change> changes(Flow flow, Profile before, Profile after) {
    var changes = new ArrayList<Effect.Change>();
    for (var field : flow.profile()) {
      if (!before.saved(field).equals(after.saved(field))) {
        var old = before.value(field);
        var now = after.value(field);
        changes.add(
            old.equals(now)
                ? new Effect.Change(
                    field.name(), json(before.saved(field)), json(after.saved(field)))
                : new Effect.Change(field.name(), json(old), json(now)));
      }
    }
    if (!before.tone().equals(after.tone())) {
      changes.add(
          new Effect.Change(
              "tone", ProfileJson.tree(before.tone()), ProfileJson.tree(after.tone())));
    }
    return changes;
  }

  private static JsonNode json(Optional<JsonNode> value) {
    return value.orElse(JsonNodeFactory.instance.nullNode());
  }

  /** Returns the field of this name or alias. */
  static Optional<ProfileField> field(List<ProfileField> fields, String name) {
    return fields.stream().filter(field -> names(field).anyMatch(name::equals)).findFirst();
  }

  private static Stream<String> names(ProfileField field) {
    return Stream.concat(Stream.of(field.name()), field.aliases().stream());
  }

  private static List<String> clearable(Flow flow, List<ProfileField> fields) {
    return Stream.concat(
            fields.stream().map(ProfileField::name),
            flow.tone() ? Stream.of(TONE_TAGS) : Stream.of())
        .toList();
  }
}
