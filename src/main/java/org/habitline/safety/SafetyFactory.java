package org.habitline.safety;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import java.nio.file.Path;
import org.habitline.protocol.ConsentPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.safety.gates.ReplyGates;
import org.habitline.safety.rules.CrisisRules;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Provides what is read at startup, so that a broken file stops it. */
@Factory
final class SafetyFactory {

  private static final Logger log = LoggerFactory.getLogger(SafetyFactory.class);

  private final Path home;

  SafetyFactory(@Value("${habitline.home}") String home) {
    this.home = Path.of(home).toAbsolutePath().normalize();
  }

  @Context
  CrisisRules crisisRules(StudyFile study) {
    var rules = CrisisRules.of(home, study.consent().map(ConsentPlan::minAge).orElse(0));
    rules.warnings().forEach(log::warn);
    return rules;
  }

  @Context
  ReplyGates replyGates(StudyFile study) {
    return ReplyGates.of(home, study.gates());
  }
}
