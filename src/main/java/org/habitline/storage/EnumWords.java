package org.habitline.storage;

import io.micronaut.core.convert.ArgumentConversionContext;
import io.micronaut.core.convert.ConversionContext;
import io.micronaut.data.model.runtime.convert.AttributeConverter;
import jakarta.inject.Singleton;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Converts enums to the words in the database, and back. While an update runs, a node of a later
 * version may write words that this one does not know. Such a word is read as {@code null} where
 * the column allows that ({@link StoredAsWord#orNull}), so that one row does not make a whole list
 * unreadable. Elsewhere, as for a status, reading it fails, because guessing would be unsafe.
 */
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
   * Returns the constant of the column's type, or {@code null} for an unknown word where the column
   * allows that.
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
      if (column
          .getArgument()
          .getAnnotationMetadata()
          .booleanValue(StoredAsWord.class, "orNull")
          .orElse(false)) {
        return null;
      }
      throw new IllegalStateException("'" + word + "' is no " + type.getSimpleName());
    }
    throw new IllegalStateException("The type of a stored enum is unknown.");
  }
}
