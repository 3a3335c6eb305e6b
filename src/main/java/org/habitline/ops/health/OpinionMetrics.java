package org.habitline.ops.health;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.BeanProvider;
import jakarta.inject.Singleton;
import org.habitline.safety.opinions.Opinion;
import org.habitline.safety.opinions.OpinionListener;
import org.habitline.safety.opinions.OpinionStatus;
import org.habitline.safety.rules.Level;

/** Counts second opinions, in the process that asked for them. */
@Singleton
final class OpinionMetrics implements OpinionListener {

  /** A provider, because opinions are built at startup, before the registry. */
  private final BeanProvider<MeterRegistry> registry;

  OpinionMetrics(BeanProvider<MeterRegistry> registry) {
    this.registry = registry;
  }

  @Override
  public void recorded(Opinion opinion) {
    counter(registry.get(), opinion.status(), opinion.level()).increment();
  }

  /** Shows every status from the start, before the first opinion. */
  static void show(MeterRegistry registry) {
    for (var status : OpinionStatus.values()) {
      counter(registry, status, Level.NONE);
    }
  }

  private static Counter counter(MeterRegistry registry, OpinionStatus status, Level level) {
    return Counter.builder("habitline.second.opinions")
        .description("Second opinions about texts")
        .tags("status", status.word(), "level", level.word())
        .register(registry);
  }
}
