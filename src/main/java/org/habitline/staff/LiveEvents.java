package org.habitline.staff;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.habitline.audit.Event;
import org.habitline.audit.Events;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells everybody who watches what happens, on whichever node it happened. One virtual thread reads
 * the event table for all of them, and only while somebody watches; it also tells them regularly
 * that the line is alive.
 */
@Singleton
final class LiveEvents {

  private static final Logger log = LoggerFactory.getLogger(LiveEvents.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final Events events;
  private final EventTail.Table table;
  private final Clock clock;
  private final Object door = new Object();
  private final BlockingQueue<Watcher> joining = new LinkedBlockingQueue<>();

  /** Guarded by the door, like {@code closed}. */
  private boolean running;

  private boolean closed;

  LiveEvents(Events events, @Named("system") Clock systemClock) {
    this.events = events;
    this.table =
        new EventTail.Table() {
          @Override
          public List<Event> after(long seq, int most) {
            return events.after(seq, most);
          }

          @Override
          public long newest() {
            return events.newest();
          }
        };
    this.clock = systemClock;
  }

  /** Someone who watches. Called by one thread at a time, in order; must not wait. */
  interface Watcher {
    /** The id of the last event they know, or {@code null} to hear only what is new. */
    @Nullable Long since();

    /** The one participant whom they watch, or {@code null} if it is all of them. */
    @Nullable String participant();

    void tell(Event event);

    /** Nothing to tell, but the line is there. */
    void alive();

    /** Nothing more will be told. */
    void end();

    /** Whether they have left. */
    boolean gone();
  }

  /** Lets someone watch; they first hear what they missed. */
  void watch(Watcher watcher) {
    synchronized (door) {
      if (!closed) {
        joining.add(watcher);
        if (!running) {
          running = true;
          Thread.ofVirtual().name("live-events").start(this::follow);
        }
        return;
      }
    }
    watcher.end();
  }

  /** Ends every stream, and every new one at once. */
  void close() {
    synchronized (door) {
      closed = true;
    }
  }

  private void follow() {
    var watchers = new ArrayList<Watcher>();
    try {
      var tail = new EventTail(table, clock);
      var nextBeat = clock.instant().plus(HEARTBEAT);
      do {
        letIn(watchers, tail);
        tail.next().forEach(event -> watchers.forEach(watcher -> watcher.tell(event)));
        if (!clock.instant().isBefore(nextBeat)) {
          watchers.forEach(Watcher::alive);
          stayTuned(watchers);
          nextBeat = clock.instant().plus(HEARTBEAT);
        }
        watchers.removeIf(Watcher::gone);
      } while (goesOn(watchers));
    } catch (InterruptedException | RuntimeException e) {
      log.warn("Live pages were cut off and will ask again: {}", e.getClass().getName());
      leave(watchers);
    }
  }

  /**
   * From now on, and as long as somebody watches this participant, what is said to them is told
   * while it is being said.
   *
   * @return the newest event: whoever watches from here on misses nothing
   */
  long announce(String participantId) {
    events.watch(participantId);
    return events.newest();
  }

  private void stayTuned(List<Watcher> watchers) {
    watchers.stream()
        .filter(watcher -> !watcher.gone())
        .map(Watcher::participant)
        .filter(Objects::nonNull)
        .distinct()
        .forEach(events::watch);
  }

  /** Waits a moment for someone to join. */
  private void letIn(List<Watcher> watchers, EventTail tail) throws InterruptedException {
    var joins = joining.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
    while (joins != null) {
      joins.alive();
      if (joins.since() != null) {
        tail.missed(joins.since()).forEach(joins::tell);
      }
      watchers.add(joins);
      joins = joining.poll();
    }
  }

  private boolean goesOn(List<Watcher> watchers) {
    synchronized (door) {
      if (!closed && !(watchers.isEmpty() && joining.isEmpty())) {
        return true;
      }
    }
    leave(watchers);
    return false;
  }

  private void leave(List<Watcher> watchers) {
    synchronized (door) {
      running = false;
      joining.drainTo(watchers);
    }
    watchers.forEach(Watcher::end);
  }
}
