package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import org.habitline.config.Section;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowNames;
import org.habitline.flows.FlowPart;
import org.habitline.flows.ProfileField;
import org.habitline.flows.ToolOptions;
import org.habitline.llm.ToolSpec;

/**
 * Returns fields of the form as the turn would leave them now, null where nothing is saved (seed
 * 002). Changes nothing.
 */
@Singleton
final class ReadData implements Tool {

  private static final String FIELD_NAMES = "field_names";

  @Override
  public String name() {
    return "read_data";
  }

  @Override
  public Set<FlowPart> needs() {
    return Set.of(FlowPart.PROFILE);
  }

  /** Takes no options, and refuses a field whose name the result needs itself. */
  @Override
  public ToolOptions options(Section given, FlowNames names) {
    given.only();
    if (names.profile().stream().anyMatch(field -> field.name().equals("status"))) {
      given.refuse("", name() + " cannot show a field called 'status'; expected another name");
    }
    return ToolOptions.NONE;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Returns what is saved in the form; null means that a field has no value.",
        new StrictSchema()
            .optionalWords(FIELD_NAMES, "Which fields; null returns all.", names(flow))
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(FIELD_NAMES), List.of());
    var wanted = arguments.words(FIELD_NAMES);
    var fields = run.flow().profile();
    for (var name : wanted) {
      if (SaveUserProfile.field(fields, name).isEmpty()) {
        arguments.refuse(
            FIELD_NAMES,
            "There is no field %s.".formatted(Arguments.shown(name)),
            names(run.flow()));
      }
    }
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var read = ToolOutcome.success();
    for (var field : wanted.isEmpty() ? fields : named(fields, wanted)) {
      read.result().set(field.name(), value(run.copy().profile(), field));
    }
    return read;
  }

  private static List<ProfileField> named(List<ProfileField> fields, List<String> names) {
    return names.stream().flatMap(name -> SaveUserProfile.field(fields, name).stream()).toList();
  }

  /** Returns the value of a field, or a JSON null if it has none. */
  static JsonNode value(Profile profile, ProfileField field) {
    return profile.value(field).orElse(NullNode.getInstance());
  }

  private static List<String> names(Flow flow) {
    return flow.profile().stream().map(ProfileField::name).toList();
  }
}
