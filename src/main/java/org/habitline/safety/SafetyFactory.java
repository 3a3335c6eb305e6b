package org.habitline.safety;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import java.nio.file.Path;
import org.habitline.safety.rules.CrisisRules;

/** Provides the crisis rules. They are read at startup, so that a broken rule file stops it. */
@Factory
final class SafetyFactory {

  @Context
  CrisisRules crisisRules(@Value("${habitline.home}") String home) {
    return CrisisRules.of(Path.of(home).toAbsolutePath().normalize());
  }
}
