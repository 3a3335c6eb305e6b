package org.habitline.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** How PostgreSQL carries out statements whose parameters it does not know yet. */
final class Plans {

  /** A table with fewer rows than this is read whole without harm. */
  private static final int LARGE = 10_000;

  private static final JsonMapper JSON = new JsonMapper();
  private static final Path FILE =
      Path.of(System.getProperty("habitline.bench.results")).resolveSibling("plans.txt");

  /** A text in quotes, or a parameter. */
  private static final Pattern PARAMETER = Pattern.compile("'(?:[^']|'')*'|\\?");

  private final List<String> lines = new ArrayList<>();
  private final List<String> wholeTables = new ArrayList<>();
  private int explained;
  private int unexplained;

  private Plans() {}

  /** Asks for the plan of each statement. */
  static Plans of(HikariDataSource database, Set<String> statements)
      throws SQLException, IOException {
    var plans = new Plans();
    // Only the simple protocol sends a statement with parameters that have no values.
    try (var connection =
            DriverManager.getConnection(
                database.getJdbcUrl() + "?preferQueryMode=simple",
                database.getUsername(),
                database.getPassword());
        var statement = connection.createStatement()) {
      var sizes = sizes(connection);
      for (var sql : statements) {
        plans.explain(sql, sizes, statement);
      }
    }
    Files.write(FILE, plans.lines);
    return plans;
  }

  /** Returns in words how many plans were written, and which tables are read whole. */
  String written() {
    return "%d statements, %d that cannot be explained, %s (%s)"
        .formatted(
            explained,
            unexplained,
            wholeTables.isEmpty()
                ? "none reads a table of more than %,d rows whole".formatted(LARGE)
                : "read whole: " + String.join(", ", wholeTables),
            FILE.getFileName());
  }

  private static Map<String, Double> sizes(Connection connection) throws SQLException {
    var sizes = new HashMap<String, Double>();
    try (var statement = connection.createStatement();
        var found =
            statement.executeQuery("SELECT relname, reltuples FROM pg_class WHERE relkind = 'r'")) {
      while (found.next()) {
        sizes.put(found.getString(1), found.getDouble(2));
      }
    }
    return sizes;
  }

  private void explain(String sql, Map<String, Double> sizes, Statement statement) {
    lines.add(sql.strip());
    try (var found =
        statement.executeQuery(
            "EXPLAIN (GENERIC_PLAN, COSTS FALSE, FORMAT JSON) " + numbered(sql))) {
      found.next();
      write(JSON.readTree(found.getString(1)).path(0).path("Plan"), 1, sizes);
      explained++;
    } catch (SQLException | IOException e) {
      lines.add("  cannot be explained: " + String.valueOf(e.getMessage()).lines().findFirst());
      unexplained++;
    }
    lines.add("");
  }

  /** Returns the statement with numbered parameters. */
  private static String numbered(String sql) {
    var number = new int[1];
    return PARAMETER
        .matcher(sql)
        .replaceAll(found ->
            found.group().equals("?")
                ? "\\$" + ++number[0]
                : Matcher.quoteReplacement(found.group()));
  }

  private void write(JsonNode plan, int depth, Map<String, Double> sizes) {
    var table = plan.path("Relation Name").asText();
    var index = plan.path("Index Name").asText();
    lines.add(
        "  ".repeat(depth)
            + plan.path("Node Type").asText()
            + (table.isEmpty() ? "" : " on " + table)
            + (index.isEmpty() ? "" : " by " + index));
    if (plan.path("Node Type").asText().equals("Seq Scan")
        && sizes.getOrDefault(table, 0.0) > LARGE
        && !wholeTables.contains(table)) {
      wholeTables.add(table);
    }
    var children = plan.path("Plans");
    IntStream.range(0, children.size())
        .forEach(child -> write(children.get(child), depth + 1, sizes));
  }
}
