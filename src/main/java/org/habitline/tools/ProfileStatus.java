package org.habitline.tools;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import org.habitline.flows.Flow;
import org.habitline.flows.ProfileField;

/** Describes a profile to a model. */
public final class ProfileStatus {

  private ProfileStatus() {}

  /** Returns the fields that are missing for a habit prompt, in the order of the flow. */
  public static List<String> missing(Flow flow, Profile profile) {
    return flow.profile().stream()
        .filter(ProfileField::requiredForPrompt)
        .filter(field -> profile.value(field).isEmpty())
        .map(ProfileField::name)
        .toList();
  }

  /**
   * Returns the profile as one line of JSON: the flow's fields that have a value, defaults
   * included, in the order of the flow, then the counters; {@code {}} while nothing was saved or
   * counted.
   */
  public static String line(Flow flow, Profile profile) {
    var line = JsonNodeFactory.instance.objectNode();
    if (profile.fields().isEmpty() && profile.successCount() == 0 && profile.totalPrompts() == 0) {
      return line.toString();
    }
    flow.profile()
        .forEach(field -> profile.value(field).ifPresent(value -> line.put(field.name(), value)));
    line.put(ProfileJson.SUCCESS_COUNT, profile.successCount());
    line.put(ProfileJson.TOTAL_PROMPTS, profile.totalPrompts());
    return line.toString();
  }
}
