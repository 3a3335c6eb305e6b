package org.habitline.tools;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.nio.file.Path;

/** Provides the files of exported forms. */
@Factory
final class ExportFactory {

  @Singleton
  ExportFiles exportFiles(@Value("${habitline.home}") String home) {
    return new ExportFiles(Path.of(home));
  }
}
