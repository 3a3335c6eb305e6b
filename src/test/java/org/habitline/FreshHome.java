package org.habitline;

import io.micronaut.context.ApplicationContext;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import javax.sql.DataSource;

/** A home folder of its own for a test, with the real database in it. */
public final class FreshHome {

  private FreshHome() {}

  /** What a program needs to be told to live in a new folder, on any free port. */
  public static Map<String, Object> properties(Class<?> test) {
    // As the program itself does at its start.
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    try {
      var folder = Files.createDirectories(Path.of("target", "homes"));
      var home = Files.createTempDirectory(folder, test.getSimpleName() + "-").toAbsolutePath();
      // Homes whose lines share a database must have the same.
      Files.writeString(home.resolve("suppression.key"), "5e".repeat(32));
      var properties = new LinkedHashMap<String, Object>();
      properties.put("habitline.home", home.toString());
      // Where it looks for exports that were left behind: not where other lines write theirs.
      properties.put("java.io.tmpdir", home.toString());
      properties.put("habitline.port", "0");
      properties.put("turn.quiet-period", "0s");
      properties.put("turns.per-minute", "0");
      properties.put("habitline.requests-per-minute", "0");
      properties.putAll(TestDatabase.fresh(home));
      return properties;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads rows with plain JDBC, past everything that is tested. */
  public static List<Map<String, Object>> rows(
      ApplicationContext context, String sql, Object... arguments) {
    var source = DelegatingDataSource.unwrapDataSource(context.getBean(DataSource.class));
    try (var connection = source.getConnection();
        var statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      try (var rows = statement.executeQuery()) {
        var found = new ArrayList<Map<String, Object>>();
        var columns = rows.getMetaData();
        while (rows.next()) {
          var row = new LinkedHashMap<String, Object>();
          for (int i = 1; i <= columns.getColumnCount(); i++) {
            row.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), rows.getObject(i));
          }
          found.add(row);
        }
        return found;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
