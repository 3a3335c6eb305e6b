package org.habitline.staff.live;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.habitline.audit.Event;
import org.habitline.audit.Events;
import org.jspecify.annotations.Nullable;

/**
 * Follows the event table and returns events in the order of their ids, so that a client can resume
 * from any id. Ids are assigned before the commit, so a missing id may still appear: the tail
 * waits, however long, until the database reports that no running transaction could still have it.
 * Used by one thread.
 */
final class EventTail {

  private static final int AT_ONCE = 500;

  private final Events events;

  /** Every id up to this one was returned or will never appear. */
  private long told;

  /**
   * Ids from before the start that may still appear; nothing is returned until they are settled.
   */
  private Set<Long> earlier;

  /** The highest id seen after a gap, or 0 if there is none. */
  private long behindGap;

  /** The point that the database must reach before a gap, or the earlier ids, count as settled. */
  private Events.@Nullable Horizon horizon;

  /** Starts after the newest event in the table. */
  EventTail(Events events) {
    this.events = events;
    var start = events.place();
    this.told = start.seq();
    this.earlier = start.missing();
  }

  /** Returns the new events since the last call, up to a gap that may still be filled. */
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
    // Checked before the table is read, so that the read sees every event that will ever be there.
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

  /** Returns whether no id before the start is still open. */
  boolean isComplete() {
    return earlier.isEmpty();
  }

  /**
   * Returns the events after a place that this tail has already returned, for a client that missed
   * them. Call it only once {@link #isComplete} is true.
   */
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
