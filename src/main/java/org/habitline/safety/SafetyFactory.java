package org.habitline.safety;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import java.nio.file.Path;
import org.habitline.safety.rules.CrisisRules;

/** Provides what is read at startup, so that a broken file stops it. */
@Factory
final class SafetyFactory {

  private final Path home;

  SafetyFactory(@Value("${habitline.home}") String home) {
    this.home = Path.of(home).toAbsolutePath().normalize();
  }

  @Context
  CrisisRules crisisRules() {
    return CrisisRules.of(home);
  }
}
