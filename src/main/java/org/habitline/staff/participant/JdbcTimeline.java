package org.habitline.staff.participant;

import io.micronaut.data.jdbc.runtime.JdbcOperations;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads a participant's timeline across the tables of several packages, in one statement. */
@Singleton
class JdbcTimeline {

  private static final List<TimelineEvent> EVENTS = List.of(TimelineEvent.values());

  private final JdbcOperations jdbc;

  JdbcTimeline(JdbcOperations jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * Where a page of the timeline begins: after the entry of this time and place.
   *
   * @param place tells two entries of one time apart
   */
  record Place(Instant at, String place) {}

  /** One event; what the values mean depends on it ({@link TimelineEvent}). */
  record Row(
      TimelineEvent event,
      TimelineKind kind,
      Instant at,
      String place,
      @Nullable String who,
      @Nullable String a,
      @Nullable String b,
      @Nullable String c,
      @Nullable Integer turn,
      @Nullable Instant other) {}

  /** Returns events of these kinds after a place, newest first. */
  List<Row> newest(String participantId, Set<TimelineKind> kinds, Place after, int most) {
    var events = new ArrayList<TimelineEvent>();
    for (var event : EVENTS) {
      if (kinds.contains(event.kind()) || event == TimelineEvent.AUDITED) {
        events.add(event);
      }
    }
    var sql =
        "SELECT t.event, t.kind, t.at, t.place, t.who, t.a, t.b, t.c, t.turn, t.other FROM ("
            + events.stream().map(JdbcTimeline::part).collect(Collectors.joining(" UNION ALL "))
            + ") t WHERE t.kind IN ("
            + kinds.stream().map(kind -> "'" + kind.word() + "'").collect(Collectors.joining(", "))
            + ") AND (t.at < ? OR (t.at = ? AND t.place < ?)) ORDER BY t.at DESC, t.place DESC LIMIT "
            + most;
    return jdbc.prepareStatement(
        sql,
        statement -> {
          var at = after.at().atOffset(ZoneOffset.UTC);
          for (int i = 1; i <= events.size(); i++) {
            statement.setString(i, participantId);
          }
          statement.setObject(events.size() + 1, at);
          statement.setObject(events.size() + 2, at);
          statement.setString(events.size() + 3, after.place());
          try (var rows = statement.executeQuery()) {
            var found = new ArrayList<Row>();
            while (rows.next()) {
              found.add(row(rows));
            }
            return found;
          }
        });
  }

  private static String part(TimelineEvent event) {
    var kind =
        event == TimelineEvent.AUDITED ? TimelineActs.kind("e.a") : "'" + event.kind().word() + "'";
    return "SELECT '%s' AS event, %s AS kind, e.at, '%02d:' || e.ref AS place, e.who, e.a, e.b, e.c, e.turn, e.other FROM (%s) e"
        .formatted(event.word(), kind, EVENTS.indexOf(event), event.query());
  }

  private static Row row(ResultSet rows) throws SQLException {
    var turn = rows.getObject(9, Integer.class);
    return new Row(
        TimelineEvent.valueOf(rows.getString(1).toUpperCase(Locale.ROOT)),
        TimelineKind.valueOf(rows.getString(2).toUpperCase(Locale.ROOT)),
        Objects.requireNonNull(instant(rows, 3)),
        rows.getString(4),
        rows.getString(5),
        rows.getString(6),
        rows.getString(7),
        rows.getString(8),
        turn,
        instant(rows, 10));
  }

  private static @Nullable Instant instant(ResultSet rows, int column) throws SQLException {
    var at = rows.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
