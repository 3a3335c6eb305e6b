package org.habitline.bench.bare;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.io.service.SoftServiceLoader;
import io.micronaut.inject.BeanConfiguration;
import io.micronaut.runtime.server.EmbeddedServer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A Micronaut server with nothing of Habitline but its {@code application.yml}: the same threads,
 * pool and database address, no security and no filters.
 */
public final class BareServer {

  static final String PROPERTY = "bench.bare";
  public static final String PATH = "/received";

  private BareServer() {}

  public static EmbeddedServer start(Map<String, Object> database) {
    var settings = new LinkedHashMap<>(database);
    settings.put(PROPERTY, "true");
    settings.put("habitline.port", "0");
    settings.put("micronaut.security.enabled", "false");
    // Setting bean configurations replaces the discovered ones, so all of them must be named.
    var configurations = SoftServiceLoader.load(BeanConfiguration.class).collectAll();
    configurations.add(new WithoutTheLine());
    return ApplicationContext.builder()
        .properties(settings)
        .beanConfigurations(configurations.toArray(BeanConfiguration[]::new))
        .start()
        .getBean(EmbeddedServer.class)
        .start();
  }
}
