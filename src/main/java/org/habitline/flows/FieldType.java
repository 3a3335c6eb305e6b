package org.habitline.flows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kind of value that a profile field holds, with its bounds. Values are stored as JSON. */
public sealed interface FieldType {

  /**
   * Returns whether a stored value is of this type's kind of JSON. A value that was saved before
   * the flow changed the field's type may be of another; bounds are not compared.
   */
  default boolean isKindOf(JsonNode value) {
    return switch (this) {
      case Text _, Choice _, Date _ -> value.isTextual();
      case Truth _ -> value.isBoolean();
      case WholeNumber _ -> value.isIntegralNumber();
      case Decimal _ -> value.isNumber();
      case Texts _ -> value.isArray();
      case Entries _ -> value.isArray() || value.isTextual();
    };
  }

  /** A JSON text of {@code minLength} to {@code maxLength} characters (code points). */
  record Text(int minLength, int maxLength) implements FieldType {}

  /** One of these texts; the case of what a model sends is ignored. */
  record Choice(List<String> values) implements FieldType {
    public Choice {
      values = List.copyOf(values);
    }
  }

  /** JSON {@code true} or {@code false}. */
  record Truth() implements FieldType {}

  /** A JSON number without a fraction, both bounds included. */
  record WholeNumber(int minimum, int maximum) implements FieldType {}

  /** A JSON number, both bounds included. */
  record Decimal(BigDecimal minimum, BigDecimal maximum) implements FieldType {

    /** Returns a number as it is stored: equal numbers give equal JSON, 75.0 the same as 75. */
    public static JsonNode stored(BigDecimal number) {
      var stripped = number.stripTrailingZeros();
      if (stripped.scale() > 0) {
        return DecimalNode.valueOf(stripped);
      }
      var whole = stripped.longValueExact();
      return Math.toIntExact(Math.clamp(whole, Integer.MIN_VALUE, Integer.MAX_VALUE)) == whole
          ? IntNode.valueOf((int) whole)
          : LongNode.valueOf(whole);
    }
  }

  /** A date as a JSON text, such as {@code 2026-11-21}; a bound that is {@code null} is open. */
  record Date(@Nullable LocalDate minimum, @Nullable LocalDate maximum) implements FieldType {}

  /** A JSON list of at most {@code maxItems} texts of at most {@code maxLength} characters each. */
  record Texts(int maxItems, int maxLength) implements FieldType {}

  /**
   * A JSON list of at most {@code most} dated texts of {@code minLength} to {@code maxLength}
   * characters each, such as {@code {"date":"2026-11-21","text":"has a bad knee"}}. A text that was
   * saved before the field became a list counts as one entry without a date.
   */
  record Entries(int most, int minLength, int maxLength) implements FieldType {}
}
