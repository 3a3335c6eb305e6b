package org.habitline.bench.bare;

import io.micronaut.context.BeanContext;
import io.micronaut.context.BeanResolutionContext;
import io.micronaut.core.annotation.AnnotationMetadata;
import io.micronaut.inject.BeanConfiguration;
import io.micronaut.inject.BeanDefinitionReference;
import org.jspecify.annotations.Nullable;

/** Excludes all of Habitline's beans except those of this package. */
final class WithoutTheLine implements BeanConfiguration {

  private static final String LINE = "org.habitline";

  @Override
  public @Nullable Package getPackage() {
    return null;
  }

  @Override
  public String getName() {
    return LINE;
  }

  @Override
  public @Nullable String getVersion() {
    return null;
  }

  @Override
  public boolean isEnabled(BeanContext context, @Nullable BeanResolutionContext resolution) {
    return false;
  }

  @Override
  public boolean isWithin(BeanDefinitionReference reference) {
    return isWithin(reference.getBeanDefinitionName());
  }

  @Override
  public boolean isWithin(String className) {
    return className.startsWith(LINE + ".")
        && !className.startsWith(WithoutTheLine.class.getPackageName() + ".");
  }

  @Override
  public AnnotationMetadata getAnnotationMetadata() {
    return AnnotationMetadata.EMPTY_METADATA;
  }
}
