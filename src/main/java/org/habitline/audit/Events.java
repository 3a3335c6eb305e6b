package org.habitline.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.habitline.storage.Database;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Records what just happened, for live pages on any node. An event is written in the transaction of
 * the change that it reports, so it is never visible before the change. Ids are assigned before the
 * commit, so an event may become visible after one with a higher id: a follower asks the database
 * when no lower id can appear any more (see {@link #horizon} and {@link #isReached}).
 */
@Singleton
public final class Events {

  /** How long events are kept: they serve live pages, and the tables hold everything older. */
  static final Duration KEPT = Duration.ofDays(1);

  /** How long a watch of a participant lasts unless it is renewed. */
  public static final Duration WATCHED = Duration.ofSeconds(45);

  /** An input came in and waits for its turn; the payload names its kind. */
  public static final String RECEIVED = "message.received";

  /** A message of a turn begins; its words and its end follow. */
  public static final String CREATED = "message.created";

  /** The most events that are expected to be written while one transaction runs. */
  private static final long LOOKED_BACK = 1000;

  private static final JsonMapper JSON = new JsonMapper();

  private static final ScopedValue<List<Told>> TOGETHER = ScopedValue.newInstance();

  private final JdbcEvents rows;
  private final List<EventWatcher> watchers;
  private final Transactions transactions;
  private final Clock systemClock;

  /** Whether the database is an H2 file; read on first use. */
  private volatile @Nullable Boolean onFile;

  Events(
      JdbcEvents rows,
      List<EventWatcher> watchers,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.watchers = watchers;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * Writes an event in the running transaction (or one of its own). The payload holds ids, no
   * texts, unless the participant is being watched: see {@link #watch}.
   */
  public void emit(String type, @Nullable String participantId, Map<String, ?> payload) {
    if (TOGETHER.isBound()) {
      TOGETHER.get().add(new Told(type, participantId, payload));
      return;
    }
    transactions.write(() -> {
      rows.insert(systemClock.instant(), type, participantId, json(payload));
      onceCommitted(watcher -> watcher.committed(type, payload, 1));
    });
  }

  /**
   * Writes the events that this thread emits in {@code act} with one statement at its end; joins
   * the running transaction. It saves a statement for each event where many happen at once.
   */
  public void together(Runnable act) {
    var told = new ArrayList<Told>();
    ScopedValue.where(TOGETHER, told).run(act);
    if (!told.isEmpty()) {
      rows.insertAll(
          systemClock.instant(),
          column(told, Told::type),
          column(told, Told::participantId),
          column(told, one -> json(one.payload())));
      onceCommitted(
          watcher -> told.forEach(one -> watcher.committed(one.type(), one.payload(), 1)));
    }
  }

  private void onceCommitted(Consumer<EventWatcher> tell) {
    transactions.afterCommit(() -> watchers.forEach(tell));
  }

  private record Told(String type, @Nullable String participantId, Map<String, ?> payload) {}

  private static String[] column(List<Told> told, Function<Told, @Nullable String> value) {
    return told.stream().map(value).toArray(String[]::new);
  }

  /** Writes the same event for each of these participants, as {@link #emit} does. */
  public void emitForEach(String type, List<String> participantIds, Map<String, ?> payload) {
    transactions.write(() -> {
      rows.insertForEach(
          systemClock.instant(), type, participantIds.toArray(String[]::new), json(payload));
      onceCommitted(watcher -> watcher.committed(type, payload, participantIds.size()));
    });
  }

  /** Returns visible events with a higher id, lowest first; lower ones may appear later. */
  public List<Event> after(long seq, int most) {
    return told(transactions.read(() -> rows.after(seq, most)));
  }

  /** Returns those of these events that are visible, lowest id first. */
  public List<Event> these(Collection<Long> seqs) {
    return seqs.isEmpty()
        ? List.of()
        : told(transactions.read(() -> rows.these(List.copyOf(seqs))));
  }

  private static List<Event> told(List<JdbcEvents.Row> found) {
    return found.stream()
        .map(row -> new Event(row.seq(), row.at(), row.type(), row.participantId(), row.payload()))
        .toList();
  }

  /**
   * A place among the events: which were visible up to an id, and which may still appear before it.
   *
   * @param seq the highest visible id, 0 if there was none
   * @param missing lower ids that were not visible: assigned to a running transaction, or lost
   */
  public record Place(long seq, Set<Long> missing) {}

  /** Returns the highest visible id, 0 if there is none. */
  public long newest() {
    return transactions.read(() -> rows.newest());
  }

  /** Returns the place after the newest event. */
  public Place place() {
    return transactions.read(() -> {
      var newest = rows.newest();
      var first = Math.max(0, newest - LOOKED_BACK);
      var missing =
          LongStream.rangeClosed(first + 1, newest)
              .boxed()
              .collect(Collectors.toCollection(TreeSet::new));
      rows.ids(first, newest).forEach(missing::remove);
      return new Place(newest, Collections.unmodifiableSet(missing));
    });
  }

  /**
   * A point that is reached once every transaction has ended that was assigned the id of an event
   * before the horizon was requested.
   */
  public record Horizon(long transaction) {}

  /**
   * Returns the horizon of all ids assigned until now, or empty if the database cannot tell at this
   * moment: then ask again. On the H2 file one transaction writes at a time, in the order of the
   * ids, so the horizon is reached at once.
   */
  public Optional<Horizon> horizon() {
    if (onFile()) {
      return Optional.of(new Horizon(0));
    }
    // A transaction is assigned the id first and then its number, within one statement. One that is
    // in between is seen here, and any other that has an id has a number by the next line.
    return transactions.read(() -> rows.writingUnnumbered()) > 0
        ? Optional.empty()
        : Optional.of(new Horizon(transactions.read(() -> rows.begunBelow())));
  }

  /** Returns whether no id from before the horizon can appear any more. */
  public boolean isReached(Horizon horizon) {
    return onFile() || transactions.read(() -> rows.endedBelow()) >= horizon.transaction();
  }

  private boolean onFile() {
    var known = onFile;
    if (known == null) {
      known = transactions.readWith(connection -> Database.isFile(connection));
      onFile = known;
    }
    return known;
  }

  /**
   * Watches a participant for {@link #WATCHED}: replies to them may be written to the event table
   * while they are being generated.
   */
  public void watch(String participantId) {
    transactions.write(() -> {
      var until = systemClock.instant().plus(WATCHED);
      return rows.watchOn(participantId, until) + rows.watch(participantId, until);
    });
  }

  /**
   * Returns whether a participant is watched, by the time in the table {@code watched}. A turn
   * reads that time together with its other data, so that it costs no extra query.
   */
  public boolean isWatched(@Nullable Instant until) {
    return until != null && systemClock.instant().isBefore(until);
  }

  /** Deletes events that are older than a day. */
  public void prune() {
    var before = systemClock.instant().minus(KEPT);
    InBatches.of(transactions).delete(most -> rows.from(before, most), rows::delete);
    transactions.write(() -> rows.forgetWatched(before));
  }

  private static String json(Map<String, ?> payload) {
    try {
      return JSON.writeValueAsString(payload);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("The payload of an event cannot be written as JSON.");
    }
  }
}
