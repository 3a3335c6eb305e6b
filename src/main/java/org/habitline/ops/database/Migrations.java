package org.habitline.ops.database;

import io.micronaut.flyway.FlywayConfigurationCustomizer;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * Updates the tables at the start: on connections of their own, which have no timeouts, and without
 * the steps that take long on large tables ({@link LightScripts}). {@link Upgrade} runs those once
 * the service is open, so that neither this start nor the nodes that still run wait for them.
 */
@Singleton
@Named("default")
public final class Migrations implements FlywayConfigurationCustomizer {

  private static final String SCRIPTS = "classpath:db/migration";

  /** How often to try while another node migrates, one try a second. */
  private static final int TRIES_WHILE_ANOTHER_MIGRATES = 600;

  private final OwnConnections connections;

  Migrations(OwnConnections connections) {
    this.connections = connections;
  }

  @Override
  public String getName() {
    return "default";
  }

  @Override
  public void customizeFluentConfiguration(FluentConfiguration flyway) {
    configure(flyway, connections, new LightScripts());
  }

  /** Returns this version's migrations for any database. */
  public static Flyway of(OwnConnections connections) {
    return of(connections, new LightScripts());
  }

  /**
   * Reads the scripts and returns the indexes that those from {@link LightScripts} on create and
   * drop.
   */
  static LightScripts.Indexes indexes(OwnConnections connections) {
    var indexes = new LightScripts.Indexes();
    of(connections, new LightScripts(indexes)).info();
    return indexes;
  }

  private static Flyway of(OwnConnections connections, LightScripts scripts) {
    var flyway = Flyway.configure();
    configure(flyway, connections, scripts);
    return flyway.load();
  }

  /**
   * Returns what the scripts write differently for each database: {@code unchecked} ends a
   * constraint that does not read the rows that are there already.
   */
  public static Map<String, String> placeholders(boolean postgresql) {
    return Map.of("unchecked", postgresql ? "not valid" : "nocheck");
  }

  private static void configure(
      FluentConfiguration flyway, OwnConnections connections, LightScripts scripts) {
    flyway
        .dataSource(connections.url(), connections.user(), connections.password())
        .jdbcProperties(connections.properties())
        .initSql(connections.first())
        .locations(SCRIPTS)
        .placeholders(placeholders(connections.onPostgresql()))
        .lockRetryCount(TRIES_WHILE_ANOTHER_MIGRATES)
        .skipDefaultResolvers(true)
        .resolvers(scripts);
  }
}
