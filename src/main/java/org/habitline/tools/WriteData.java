package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.flows.FieldType;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowPart;
import org.habitline.flows.ProfileField;
import org.habitline.llm.ToolSpec;

/**
 * Saves one field of the form (seed 002), in its type. A value that does not fit is refused with
 * the valid values, and nothing changes. Repeating a call changes nothing.
 */
@Singleton
final class WriteData implements Tool {

  private static final String FIELD_NAME = "field_name";
  private static final String VALUE = "value";
  private static final int LONGEST_NAME = 200;

  @Override
  public String name() {
    return "write_data";
  }

  @Override
  public Set<FlowPart> needs() {
    return Set.of(FlowPart.PROFILE);
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    var fields = flow.offered(module);
    var described = new StringBuilder("Which field to save.");
    fields.forEach(
        field -> described.append(" %s: %s".formatted(field.name(), field.description())));
    return new ToolSpec(
        name(),
        "Saves one field of the form"
            + Entries.replacing(fields)
            + ". Nothing is saved unless the result says success; an error says what is accepted.",
        new StrictSchema()
            .choice(FIELD_NAME, described.toString(), names(fields))
            .anyOf(
                VALUE,
                "What they said, in the type of the field.",
                fields.stream().map(ProfileField::type).toList())
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var fields = run.flow().profileOf(run.module());
    var arguments = new Arguments(given, List.of(FIELD_NAME, VALUE), List.of());
    var field =
        arguments
            .requiredText(FIELD_NAME, LONGEST_NAME)
            .flatMap(name -> SaveUserProfile.field(fields, name));
    if (field.isEmpty()) {
      arguments.refuse(FIELD_NAME, "There is no field of this name.", names(fields));
    }
    if (arguments.refusal().isPresent()) {
      return listingFields(arguments.refusal().get(), fields);
    }
    return save(run, field.orElseThrow(), given.path(VALUE));
  }

  /** Returns an error about the field's name with the names that are valid. */
  private static ToolOutcome listingFields(ToolOutcome refused, List<ProfileField> fields) {
    return refused.result().path("field").asText().equals(FIELD_NAME)
        ? ToolOutcome.error(FIELD_NAME, refused.result().path("message").asText(), names(fields))
        : refused;
  }

  private static ToolOutcome save(ToolRun run, ProfileField field, JsonNode said) {
    var name = field.name();
    var named = JsonNodeFactory.instance.objectNode();
    named.set(name, said.isMissingNode() ? NullNode.getInstance() : said);
    var arguments = new Arguments(named, List.of(name), List.of());
    Optional<JsonNode> value = arguments.value(name, field.type());
    if (value.isEmpty()) {
      arguments.refuse(name, "A value is required, and it must not be blank.", field.values());
    }
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var before = run.copy().profile();
    if (field.type() instanceof FieldType.Entries entries) {
      value =
          Entries.with(entries, before.fields().get(name), value.orElseThrow(), Entries.today(run));
      if (value.isEmpty()) {
        return Entries.full(
            name, entries, "Save it in another field, or say that it is not noted.");
      }
    }
    var checked =
        ProfileRules.check(
            run.flow(), before, before.with(name, value.orElseThrow(), run.now()).fields());
    if (checked.refusal().isPresent()) {
      return checked.refusal().get();
    }
    var after = checked.profile(before, before.tone(), run.now());
    var changes = SaveUserProfile.changes(run.flow(), before, after);
    var saved =
        changes.isEmpty()
            ? ToolOutcome.success()
            : ToolOutcome.success(
                SaveUserProfile.effects(run, before, after, changes, checked.raised()));
    // A rule of the flow may have kept the value out.
    var kept = Optional.ofNullable(after.fields().get(name)).orElse(NullNode.getInstance());
    saved.result().put(FIELD_NAME, name).set(VALUE, kept);
    if (!checked.notes().isEmpty()) {
      checked.notes().forEach(saved.result().putArray("notes")::add);
    }
    return saved;
  }

  private static List<String> names(List<ProfileField> fields) {
    return fields.stream().map(ProfileField::name).toList();
  }
}
