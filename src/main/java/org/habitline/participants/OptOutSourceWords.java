package org.habitline.participants;

import io.micronaut.core.convert.ConversionContext;
import io.micronaut.data.model.runtime.convert.AttributeConverter;
import jakarta.inject.Singleton;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Converts how an opt-out came to the database's word. Nodes of the previous version write
 * sentences of their own while an update runs: what is none of our words is read as not known.
 */
@Singleton
public final class OptOutSourceWords implements AttributeConverter<OptOutSource, String> {

  @Override
  public @Nullable String convertToPersistedValue(
      @Nullable OptOutSource source, ConversionContext context) {
    return source == null ? null : source.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public @Nullable OptOutSource convertToEntityValue(
      @Nullable String word, ConversionContext context) {
    for (var source : OptOutSource.values()) {
      if (source.name().equalsIgnoreCase(word)) {
        return source;
      }
    }
    return null;
  }
}
