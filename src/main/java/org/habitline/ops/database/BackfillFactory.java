package org.habitline.ops.database;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import org.habitline.messaging.inbox.RawPosts;
import org.habitline.storage.InBatches;

/** Creates the back-fills; each comment names the migration script that needs it. */
@Factory
final class BackfillFactory {

  /** How many ids before a reached position may have been committed late. */
  private static final long LATE = 10_000;

  /** V18: moves the providers' original requests of texts to a table of their own. */
  @Singleton
  @Named("raw_posts")
  Backfill rawPosts(
      RawPosts rawPosts,
      @Value("${raw.retention}") Duration retention,
      @Named("system") Clock systemClock) {
    return new Posts("raw_posts", RawPosts.Former.TEXTS, rawPosts, retention, systemClock);
  }

  /** V18: moves the providers' original requests of unmatched texts to that table. */
  @Singleton
  @Named("unclaimed_raw_posts")
  Backfill unclaimedRawPosts(
      RawPosts rawPosts,
      @Value("${raw.retention}") Duration retention,
      @Named("system") Clock systemClock) {
    return new Posts(
        "unclaimed_raw_posts", RawPosts.Former.UNCLAIMED, rawPosts, retention, systemClock);
  }

  private record Posts(
      String name, RawPosts.Former former, RawPosts rawPosts, Duration retention, Clock systemClock)
      implements Backfill {

    @Override
    public boolean goesOn() {
      return true;
    }

    @Override
    public String before(String position) {
      return position.isEmpty() ? "" : String.valueOf(Math.max(0, Long.parseLong(position) - LATE));
    }

    @Override
    public Progress next(Connection connection, String position) {
      var after = position.isEmpty() ? 0 : Long.parseLong(position);
      var brought =
          rawPosts.bring(former, after, InBatches.ROWS, systemClock.instant().minus(retention));
      return new Progress(
          String.valueOf(brought.last()),
          brought.last() - after,
          brought.end() ? Next.NOTHING : brought.held() ? Next.LATER : Next.MORE);
    }
  }

  /** V13: stores when a message was planned, in study time. */
  @Singleton
  @Named("said_at")
  Backfill saidAt() {
    return new SaidAt();
  }

  private record SaidAt() implements Backfill {

    @Override
    public String name() {
      return "said_at";
    }

    @Override
    public boolean goesOn() {
      return false;
    }

    @Override
    public Progress next(Connection connection, String position) throws SQLException {
      var after = position.isEmpty() ? 0 : Long.parseLong(position);
      try (var next =
              connection.prepareStatement(
                  "SELECT MAX(n.seq), COUNT(*) FROM"
                      + " (SELECT o.seq FROM outbox o WHERE o.seq > ? ORDER BY o.seq LIMIT ?) n");
          var update =
              connection.prepareStatement(
                  "UPDATE outbox SET said_at = planned_at"
                      + " WHERE seq > ? AND seq <= ? AND said_at IS NULL")) {
        next.setLong(1, after);
        next.setInt(2, InBatches.ROWS);
        try (var found = next.executeQuery()) {
          if (!found.next() || found.getLong(2) == 0) {
            return new Progress(position, 0, Next.NOTHING);
          }
          var last = found.getLong(1);
          update.setLong(1, after);
          update.setLong(2, last);
          update.executeUpdate();
          return new Progress(String.valueOf(last), found.getLong(2), Next.MORE);
        }
      }
    }
  }

  /**
   * V13: stores the model and tokens a call is charged for; earlier versions kept them only inside
   * the reply.
   */
  @Singleton
  @Named("charges")
  Backfill charges() {
    return new Charges();
  }

  /** Proceeds in the order of the primary key: by participant and turn. */
  private record Charges() implements Backfill {

    private static final String NEXT =
        "SELECT participant_id, turn FROM iteration"
            + " WHERE participant_id >= ? AND (participant_id > ? OR turn > ?)"
            + " ORDER BY participant_id, turn, number, child LIMIT ?";

