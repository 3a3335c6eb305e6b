package org.habitline.timers;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.participants.Zones;

/**
 * The hours of a participant's day in which the service may send unprompted messages, {@code
 * ALLOWED_HOURS}. Both ends are included.
 *
 * @param start minutes since midnight, 0 to 1439
 * @param end minutes since midnight, after {@code start}, at most 1440
 */
public record AllowedHours(int start, int end) {

  public static final AllowedHours WHOLE_DAY = new AllowedHours(0, 24 * 60);

  /** What is moved to the end of the hours leaves this long before, so that it is in time. */
  private static final Duration BEFORE_THE_END = Duration.ofMinutes(15);

  /** What would follow sooner than this waits for the next day. */
  private static final Duration SOONEST = Duration.ofHours(1);

  /** While the date of a move has begun in one zone only, at most 26 hours, few starts count. */
  private static final int DAYS_OF_A_MOVE = 4;

  private static final Pattern WRITTEN =
      Pattern.compile("([01]?\\d|2[0-3]):([0-5]\\d)-(([01]?\\d|2[0-3]):([0-5]\\d)|24:00)");

  public AllowedHours {
    if (start < 0 || end <= start || end > 24 * 60) {
      throw new IllegalArgumentException("Allowed hours must end after they start.");
    }
  }

  /**
   * Reads {@code 08:00-21:00}; returns empty if the text has another form or does not end after it
   * starts.
   */
  public static Optional<AllowedHours> read(String text) {
    var found = WRITTEN.matcher(text.strip());
    if (!found.matches()) {
      return Optional.empty();
    }
    var start = minutes(found.group(1), found.group(2));
    var end = found.group(3).equals("24:00") ? 24 * 60 : minutes(found.group(4), found.group(5));
    return end > start ? Optional.of(new AllowedHours(start, end)) : Optional.empty();
  }

  private static int minutes(String hours, String minutes) {
    return Integer.parseInt(hours) * 60 + Integer.parseInt(minutes);
  }

  /**
   * Returns whether a message may go out at this local time; the last minute is included as a
   * whole.
   */
  public boolean allow(LocalTime time) {
    var minute = time.toSecondOfDay() / 60;
    return minute >= start && minute <= end;
  }

  /**
   * Returns whether a message may go out at an instant to a participant in these zones; while they
   * move, it must be allowed in both zones, because they may be in either.
   */
  public boolean allow(Instant instant, Zones zones) {
    return zones.at(instant).stream().allMatch(zone -> allow(instant.atZone(zone).toLocalTime()));
  }

  /**
   * Returns the same for a daily prompt and what it brings about: until the move is due, only the
   * present zone counts, for which the time of the prompt was chosen.
   */
  public boolean allowPrompt(Instant instant, Zones zones) {
    return allow(instant.atZone(zones.promptsAt(instant)).toLocalTime());
  }

  /**
   * Returns when something may follow a message that is due at an instant: if that is outside the
   * hours, shortly before they end, or when they begin again if that is too soon after the message,
   * or night in the other zone of someone who moves.
   */
  public Instant within(Instant message, Instant due, Zones zones) {
    if (allow(due, zones)) {
      return due;
    }
    var before = lastEnd(due.atZone(zones.now())).toInstant().minus(BEFORE_THE_END);
    return before.isBefore(message.plus(SOONEST)) || !allow(before, zones)
        ? nextStart(due, zones)
        : before;
  }

  /**
   * Returns when the hours begin next for a participant in these zones: at their start in one of
   * the zones, if the other one allows it too, or when a move is due and the old zone counts no
   * more.
   */
  public Instant nextStart(Instant now, Zones zones) {
    var move = zones.move();
    var starts =
        move == null
            ? starts(now, zones.now())
            : Stream.of(
                    starts(now, zones.now()),
                    starts(now, move.to()),
                    Stream.of(move.due(zones.now())))
                .flatMap(it -> it);
    return starts
        .filter(begins -> begins.isAfter(now) && allow(begins, zones))
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** Returns the starts of the hours in a zone on the days in which a move may be under way. */
  private Stream<Instant> starts(Instant now, ZoneId zone) {
    return Stream.iterate(nextStart(now.atZone(zone)), this::nextStart)
        .limit(DAYS_OF_A_MOVE)
        .map(ZonedDateTime::toInstant);
  }

  /** Returns when the hours begin next; if that is in a spring gap, the first time after it. */
  public ZonedDateTime nextStart(ZonedDateTime now) {
    var begins = LocalTime.MIDNIGHT.plusMinutes(start);
    var today = now.toLocalDate().atTime(begins).atZone(now.getZone());
    return today.isAfter(now)
        ? today
        : now.toLocalDate().plusDays(1).atTime(begins).atZone(now.getZone());
  }

  /** Returns when the hours ended last, or end now: the start of their last minute. */
  private ZonedDateTime lastEnd(ZonedDateTime now) {
    var ends = LocalTime.MIDNIGHT.plusMinutes(Math.min(end, 24 * 60 - 1));
    var today = now.toLocalDate().atTime(ends).atZone(now.getZone());
    return today.isAfter(now)
        ? now.toLocalDate().minusDays(1).atTime(ends).atZone(now.getZone())
        : today;
  }

  /** Returns the text for people, {@code 08:00-21:00}. */
  public String text() {
    return text(start) + "-" + text(end);
  }

  private static String text(int minutes) {
    var time = Duration.ofMinutes(minutes);
    return "%02d:%02d".formatted(time.toHours(), time.toMinutesPart());
  }
}
