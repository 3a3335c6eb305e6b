package org.habitline.flows;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import java.nio.file.Path;

/** Reads the flows while the line starts, so that a broken one stops it. */
@Factory
final class FlowFactory {

  @Context
  FlowCatalog flowCatalog(FlowSettings settings, KnownTools tools) {
    return new FlowCatalog(
        Path.of(settings.home()).toAbsolutePath().normalize(), settings.flow(), tools);
  }
}
