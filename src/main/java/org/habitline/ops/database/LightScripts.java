package org.habitline.ops.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.executor.MigrationExecutor;
import org.flywaydb.core.api.resolver.MigrationResolver;
import org.flywaydb.core.api.resolver.ResolvedMigration;
import org.flywaydb.core.extensibility.MigrationType;
import org.flywaydb.core.internal.jdbc.Results;
import org.flywaydb.core.internal.parser.ParsingContext;
import org.flywaydb.core.internal.resolver.sql.SqlMigrationResolver;
import org.flywaydb.core.internal.sqlscript.SqlScript;
import org.habitline.storage.Database;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the migration scripts without the steps that take long on large tables: rewriting their rows
 * and, on PostgreSQL, building their indexes, which would block writers; an old index stays until
 * its replacement is built. {@link Upgrade} runs these steps later. The scripts and their checksums
 * do not change.
 */
final class LightScripts implements MigrationResolver {

  private static final Logger log = LoggerFactory.getLogger(LightScripts.class);

  /** The first script handled this way; when earlier ones ran, tables were still small. */
  private static final MigrationVersion FIRST = MigrationVersion.fromVersion("13");

  /** The most rows of a table that does not count as large. */
  private static final int SMALL = 10_000;

  private static final Pattern INDEX =
      Pattern.compile("create\\s+(?:unique\\s+)?index\\s+(\\w+)\\s+on\\s+(\\w+).*", Pattern.DOTALL);
  private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*--.*$");
  private static final Pattern DROP = Pattern.compile("drop\\s+index\\s+(\\w+)");
  private static final Pattern UPDATE = Pattern.compile("update\\s+(\\w+)\\s.*", Pattern.DOTALL);

  /**
   * An index that a script creates.
   *
   * @param unique whether the statement says so
   * @param on table and columns, as in the statement
   */
  record Index(String name, boolean unique, String on) {

    static Optional<Index> in(String statement) {
      var made = INDEX.matcher(plain(statement));
      return made.matches()
          ? Optional.of(
              new Index(
                  made.group(1),
                  plain(statement).contains("unique index"),
                  plain(statement).substring(made.start(2))))
          : Optional.empty();
    }

    /** Returns the statement that builds the index without blocking writers; PostgreSQL only. */
    String statement() {
      return "CREATE " + (unique ? "UNIQUE " : "") + "INDEX CONCURRENTLY " + name + " ON " + on;
    }
  }

  /** The indexes that the scripts create and keep, and those they drop. */
  static final class Indexes {
    private final Map<String, Index> made = new LinkedHashMap<>();
    private final Set<String> dropped = new LinkedHashSet<>();

    private void read(String statement) {
      Index.in(statement)
          .ifPresent(index -> {
            made.put(index.name(), index);
            dropped.remove(index.name());
          });
      droppedBy(statement)
          .ifPresent(name -> {
            made.remove(name);
            dropped.add(name);
          });
    }

    List<Index> made() {
      return List.copyOf(made.values());
    }

    List<String> dropped() {
      return List.copyOf(dropped);
    }
  }

  private final Optional<Indexes> indexes;

  LightScripts() {
    this(Optional.empty());
  }

  /**
   * @param indexes collects every index of the scripts while they are read
   */
  LightScripts(Indexes indexes) {
    this(Optional.of(indexes));
  }

  private LightScripts(Optional<Indexes> indexes) {
    this.indexes = indexes;
  }

  /** Returns the name of the index that a statement drops, or empty if it does something else. */
  private static Optional<String> droppedBy(String statement) {
    var drop = DROP.matcher(plain(statement));
    return drop.matches() ? Optional.of(drop.group(1)) : Optional.empty();
  }

  /** Returns a statement in lower case, on one line and without the comments before it. */
  private static String plain(String statement) {
    return COMMENT
        .matcher(statement)
        .replaceAll("")
        .strip()
        .replaceAll("\\s+", " ")
        .toLowerCase(Locale.ROOT);
  }

