package org.habitline.ops.database;

import io.micronaut.flyway.FlywayConfigurationCustomizer;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * How the tables are brought up to date at the start: on connections of their own, which no timeout
 * cuts off, and without what takes long on tables that are large ({@link LightScripts}): that is
 * done once the line is open ({@link Upgrade}), so that neither this start nor the nodes that still
 * run wait for it.
 */
@Singleton
@Named("default")
public final class Migrations implements FlywayConfigurationCustomizer {

  private static final String SCRIPTS = "classpath:db/migration";

  /** Another node that starts at the same time is waited for, in tries of a second. */
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

  /** Returns the migrations of this version for any database. */
  public static Flyway of(OwnConnections connections) {
    return of(connections, new LightScripts());
  }

  /** Reads the scripts and returns what those of them that came late make of the indexes. */
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
