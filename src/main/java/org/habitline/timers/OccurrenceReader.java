package org.habitline.timers;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Reads participants' daily prompts: which schedules run, what comes next, and what became of each
 * occurrence. Joins a running transaction.
 */
@Singleton
public final class OccurrenceReader {

  /** Counts end here. */
  private static final int COUNTED = 10_000;

  /** A prompt is older news than its answer after this many days. */
  private static final int DAYS_REMEMBERED = 7;

  private static final String AFTER_ALL = "9999-12-31";

  private final JdbcSchedules schedules;
  private final JdbcOccurrences rows;
  private final PromptTimes times;
  private final Transactions transactions;
  private final Clock clock;

  OccurrenceReader(
      JdbcSchedules schedules,
      JdbcOccurrences rows,
      PromptTimes times,
      Transactions transactions,
      Clock clock) {
    this.schedules = schedules;
    this.rows = rows;
    this.times = times;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Returns the running schedules of a participant, and where they stand. */
  public Standing standing(Participant participant) {
    return transactions.read(() -> look(participant));
  }

  /**
   * Where a participant's prompts stand.
   *
   * @param recent occurrences of the last days and those to come, newest date first
   */
  public record Standing(Agenda agenda, List<Occurrence> recent) {

    public Standing {
      recent = List.copyOf(recent);
    }

    /** Returns the newest prompt that went out or is about to, if there is one. */
    public Optional<Occurrence> newestPrompt() {
      return recent.stream()
          .filter(Occurrence::prompted)
          .max((one, other) -> promptedAt(one).compareTo(promptedAt(other)));
    }

    public boolean isNewestPrompt(Occurrence.Key key) {
      return newestPrompt().filter(it -> it.key().equals(key)).isPresent();
    }

    private static Instant promptedAt(Occurrence occurrence) {
      return occurrence.promptedAt() == null ? Instant.MIN : occurrence.promptedAt();
    }

    public Optional<Occurrence> find(Occurrence.Key key) {
      return recent.stream().filter(it -> it.key().equals(key)).findFirst();
    }
  }

  private Standing look(Participant participant) {
    var id = participant.id();
    var today = clock.instant().atZone(participant.zone()).toLocalDate();
    var found = schedules.standing(id, today.minusDays(DAYS_REMEMBERED).toString());
    var running =
        found.stream()
            .flatMap(row -> row.schedule(id).stream())
            .map(JdbcSchedules.Row::schedule)
            .sorted(Comparator.comparingInt(Schedule::slot))
            .toList();
    var recent =
        found.stream()
            .flatMap(row -> row.occurrence(id).stream())
            .map(JdbcOccurrences.Row::occurrence)
            .toList();
    return new Standing(agenda(participant, running, recent), recent);
  }

  private Agenda agenda(Participant participant, List<Schedule> running, List<Occurrence> recent) {
    var taken =
        recent.stream()
            .filter(it -> !it.status().free())
            .map(it -> new Agenda.Taken(it.key().date(), it.key().slot()))
            .collect(Collectors.toSet());
    var empty = new Agenda(participant.zone(), List.of(), taken, Set.of());
    return new Agenda(
        participant.zone(),
        running.stream()
            .map(schedule -> new Agenda.Planned(schedule, next(schedule, empty, recent)))
            .toList(),
        taken,
        Set.of());
  }

  private Moment next(Schedule schedule, Agenda agenda, List<Occurrence> recent) {
    return recent.stream()
        .filter(it -> it.status() == Occurrence.Status.PLANNED)
        .filter(it -> it.key().slot() == schedule.slot())
        .map(Occurrence::moment)
        .findFirst()
        .orElseGet(() -> next(schedule, agenda));
  }

  /** Returns when a schedule comes next from now on, on a date that the agenda has free. */
  Moment next(Schedule schedule, Agenda agenda) {
    return Recurrence.next(
        schedule, agenda.zone(), clock.instant(), agenda.taken(schedule.slot()), times.early());
  }

  /** Returns occurrences newest first, those before one of them or all. */
  public List<Occurrence> newest(String participantId, Occurrence.@Nullable Key before, int most) {
    var date = before == null ? AFTER_ALL : before.date().toString();
    var slot = before == null ? 0 : before.slot();
    return transactions.read(() ->
        rows.newest(participantId, date, slot, most).stream()
            .map(JdbcOccurrences.Row::occurrence)
            .toList());
  }

  /**
   * Returns how many prompts that were due within this time until now were not sent in theirs, of
   * 10,000 at the most. Study time.
   */
  public int missedWithin(Duration time) {
    return transactions.read(() -> rows.missedSince(clock.instant().minus(time), COUNTED));
  }

  /** A prompt, and whose it is. */
  public record Whose(String participantId, Occurrence prompt) {}

  /** Prompts of a while that were sent, and how many of them were answered. */
  public record Prompted(long sent, long answered) {}

  /**
   * Returns prompts that are planned and due from this time ago to this time ahead, the first of
   * them first. Study time.
   */
  public List<Whose> due(Duration ago, Duration ahead, int most) {
    var now = clock.instant();
    return transactions
        .read(() -> rows.due(Occurrence.Status.PLANNED, now.minus(ago), now.plus(ahead), most))
        .stream()
        .map(OccurrenceReader::whose)
        .toList();
  }

  /**
   * Returns prompts of a status that were due within this time until now, the newest first. Study
   * time.
   */
  public List<Whose> lately(Occurrence.Status status, Duration time, int most) {
    var now = clock.instant();
    return transactions.read(() -> rows.lately(status, now.minus(time), now, most)).stream()
        .map(OccurrenceReader::whose)
        .toList();
  }

  /** Counts prompts that were due within this time until now; 10,000 at the most. Study time. */
  public Prompted promptedWithin(Duration time) {
    var counted = transactions.read(() -> rows.prompted(clock.instant().minus(time), COUNTED));
    return new Prompted(counted.sent(), counted.answered());
  }

  private static Whose whose(JdbcOccurrences.Row row) {
    return new Whose(row.participantId(), row.occurrence());
  }
}