  @Override
  public Collection<ResolvedMigration> resolveMigrations(MigrationResolver.Context context) {
    var scripts =
        new SqlMigrationResolver(
            context.resourceProvider,
            context.sqlScriptExecutorFactory,
            context.sqlScriptFactory,
            context.configuration,
            new ParsingContext());
    return scripts.resolveMigrations(context).stream()
        .map(script ->
            script.getVersion() != null && script.getVersion().isAtLeast(FIRST.getVersion())
                ? light(script, context)
                : script)
        .toList();
  }

  private ResolvedMigration light(ResolvedMigration script, MigrationResolver.Context context) {
    indexes.ifPresent(all -> statements(script, context).forEach(all::read));
    return new Light(script, () -> statements(script, context));
  }

  private static List<String> statements(
      ResolvedMigration script, MigrationResolver.Context context) {
    var resource =
        context
            .resourceProvider
            .getResources("", context.configuration.getSqlMigrationSuffixes())
            .stream()
            .filter(it -> it.getFilename().equals(script.getScript()))
            .findFirst()
            .orElseThrow(() -> new FlywayException("There is no script " + script.getScript()));
    SqlScript read =
        context.sqlScriptFactory.createSqlScript(resource, false, context.resourceProvider);
    var statements = new ArrayList<String>();
    try (var each = read.getSqlStatements()) {
      each.forEachRemaining(statement -> statements.add(statement.getSql()));
    }
    return List.copyOf(statements);
  }

  /**
   * A Flyway migration that runs its script statement by statement. The script is read only if it
   * runs: most starts run none.
   */
  private record Light(ResolvedMigration script, Supplier<List<String>> statements)
      implements ResolvedMigration, MigrationExecutor {

    @Override
    public List<Results> execute(org.flywaydb.core.api.executor.Context context)
        throws SQLException {
      var connection = context.getConnection();
      var indexIsLater = false;
      for (var sql : statements.get()) {
        // Its replacement does not exist yet: dropping it now would cause full table scans.
        var later = isLater(sql, connection) || (indexIsLater && droppedBy(sql).isPresent());
        indexIsLater |= later && Index.in(sql).isPresent();
        if (later) {
          log.info("The table is large, so this step runs after the start: {}", first(sql));
        } else {
          try (var statement = connection.createStatement()) {
            statement.execute(sql);
          }
        }
      }
      return List.of();
    }

    private static String first(String sql) {
      return plain(sql).split(" (on|set) ", 2)[0];
    }

    private static boolean isLater(String sql, Connection connection) throws SQLException {
      var index = INDEX.matcher(plain(sql));
      if (index.matches()) {
        return !Database.isFile(connection) && isLarge(index.group(2), connection);
      }
      var update = UPDATE.matcher(plain(sql));
      return update.matches() && isLarge(update.group(1), connection);
    }

    private static boolean isLarge(String table, Connection connection) throws SQLException {
      try (var statement = connection.createStatement();
          var found =
              statement.executeQuery(
                  "SELECT COUNT(*) FROM (SELECT 1 FROM "
                      + table
                      + " LIMIT "
                      + (SMALL + 1)
                      + ") t")) {
        return found.next() && found.getInt(1) > SMALL;
      }
    }

    @Override
    public boolean canExecuteInTransaction() {
      return script.getExecutor().canExecuteInTransaction();
    }

    @Override
    public boolean shouldExecute() {
      return script.getExecutor().shouldExecute();
    }

    @Override
    public MigrationVersion getVersion() {
      return script.getVersion();
    }

    @Override
    public String getDescription() {
      return script.getDescription();
    }

    @Override
    public String getScript() {
      return script.getScript();
    }

    @Override
    public Integer getChecksum() {
      return script.getChecksum();
    }

    @Override
    public MigrationType getType() {
      return script.getType();
    }

    @Override
    public String getPhysicalLocation() {
      return script.getPhysicalLocation();
    }

    @Override
    public MigrationExecutor getExecutor() {
      return this;
    }

    @Override
    public boolean checksumMatches(Integer checksum) {
      return script.checksumMatches(checksum);
    }

    @Override
    public boolean checksumMatchesWithoutBeingIdentical(Integer checksum) {
      return script.checksumMatchesWithoutBeingIdentical(checksum);
    }
  }
}
