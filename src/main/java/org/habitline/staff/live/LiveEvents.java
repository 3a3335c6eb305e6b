package org.habitline.staff.live;

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
import java.util.stream.Stream;
import org.habitline.audit.Event;
import org.habitline.audit.Events;
import org.habitline.staff.web.Passes;
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

  /** Whoever may not watch any more is shut out after this time at the latest. */
  static final Duration CHECK = Duration.ofSeconds(10);

  private final Events events;
  private final Passes passes;
  private final Clock clock;
  private final Object door = new Object();
  private final BlockingQueue<Watcher> joining = new LinkedBlockingQueue<>();

  /** Guarded by the door, like {@code closed}. */
  private boolean running;

  private boolean closed;

  LiveEvents(Events events, Passes passes, @Named("system") Clock systemClock) {
    this.events = events;
    this.passes = passes;
    this.clock = systemClock;
  }

  /** Someone who watches. Called by one thread at a time, in order; must not wait. */
  interface Watcher {
    /** Behind which events they have heard everything, or {@code null} to hear what is new. */
    Events.@Nullable Place since();

    /** The one participant whom they watch, or {@code null} if it is all of them. */
    @Nullable String participant();

    /** What they came in with. */
    String pass();

    /** What they came in with has ended, and nothing more will be told. */
    void shutOut();

    void tell(Event event);

    /** Nothing to tell, but the line is there. */
    void alive();

    /** Nothing more will be told. */
    void end();

    /** Whether they have left. */
    boolean gone();
  }

  /**
   * Someone who watches, and from where on.
   *
   * @param from {@code null} if they hear whatever is told
   */
  private record Joined(Watcher watcher, Events.@Nullable Place from) {

    /** Tells them an event unless they know it: another node may have told it before. */
    void tell(Event event) {
      if (from == null || event.seq() > from.seq() || from.missing().contains(event.seq())) {
        watcher.tell(event);
      }
    }
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
    var watchers = new ArrayList<Joined>();
    var resuming = new ArrayList<Watcher>();
    try {
      var tail = new EventTail(events);
      var nextBeat = clock.instant().plus(HEARTBEAT);
      var nextCheck = clock.instant().plus(CHECK);
      do {
        letIn(watchers, resuming);
        tail.next().forEach(event -> watchers.forEach(joined -> joined.tell(event)));
        if (tail.isComplete()) {
          resuming.forEach(watcher -> watchers.add(resumed(watcher, tail)));
          resuming.clear();
        }
        if (!clock.instant().isBefore(nextBeat)) {
          watchers.forEach(joined -> joined.watcher().alive());
          resuming.forEach(Watcher::alive);
          stayTuned(watchers);
          nextBeat = clock.instant().plus(HEARTBEAT);
        }
        if (!clock.instant().isBefore(nextCheck)) {
          shutOut(watchers, resuming);
          nextCheck = clock.instant().plus(CHECK);
        }
        watchers.removeIf(joined -> joined.watcher().gone());
        resuming.removeIf(Watcher::gone);
      } while (goesOn(watchers, resuming));
    } catch (InterruptedException | RuntimeException e) {
      log.warn("Live pages were cut off and will ask again: {}", e.getClass().getName());
      leave(watchers, resuming);
    }
  }

  /**
   * From now on, and as long as somebody watches this participant, what is said to them is told
   * while it is being said.
   *
   * @return the place behind the newest event: whoever watches from here on misses nothing
   */
  Events.Place announce(String participantId) {
    events.watch(participantId);
    return events.place();
  }

  private void stayTuned(List<Joined> watchers) {
    watchers.stream()
        .map(Joined::watcher)
        .filter(watcher -> !watcher.gone())
        .map(Watcher::participant)
        .filter(Objects::nonNull)
        .distinct()
        .forEach(events::watch);
  }

  /** Ends the watching of those whose key, session or token has ended. */
  private void shutOut(List<Joined> watchers, List<Watcher> resuming) {
    var all = Stream.concat(watchers.stream().map(Joined::watcher), resuming.stream()).toList();
    var ended = passes.ended(all.stream().map(Watcher::pass).distinct().toList());
    if (!ended.isEmpty()) {
      all.stream().filter(watcher -> ended.contains(watcher.pass())).forEach(Watcher::shutOut);
      watchers.removeIf(joined -> ended.contains(joined.watcher().pass()));
      resuming.removeIf(watcher -> ended.contains(watcher.pass()));
    }
  }

  /** Waits a moment for someone to join. */
  private void letIn(List<Joined> watchers, List<Watcher> resuming) throws InterruptedException {
    var joins = joining.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
    while (joins != null) {
      joins.alive();
      if (joins.since() == null) {
        watchers.add(new Joined(joins, null));
      } else {
        resuming.add(joins);
      }
      joins = joining.poll();
    }
  }

  private Joined resumed(Watcher watcher, EventTail tail) {
    var since = Objects.requireNonNull(watcher.since());
    tail.missed(since).forEach(watcher::tell);
    // An id from before a backup was put back is none of this table.
    return new Joined(watcher, since.seq() <= events.newest() ? since : null);
  }

  private boolean goesOn(List<Joined> watchers, List<Watcher> resuming) {
    synchronized (door) {
      if (!closed && !(watchers.isEmpty() && resuming.isEmpty() && joining.isEmpty())) {
        return true;
      }
    }
    leave(watchers, resuming);
    return false;
  }

  private void leave(List<Joined> watchers, List<Watcher> resuming) {
    var ending = new ArrayList<>(resuming);
    watchers.forEach(joined -> ending.add(joined.watcher()));
    synchronized (door) {
      running = false;
      joining.drainTo(ending);
    }
    ending.forEach(Watcher::end);
  }
}
