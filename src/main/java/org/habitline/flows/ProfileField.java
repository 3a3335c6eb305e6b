package org.habitline.flows;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One field of the profile that a flow collects.
 *
 * @param values the only values accepted when {@code type} is {@code CHOICE}, else empty
 * @param maxLength longest text accepted, in characters (code points)
 * @param requiredForPrompt whether a habit prompt needs the field
 * @param aliases other names that a model may use for the field
 * @param defaultValue the field's value until it is set
 */
public record ProfileField(
    String name,
    Type type,
    List<String> values,
    int maxLength,
    boolean requiredForPrompt,
    String description,
    List<String> aliases,
    @Nullable String defaultValue) {

  /** The kind of value that a field holds. */
  public enum Type {
    TEXT,
    CHOICE
  }
}
