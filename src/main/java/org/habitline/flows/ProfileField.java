package org.habitline.flows;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One field of the profile that a flow collects.
 *
 * @param values the only values accepted when {@code type} is {@code CHOICE}, else empty
 * @param maxLength longest text accepted, in characters (code points)
 * @param requiredForPrompt whether a habit prompt cannot be written without it
 * @param aliases other names a model may use for it
 * @param defaultValue what the field says before anyone set it
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

  /** What a field may hold. */
  public enum Type {
    TEXT,
    CHOICE
  }
}
