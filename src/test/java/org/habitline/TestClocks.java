package org.habitline;

import io.micronaut.context.RuntimeBeanDefinition;
import io.micronaut.inject.qualifiers.PrimaryQualifier;
import java.time.Clock;
import java.util.List;
import org.habitline.timers.StudyClock;

/** The two clocks of a line under test, in the place of the program's own. */
public record TestClocks(SettableClock study, SettableClock system) implements TestBean {

  @Override
  public List<RuntimeBeanDefinition<?>> definitions() {
    return List.of(
        RuntimeBeanDefinition.builder(StudyClock.class, () -> new StudyClock(study))
            .singleton(true)
            .qualifier(PrimaryQualifier.instance())
            .replaces(StudyClock.class)
            .build(),
        RuntimeBeanDefinition.builder(Clock.class, () -> system)
            .singleton(true)
            .named("system")
            .replaces(Clock.class)
            .build());
  }
}
