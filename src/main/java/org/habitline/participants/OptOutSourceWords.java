package org.habitline.participants;

import io.micronaut.core.convert.ConversionContext;
import io.micronaut.data.model.runtime.convert.AttributeConverter;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts an opt-out's source to the database's word, and back. Nodes of the previous version
 * write sentences while an update runs; those are read too, so no back-fill rewrites them. Any
 * other value is read as {@code null}.
 */
@Singleton
public final class OptOutSourceWords implements AttributeConverter<OptOutSource, String> {

  private static final Map<String, OptOutSource> OF_THE_PREVIOUS_VERSION =
      Map.of(
          "free words", OptOutSource.FREE_WORDS,
          "from the provider's list after an erasure", OptOutSource.PROVIDER_LIST,
          "from a number that is not enrolled", OptOutSource.NOT_ENROLLED,
          "before the line knew whose text it was", OptOutSource.UNKNOWN_SENDER);

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
    return word == null ? null : OF_THE_PREVIOUS_VERSION.get(word);
  }
}
