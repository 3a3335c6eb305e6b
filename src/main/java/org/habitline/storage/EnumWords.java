package org.habitline.storage;

import io.micronaut.core.convert.ArgumentConversionContext;
import io.micronaut.core.convert.ConversionContext;
import io.micronaut.data.model.runtime.convert.AttributeConverter;
import jakarta.inject.Singleton;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Converts enums to the words in the database, and back. */
@Singleton
public final class EnumWords implements AttributeConverter<Object, String> {

  /**
   * Returns the word of a constant, or a string unchanged: a query's string parameter with the name
   * of such a column is converted here, too.
   */
  @Override
  public @Nullable String convertToPersistedValue(
      @Nullable Object value, ConversionContext context) {
    return value instanceof Enum<?> constant
        ? constant.name().toLowerCase(Locale.ROOT)
        : (String) value;
  }

  /**
   * Returns the constant of the column's type.
   *
   * @throws IllegalStateException if the word is none of that type's, or the type is unknown
   */
  @Override
  public @Nullable Object convertToEntityValue(@Nullable String word, ConversionContext context) {
    if (word == null) {
      return null;
    }
    if (context instanceof ArgumentConversionContext<?> column) {
      var type = column.getArgument().getType();
      for (var constant : type.getEnumConstants()) {
        if (constant instanceof Enum<?> value && value.name().equalsIgnoreCase(word)) {
          return value;
        }
      }
      throw new IllegalStateException("'" + word + "' is no " + type.getSimpleName());
    }
    throw new IllegalStateException("The type of a stored enum is unknown.");
  }
}
