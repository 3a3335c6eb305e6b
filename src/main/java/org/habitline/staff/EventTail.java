package org.habitline.staff;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.audit.Event;
import org.jspecify.annotations.Nullable;

/**
 * Follows the event table by id. Ids are given before the commit, so a missing id may still appear:
 * the tail waits for it a moment and tells everything in the order of the ids, which is what makes
 * it possible to resume from any of them. An id that stays away longer (its transaction was undone)
 * is passed over. Used by one thread.
 */
final class EventTail {

  /** No transaction that writes an event takes longer than this, the database willing. */
  static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final int AT_ONCE = 500;

  /** The event table as the tail reads it. */
  interface Table {
    /** Returns events with a higher id, lowest first. */
    List<Event> after(long seq, int most);

    long newest();
  }

  private final Table table;
  private final Clock clock;
  private long told;
  private @Nullable Instant gapSince;

  /** Starts behind the newest event there is. */
  EventTail(Table table, Clock clock) {
    this.table = table;
    this.clock = clock;
    this.told = table.newest();
  }

  /** Returns what is new since the last time, without gaps that may still be filled. */
  List<Event> next() {
    var fresh = new ArrayList<Event>();
    for (var event : table.after(told, AT_ONCE)) {
      if (event.seq() > told + 1 && !gapIsOld()) {
        break;
      }
      gapSince = null;
      told = event.seq();
      fresh.add(event);
    }
    return fresh;
  }

  private boolean gapIsOld() {
    var now = clock.instant();
    gapSince = Optional.ofNullable(gapSince).orElse(now);
    return !now.isBefore(gapSince.plus(PATIENCE));
  }

  /** Returns what was told after an id, for someone who missed it. */
  List<Event> missed(long since) {
    var missed = new ArrayList<Event>();
    var last = since;
    while (last < told) {
      var page = table.after(last, AT_ONCE);
      page.stream().filter(event -> event.seq() <= told).forEach(missed::add);
      last = page.size() < AT_ONCE ? told : page.getLast().seq();
    }
    return missed;
  }
}
