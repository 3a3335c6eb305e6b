package org.habitline.storage;

import io.micronaut.core.convert.ArgumentConversionContext;
import io.micronaut.core.convert.ConversionContext;
import io.micronaut.data.model.runtime.convert.AttributeConverter;
import jakarta.inject.Singleton;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Converts enums to the words that the database holds, and back. A node of a later version may
 * write words that this one does not know, while an update runs. Such a word is read as {@code
 * null} where the column says that nothing may be known ({@link StoredAsWord#orNull}), so that one
 * row does not keep a whole list away. Elsewhere, as for a status, nothing may be assumed: reading
 * it fails.
 */
@Singleton
public final class EnumWords implements AttributeConverter<Object, String> {

  /**
   * Returns the word of a constant, or a word as it is: a text that a query takes under the name of
   * such a column comes here too.
   */
  @Override
  public @Nullable String convertToPersistedValue(
      @Nullable Object value, ConversionContext context) {
    return value instanceof Enum<?> constant
        ? constant.name().toLowerCase(Locale.ROOT)
        : (String) value;
  }

  /**
   * Returns the constant of the column's type, or {@code null} for an unknown word of a column for
   * which that is allowed.
   *
   * @throws IllegalStateException if the word is none of that type's, or if the type is unknown
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
      if (column
          .getArgument()
          .getAnnotationMetadata()
          .booleanValue(StoredAsWord.class, "orNull")
          .orElse(false)) {
        return null;
      }
      throw new IllegalStateException("'" + word + "' is no " + type.getSimpleName());
    }
    throw new IllegalStateException("The type of a stored enum is not known.");
  }
}
