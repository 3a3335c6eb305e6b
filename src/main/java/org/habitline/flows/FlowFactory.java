package org.habitline.flows;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Provides the flows. They are read at startup, so that a broken flow stops it. */
@Factory
final class FlowFactory {

  @Singleton
  FlowFolders flowFolders(FlowSettings settings) {
    return new FlowFolders(home(settings).resolve("config").resolve("flows"));
  }

  private static Path home(FlowSettings settings) {
    return Path.of(settings.home()).toAbsolutePath().normalize();
  }

  @Context
  FlowCatalog flowCatalog(
      FlowSettings settings,
      KnownTools tools,
      TakenWords taken,
      @Nullable @Value("${default-schedule:}") String defaultSchedule) {
    return new FlowCatalog(
        home(settings),
        settings.flow(),
        tools,
        Optional.ofNullable(defaultSchedule).filter(time -> !time.isBlank()).map(LocalTime::parse),
        taken);
  }
}
