package org.habitline.messaging.inbox;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import java.nio.file.Path;

/** Provides the keywords, read at startup, so that a broken file stops it. */
@Factory
final class KeywordFactory {

  @Context
  ConsentKeywords consentKeywords(@Value("${habitline.home}") String home) {
    return ConsentKeywords.read(Path.of(home).toAbsolutePath().normalize());
  }
}
