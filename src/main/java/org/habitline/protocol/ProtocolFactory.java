package org.habitline.protocol;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import java.nio.file.Path;

/** Provides what the study's files say, read at startup, so that a broken file stops it. */
@Factory
final class ProtocolFactory {

  @Context
  StudyFile studyFile(@Value("${habitline.home}") String home) {
    return StudyFile.read(Path.of(home).toAbsolutePath().normalize());
  }

  @Context
  OutcomeWords outcomeWords(@Value("${habitline.home}") String home) {
    return OutcomeWords.read(Path.of(home).toAbsolutePath().normalize());
  }
}
