package org.habitline.tools;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.stream.Stream;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.ProfileField;

/** Describes a profile to a model. */
public final class ProfileStatus {

  private static final String DEFAULTS = "defaults";

  private ProfileStatus() {}

  /** Returns the fields that are missing for a habit prompt, in the order of the flow. */
  public static List<String> missing(Flow flow, Profile profile) {
    return flow.profile().stream()
        .filter(ProfileField::requiredForPrompt)
        .filter(field -> isToFillIn(flow, profile, field))
        .map(ProfileField::name)
        .toList();
  }

  /** Returns the required fields that a module has still to fill in, in the order of the flow. */
  public static List<String> missing(Flow flow, FlowModule module, Profile profile) {
    var own = flow.profileOf(module.id());
    return unfilled(flow, profile).filter(own::contains).map(ProfileField::name).toList();
  }

  /** Returns the flags that are true. */
  public static List<ProfileField> raised(Flow flow, Profile profile) {
    return flow.profile().stream()
        .filter(field -> field.flag() != null)
        .filter(field -> profile.value(field).filter(JsonNode::booleanValue).isPresent())
        .toList();
  }

  /** Returns the required fields of all modules that are still to fill in, in the flow's order. */
  public static List<String> missingRequired(Flow flow, Profile profile) {
    return unfilled(flow, profile).map(ProfileField::name).toList();
  }

  private static Stream<ProfileField> unfilled(Flow flow, Profile profile) {
    return required(flow).filter(field -> isToFillIn(flow, profile, field));
  }

  /** Returns whether a field has no value and no flag that is true forbids it. */
  static boolean isToFillIn(Flow flow, Profile profile, ProfileField field) {
    return profile.value(field).isEmpty()
        && raised(flow, profile).stream()
            .noneMatch(it -> requireNonNull(it.flag()).forbids(field.name()));
  }

  /** Returns whether no flag that is true forbids this value of a field. */
  public static boolean isAllowed(Flow flow, Profile profile, ProfileField field, JsonNode value) {
    return raised(flow, profile).stream()
        .noneMatch(it -> requireNonNull(it.flag()).forbids(field.name(), value));
  }

  /**
   * Returns the required fields of all modules, in the order of the flow. In a flow that writes no
   * habit prompts, a field that a prompt would need counts as required.
   */
  static Stream<ProfileField> required(Flow flow) {
    var noPrompts = flow.promptGenerator() == null;
    return flow.profile().stream()
        .filter(field -> field.required() || (noPrompts && field.requiredForPrompt()));
  }

  /** Returns the line of all fields. */
  public static String line(Flow flow, Profile profile) {
    return line(flow, flow.profile(), profile);
  }

  /** Returns the line of the fields that a module saves. */
  public static String line(Flow flow, FlowModule module, Profile profile) {
    return line(flow, flow.profileOf(module.id()), profile);
  }

  /**
   * Returns the fields that a module's model is to ask for now, in the order of the flow: those
   * that the flow asks for after the first success, if there was one and they have no value.
   */
  public static List<String> toAskNow(Flow flow, FlowModule module, Profile profile) {
    return flow.offered(module).stream()
        .filter(field -> field.askAfterSuccess() && profile.successCount() > 0)
        .filter(field -> isToFillIn(flow, profile, field))
        .map(ProfileField::name)
        .toList();
  }

  /**
   * Returns fields as one line of JSON: those that were saved, in the order of the flow, then under
   * {@code defaults} those that have a value because nobody said another, then the counters if the
   * flow sends daily prompts; {@code {}} while nothing was saved or counted.
   */
  private static String line(Flow flow, List<ProfileField> fields, Profile profile) {
    var line = JsonNodeFactory.instance.objectNode();
    if (profile.fields().isEmpty() && profile.successCount() == 0 && profile.totalPrompts() == 0) {
      return line.toString();
    }
    var defaults = JsonNodeFactory.instance.objectNode();
    fields.forEach(field ->
        profile
            .value(field)
            .ifPresent(value ->
                (profile.saved(field).isPresent() ? line : defaults).set(field.name(), value)));
    if (!defaults.isEmpty()) {
      line.set(DEFAULTS, defaults);
    }
    if (flow.dailyPrompt() != null) {
      line.put(ProfileJson.SUCCESS_COUNT, profile.successCount());
      line.put(ProfileJson.TOTAL_PROMPTS, profile.totalPrompts());
    }
    return line.toString();
  }
}
