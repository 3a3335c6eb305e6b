package org.habitline.study.report;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.habitline.storage.Database;

/**
 * Replaces time zones that the database does not know. Java and PostgreSQL have a list of time
 * zones each, of different age; a query with a name that PostgreSQL does not know fails, and one
 * with a name such as {@code GMT+2} has the opposite sign there. H2 uses the list of Java.
 */
final class DatabaseZones {

  private static final String UTC = "UTC";

  private DatabaseZones() {}

  /**
   * Returns, by the participants' time zones that the database does not know, the one to use
   * instead: one with the same rules, else one with the same offset at this time, else UTC.
   */
  static Map<String, String> replaced(Connection snapshot, Instant now) throws SQLException {
    if (Database.isFile(snapshot)) {
      return Map.of();
    }
    var known = words(snapshot, "SELECT name FROM pg_timezone_names");
    var replaced = new LinkedHashMap<String, String>();
    for (var zone : words(snapshot, "SELECT DISTINCT timezone FROM participant")) {
      if (!known.contains(zone)) {
        replaced.put(zone, instead(ZoneId.of(zone), known, now));
      }
    }
    return replaced;
  }

  private static String instead(ZoneId zone, SortedSet<String> known, Instant now) {
    var java = ZoneId.getAvailableZoneIds();
    var both = known.stream().filter(java::contains).map(ZoneId::of).toList();
    return both.stream()
        .filter(it -> it.getRules().equals(zone.getRules()))
        .findFirst()
        .or(() ->
            both.stream()
                .filter(it -> it.getRules().getOffset(now).equals(zone.getRules().getOffset(now)))
                .findFirst())
        .map(ZoneId::getId)
        .orElse(UTC);
  }

  private static SortedSet<String> words(Connection snapshot, String sql) throws SQLException {
    var words = new TreeSet<String>();
    try (var statement = snapshot.createStatement();
        var rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        words.add(rows.getString(1));
      }
    }
    return words;
  }
}
