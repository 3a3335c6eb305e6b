package org.habitline.staff.web;

import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

/**
 * Names the modules of the JSON that clients send and get. If Jackson looked for modules itself, it
 * would also find the one for Kotlin, which the model client needs for itself and which searches
 * every class for traces of Kotlin.
 */
@Factory
final class JsonFactory {

  @Singleton
  JavaTimeModule times() {
    return new JavaTimeModule();
  }

  @Singleton
  Jdk8Module optionals() {
    return new Jdk8Module();
  }
}