    private static final String UPDATE =
        """
        UPDATE iteration SET
          model = substring(replace(replace(replace(coalesce(
              regexp_substr(answer, '"modelReturned":"[^"]+"'),
              regexp_substr(answer, '"modelAsked":"[^"]+"')), '"', ''), 'modelReturned:', ''), 'modelAsked:', '')
              from 1 for 200),
          prompt_tokens =
              cast(regexp_substr(regexp_substr(answer, '"promptTokens":[0-9]+'), '[0-9]+') as bigint),
          completion_tokens =
              cast(regexp_substr(regexp_substr(answer, '"completionTokens":[0-9]+'), '[0-9]+') as bigint)
        WHERE participant_id = ? AND turn >= ? AND turn <= ? AND model IS NULL AND answer IS NOT NULL
        """;

    @Override
    public String name() {
      return "charges";
    }

    @Override
    public boolean goesOn() {
      return false;
    }

    private record Turns(int first, int last) {}

    @Override
    public Progress next(Connection connection, String position) throws SQLException {
      var at = position.lastIndexOf('/');
      var participant = at < 0 ? "" : position.substring(0, at);
      var turn = at < 0 ? -1 : Integer.parseInt(position.substring(at + 1));
      var turns = new LinkedHashMap<String, Turns>();
      var seen = 0;
      var end = position;
      try (var next = connection.prepareStatement(NEXT)) {
        next.setString(1, participant);
        next.setString(2, participant);
        next.setInt(3, turn);
        next.setInt(4, InBatches.ROWS);
        try (var found = next.executeQuery()) {
          while (found.next()) {
            var number = found.getInt(2);
            turns.merge(
                found.getString(1),
                new Turns(number, number),
                (before, now) -> new Turns(before.first(), now.last()));
            end = found.getString(1) + "/" + number;
            seen++;
          }
        }
      }
      try (var update = connection.prepareStatement(UPDATE)) {
        for (var each : turns.entrySet()) {
          update.setString(1, each.getKey());
          update.setInt(2, each.getValue().first());
          update.setInt(3, each.getValue().last());
          update.addBatch();
        }
        update.executeBatch();
      }
      return new Progress(end, seen, seen < InBatches.ROWS ? Next.NOTHING : Next.MORE);
    }
  }

  /** V32: stores why an open message waits, and what its last error means. */
  @Singleton
  @Named("open_texts")
  Backfill openTexts() {
    return new OldTexts.Open();
  }

  /** V32: stores what the provider's error means, of messages that have ended. */
  @Singleton
  @Named("ended_texts")
  Backfill endedTexts() {
    return new OldTexts.Ended(LATE);
  }

  /** V32: stores why the model failed in a turn, and whether staff are to reply instead. */
  @Singleton
  @Named("ended_turns")
  Backfill endedTurns() {
    return new OldTurns();
  }

  /** V56: stores the local date of enrolment. */
  @Singleton
  @Named("enrolled_on")
  Backfill enrolledOn() {
    return new EnrolledOn();
  }

  /**
   * Proceeds in the order of enrolment; each pass starts from the beginning and finds what was
   * locked in the last one.
   */
  private record EnrolledOn() implements Backfill {

    @Override
    public String name() {
      return "enrolled_on";
    }

    @Override
    public boolean goesOn() {
      return true;
    }

    @Override
    public String before(String position) {
      return "";
    }

    @Override
    public Progress next(Connection connection, String position) throws SQLException {
      var last = position.isEmpty() ? 0 : Long.parseLong(position);
      var seen = 0;
      try (var next =
              connection.prepareStatement(
                  "SELECT seq, enrolled_at, timezone FROM participant"
                      + " WHERE enrolled_on IS NULL AND erasing = 'no' AND seq > ?"
                      + " ORDER BY seq LIMIT ? FOR UPDATE SKIP LOCKED");
          var update =
              connection.prepareStatement("UPDATE participant SET enrolled_on = ? WHERE seq = ?")) {
        next.setLong(1, last);
        next.setInt(2, InBatches.ROWS);
        try (var found = next.executeQuery()) {
          while (found.next()) {
            last = found.getLong(1);
            seen++;
            var enrolled = found.getObject(2, OffsetDateTime.class).toInstant();
            update.setString(
                1, LocalDate.ofInstant(enrolled, ZoneId.of(found.getString(3))).toString());
            update.setLong(2, last);
            update.addBatch();
          }
        }
        if (seen > 0) {
          update.executeBatch();
        }
      }
      return new Progress(
          String.valueOf(last), seen, seen < InBatches.ROWS ? Next.NOTHING : Next.MORE);
    }
  }
}
