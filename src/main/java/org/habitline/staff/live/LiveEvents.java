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
 * Sends events to all watchers, whichever node they happened on. One virtual thread reads the event
 * table for all watchers, and only while there are any; it also sends them a regular heartbeat.
 */
@Singleton
final class LiveEvents {

  private static final Logger log = LoggerFactory.getLogger(LiveEvents.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  /**
   * How often access is checked: a watcher who has lost it is disconnected after this time at the
   * latest.
   */
  static final Duration CHECK = Duration.ofSeconds(10);

  private final Events events;
  private final Passes passes;
  private final Clock clock;
  private final Object door = new Object();
  private final BlockingQueue<Watcher> joining = new LinkedBlockingQueue<>();

  /** Guarded by {@code door}, like {@code closed}. */
  private boolean running;

  private boolean closed;

  LiveEvents(Events events, Passes passes, @Named("system") Clock systemClock) {
    this.events = events;
    this.passes = passes;
    this.clock = systemClock;
  }

  /**
   * A watcher of events. Its methods are called by one thread at a time, in order, and must not
   * block.
   */
  interface Watcher {
    /**
     * Returns the place after which the watcher wants events, or {@code null} for new events only.
     */
    Events.@Nullable Place since();

    /** Returns the one participant being watched, or {@code null} for all. */
    @Nullable String participant();

    /** Returns the pass that the watcher authenticated with. */
    String pass();

    /** Called when the watcher's pass has ended; no more events follow. */
    void shutOut();

    void tell(Event event);

    /** Called regularly as a heartbeat. */
    void alive();

    /** Called when no more events follow. */
    void end();

    /** Returns whether the watcher has disconnected. */
    boolean gone();
  }

  /**
   * A watcher and the place it starts from.
   *
   * @param from {@code null} for every new event
   */
  private record Joined(Watcher watcher, Events.@Nullable Place from) {

    /** Sends the event, unless the watcher has it already, perhaps from another node. */
    void tell(Event event) {
      if (from == null || event.seq() > from.seq() || from.missing().contains(event.seq())) {
        watcher.tell(event);
      }
    }
  }

  /** Adds a watcher, who first gets the events it missed. */
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

  /** Ends every stream; new ones end at once. */
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
      log.warn("Live pages were disconnected and will reconnect: {}", e.getClass().getName());
      leave(watchers, resuming);
    }
  }

  /**
   * Makes turns that start from now on publish their replies while they write them, as long as this
   * participant is watched.
   *
   * @return the place after the newest event; a watcher from here on misses nothing
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

  /** Disconnects watchers whose key, session or token has ended. */
  private void shutOut(List<Joined> watchers, List<Watcher> resuming) {
    var all = Stream.concat(watchers.stream().map(Joined::watcher), resuming.stream()).toList();
    var ended = passes.ended(all.stream().map(Watcher::pass).distinct().toList());
    if (!ended.isEmpty()) {
      all.stream().filter(watcher -> ended.contains(watcher.pass())).forEach(Watcher::shutOut);
      watchers.removeIf(joined -> ended.contains(joined.watcher().pass()));
      resuming.removeIf(watcher -> ended.contains(watcher.pass()));
    }
  }

  /** Waits a moment for new watchers and adds them. */
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
    // After a backup is restored, an older id may be higher than any in this table.
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
