package org.habitline.ops.http;

import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

/**
 * Provides the Jackson modules for the JSON of requests and responses. Jackson does not look for
 * modules itself: it would also load the one for Kotlin, which the model client brings along. That
 * module looks for Kotlin in every class, which took a seventh of the start's Java code.
 */
@Factory
final class JsonModules {

  @Singleton
  JavaTimeModule times() {
    return new JavaTimeModule();
  }

  @Singleton
  Jdk8Module optionals() {
    return new Jdk8Module();
  }
}
