package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.BeanContext;
import io.micronaut.context.BeanResolutionContext;
import io.micronaut.inject.BeanConfiguration;
import io.micronaut.inject.BeanDefinitionReference;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tools of the program without the service, for a command that must know which tools there are.
 * All other beans are left out, so no database, port or thread is opened.
 */
final class ToolBeans {

  /** The packages of the tools and of what they are made from. */
  private static final String[] KEPT = {
    "org.habitline.tools.", "org.habitline.flows.", "org.habitline.timers.", "io.micronaut.context."
  };

  private ToolBeans() {}

  /** Returns a context with the settings of this process and this home folder. */
  static ApplicationContext start(Path home) {
    return ApplicationContext.builder()
        .properties(Map.of("habitline.home", home.toString()))
        .singletons(Clock.systemUTC())
        .beanConfigurations(new LeftOut())
        .start();
  }

  /** The beans that are left out: those of other packages, and those that every start creates. */
  private static final class LeftOut implements BeanConfiguration {

    @Override
    public boolean isWithin(BeanDefinitionReference bean) {
      return bean.isContextScope() || isWithin(bean.getBeanDefinitionName());
    }

    @Override
    public boolean isWithin(String className) {
      return Stream.of(KEPT).noneMatch(className::startsWith);
    }

    @Override
    public boolean isEnabled(BeanContext context, @Nullable BeanResolutionContext resolution) {
      return false;
    }

    @Override
    public Package getPackage() {
      return Objects.requireNonNull(ToolBeans.class.getPackage());
    }

    @Override
    public String getName() {
      return ToolBeans.class.getName();
    }

    @Override
    public String getVersion() {
      return "";
    }
  }
}
