package org.habitline.flows;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One field of the profile that a flow collects.
 *
 * @param module the module that asks for the field and saves it, or {@code null} for any module
 * @param required whether its module is complete only with this field
 * @param requiredForPrompt whether a habit prompt needs the field
 * @param aliases other names that a model may use for the field
 * @param defaultValue the field's value until it is set, of the field's type
 */
public record ProfileField(
    String name,
    FieldType type,
    @Nullable String module,
    boolean required,
    boolean requiredForPrompt,
    String description,
    List<String> aliases,
    @Nullable JsonNode defaultValue) {

  public ProfileField {
    aliases = List.copyOf(aliases);
  }

  /** Returns the only accepted values of a choice; empty for other types. */
  public List<String> values() {
    return type instanceof FieldType.Choice choice ? choice.values() : List.of();
  }
}
