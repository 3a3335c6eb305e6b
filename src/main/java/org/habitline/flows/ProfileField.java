package org.habitline.flows;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One field of the profile that a flow collects.
 *
 * @param module the module that asks for the field and saves it, or {@code null} for any module
 * @param required whether its module is complete only with this field
 * @param requiredForPrompt whether a habit prompt needs the field
 * @param aliases other names that a model may use for the field
 * @param defaultValue the field's value until it is set, of the field's type
 * @param flag what follows once this {@code boolean} is true, or {@code null} if it is no flag
 * @param lowest the lowest value by another field, or {@code null} if no field decides it
 * @param archives the fields whose values describe the old value of this one: they are archived and
 *     emptied when it changes
 * @param askAfterSuccess whether the model is told to ask for the field after the first success
 */
public record ProfileField(
    String name,
    FieldType type,
    @Nullable String module,
    boolean required,
    boolean requiredForPrompt,
    String description,
    List<String> aliases,
    @Nullable JsonNode defaultValue,
    @Nullable Flag flag,
    @Nullable LowestBy lowest,
    List<String> archives,
    boolean askAfterSuccess) {

  /**
   * A {@code boolean} field that staff are shown. Once it is true, it stays true.
   *
   * @param forbids by field, the values that are neither kept nor accepted while the flag is true;
   *     an empty list stands for every value
   */
  public record Flag(Map<String, List<String>> forbids) {
    public Flag {
      forbids = Collections.unmodifiableMap(new LinkedHashMap<>(forbids));
    }

    /** Returns whether the flag forbids every value of a field. */
    public boolean forbids(String field) {
      var values = forbids.get(field);
      return values != null && values.isEmpty();
    }

    /** Returns whether the flag forbids this value of a field. */
    public boolean forbids(String field, JsonNode value) {
      var values = forbids.get(field);
      return values != null && (values.isEmpty() || values.contains(value.asText()));
    }
  }

  /**
   * The lowest value that a number may have, by another number of the profile.
   *
   * @param field the other number, without which no value is accepted
   * @param upTo the lowest value for each value of the other number, up to and including it; the
   *     last one holds for every larger value too
   * @param flag the flag that is raised instead of saving a lower value
   */
  public record LowestBy(String field, NavigableMap<BigDecimal, BigDecimal> upTo, String flag) {
    public LowestBy {
      upTo = Collections.unmodifiableNavigableMap(new TreeMap<>(upTo));
    }

    /** Returns the lowest value for a value of the other number. */
    public BigDecimal at(BigDecimal other) {
      var row = upTo.ceilingEntry(other);
      return (row == null ? upTo.lastEntry() : row).getValue();
    }
  }

  /** A field without rules about other fields. */
  public ProfileField(
      String name,
      FieldType type,
      @Nullable String module,
      boolean required,
      boolean requiredForPrompt,
      String description,
      List<String> aliases,
      @Nullable JsonNode defaultValue) {
    this(
        name,
        type,
        module,
        required,
        requiredForPrompt,
        description,
        aliases,
        defaultValue,
        null,
        null,
        List.of(),
        false);
  }

  public ProfileField {
    aliases = List.copyOf(aliases);
    archives = List.copyOf(archives);
  }

  /** Returns the only accepted values of a choice; empty for other types. */
  public List<String> values() {
    return type instanceof FieldType.Choice choice ? choice.values() : List.of();
  }
}
