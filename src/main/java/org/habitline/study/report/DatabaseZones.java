package org.habitline.study.report;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.habitline.storage.Database;

/**
 * The time zones that replace those of participants that the database does not know. Java and
 * PostgreSQL have a list of time zones each, of different age; a query with a name that PostgreSQL
 * does not know fails, and one with a name such as {@code GMT+2} has the opposite sign there. H2
 * uses the list of Java.
 *
 * @param replaced the zone to use instead of each unknown one: one with the same rules, else one
 *     with the same offset at this time, else UTC
 * @param inexact how many participants have a zone whose replacement has other rules
 */
record DatabaseZones(Map<String, String> replaced, int inexact) {

  private static final String UTC = "UTC";

  static DatabaseZones of(Connection snapshot, Instant now) throws SQLException {
    if (Database.isFile(snapshot)) {
      return new DatabaseZones(Map.of(), 0);
    }
    var known = known(snapshot);
    var replaced = new LinkedHashMap<String, String>();
    var inexact = 0;
    try (var statement = snapshot.createStatement();
        var rows =
            statement.executeQuery(
                "SELECT timezone, COUNT(*) FROM participant p"
                    + " WHERE NOT EXISTS (SELECT 1 FROM pg_timezone_names z WHERE z.name = p.timezone)"
                    + " GROUP BY timezone ORDER BY timezone")) {
      while (rows.next()) {
        var zone = ZoneId.of(rows.getString(1));
        var same = first(known, it -> it.getRules().equals(zone.getRules()));
        if (same.isEmpty()) {
          inexact += rows.getInt(2);
        }
        replaced.put(
            zone.getId(),
            same.or(() ->
                    first(
                        known,
                        it -> it.getRules().getOffset(now).equals(zone.getRules().getOffset(now))))
                .map(ZoneId::getId)
                .orElse(UTC));
      }
    }
    return new DatabaseZones(Map.copyOf(replaced), inexact);
  }

  /** Returns a sentence for readers of the numbers if local dates may be wrong. */
  Stream<String> warnings() {
    if (inexact == 0) {
      return Stream.of();
    }
    var whose = inexact == 1 ? "zone of 1 participant" : "zones of " + inexact + " participants";
    return Stream.of(
        "PostgreSQL does not know the time "
            + whose
            + ". Their local dates and times are those of another zone that has the same offset now, and"
            + " may be wrong by an hour or more on other dates. Update PostgreSQL or its time zone"
            + " data, then make the report again.");
  }

  private static Optional<ZoneId> first(List<ZoneId> zones, Predicate<ZoneId> like) {
    return zones.stream().filter(like).findFirst();
  }

  /** Returns the zones that Java and the database both know, by name. */
  private static List<ZoneId> known(Connection snapshot) throws SQLException {
    var java = ZoneId.getAvailableZoneIds();
    try (var statement = snapshot.createStatement();
        var rows = statement.executeQuery("SELECT name FROM pg_timezone_names ORDER BY name")) {
      var both = Stream.<ZoneId>builder();
      while (rows.next()) {
        if (java.contains(rows.getString(1))) {
          both.add(ZoneId.of(rows.getString(1)));
        }
      }
      return both.build().toList();
    }
  }
}
