package org.habitline.staff.live;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.habitline.audit.Event;
import org.habitline.audit.Events;
import org.jspecify.annotations.Nullable;

/**
 * Follows the event table by id and tells everything in the order of the ids, which is what makes
 * it possible to resume from any of them. Ids are given before the commit, so a missing id may
 * still appear: the tail waits for it until the database says that no transaction is left that
 * could have it, however long that takes. Used by one thread.
 */
final class EventTail {

  private static final int AT_ONCE = 500;

  private final Events events;

  /** Everything up to here is told, or will never be there. */
  private long told;

  /** Ids from before the start that may still appear; nothing is told before that is known. */
  private Set<Long> earlier;

  /** The highest id that was seen behind a gap, or 0 if there is none. */
  private long behindGap;

  /** What must be reached before the gap, or what is earlier, is passed over. */
  private Events.@Nullable Horizon horizon;

  /** Starts behind the newest event there is. */
  EventTail(Events events) {
    this.events = events;
    var start = events.place();
    this.told = start.seq();
    this.earlier = start.missing();
  }

  /** Returns what is new since the last time, without gaps that may still be filled. */
  List<Event> next() {
    var fresh = new ArrayList<Event>();
    if (!earlier.isEmpty()) {
      if (!isSettled()) {
        return fresh;
      }
      fresh.addAll(events.these(earlier));
      earlier = Set.of();
      horizon = null;
    }
    // Asked before the table is read: what is read then is all there will ever be.
    var settled = behindGap > 0 && isSettled() ? behindGap : 0;
    if (settled > 0) {
      behindGap = 0;
      horizon = null;
    }
    var page = events.after(told, AT_ONCE);
    for (var event : page) {
      if (event.seq() > told + 1 && event.seq() > settled) {
        waitFor(page.getLast().seq());
        break;
      }
      told = event.seq();
      fresh.add(event);
    }
    return fresh;
  }

  private void waitFor(long seq) {
    if (behindGap == 0) {
      behindGap = seq;
      horizon = events.horizon().orElse(null);
    }
  }

  private boolean isSettled() {
    if (horizon == null) {
      horizon = events.horizon().orElse(null);
    }
    return horizon != null && events.isReached(horizon);
  }

  /** Whether everything up to what was told is known to be complete. */
  boolean isComplete() {
    return earlier.isEmpty();
  }

  /** Returns what was told behind a place, for someone who missed it; only once it is complete. */
  List<Event> missed(Events.Place since) {
    var missed = new ArrayList<Event>();
    events.these(since.missing()).stream()
        .filter(event -> event.seq() <= told)
        .forEach(missed::add);
    var last = since.seq();
    while (last < told) {
      var page = events.after(last, AT_ONCE);
      page.stream().filter(event -> event.seq() <= told).forEach(missed::add);
      last = page.size() < AT_ONCE ? told : page.getLast().seq();
    }
    return missed;
  }
}
