package org.habitline.timers;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Reads participants' daily prompts: the running schedules, the next occurrence of each, and the
 * status of past ones. Joins a running transaction.
 */
@Singleton
public final class OccurrenceReader {

  /** The highest number that is counted. */
  private static final int COUNTED = 10_000;

  /**
   * How many days back occurrences are read; a text is not taken as the reply to an older prompt.
   */
  public static final int DAYS_REMEMBERED = 7;

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

  /** Returns the running schedules of a participant with their recent and next occurrences. */
  public Standing standing(Participant participant) {
    return transactions.read(() -> look(participant));
  }

  /**
   * The current state of a participant's daily prompts.
   *
   * @param recent occurrences of the last 7 days and those to come, newest date first
   */
  public record Standing(Agenda agenda, List<Occurrence> recent) {

    public Standing {
      recent = List.copyOf(recent);
    }

    /** Returns the newest prompt that was sent or is about to be, if there is one. */
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

    /** Returns a copy without the occurrences for which this holds. */
    public Standing without(Predicate<Occurrence> unwanted) {
      return new Standing(agenda, recent.stream().filter(unwanted.negate()).toList());
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
    var empty = new Agenda(participant.zone(), participant.move(), List.of(), taken, Set.of());
    return new Agenda(
        participant.zone(),
        participant.move(),
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

  /** Returns the next time of a schedule from now on, on a date that is free in the agenda. */
  Moment next(Schedule schedule, Agenda agenda) {
    return Recurrence.next(
        schedule, agenda.zones(), clock.instant(), agenda.taken(schedule.slot()), times.early());
  }

  /** Returns occurrences, newest first: those before a key, or all if it is {@code null}. */
  public List<Occurrence> newest(String participantId, Occurrence.@Nullable Key before, int most) {
    var date = before == null ? AFTER_ALL : before.date().toString();
    var slot = before == null ? 0 : before.slot();
    return transactions.read(() ->
        rows.newest(participantId, date, slot, most).stream()
            .map(JdbcOccurrences.Row::occurrence)
            .toList());
  }

  /** Returns occurrences before a key whose prompt was sent or is about to be, newest first. */
  public List<Occurrence> prompted(String participantId, Occurrence.Key before, int most) {
    return transactions.read(() ->
        rows.newestPrompted(participantId, before.date().toString(), before.slot(), most).stream()
            .map(JdbcOccurrences.Row::occurrence)
            .toList());
  }

  /**
   * Returns how many prompts due within this study time up to now were missed; counts at most
   * 10,000.
   */
  public int missedWithin(Duration time) {
    return transactions.read(() -> rows.missedSince(clock.instant().minus(time), COUNTED));
  }

  /** A prompt with its participant. */
  public record Whose(String participantId, Occurrence prompt) {}

  /** The number of prompts sent in a period, and how many of them got a reply. */
  public record Prompted(long sent, long answered) {}

  /**
   * Returns planned prompts due between this long ago and this far ahead in study time, earliest
   * first.
   */
  public List<Whose> due(Duration ago, Duration ahead, int most) {
    var now = clock.instant();
    return transactions
        .read(() -> rows.due(Occurrence.Status.PLANNED, now.minus(ago), now.plus(ahead), most))
        .stream()
        .map(OccurrenceReader::whose)
        .toList();
  }

  /** Returns prompts of a status due within this study time up to now, newest first. */
  public List<Whose> lately(Occurrence.Status status, Duration time, int most) {
    var now = clock.instant();
    return transactions.read(() -> rows.lately(status, now.minus(time), now, most)).stream()
        .map(OccurrenceReader::whose)
        .toList();
  }

  /** Counts prompts due within this study time up to now that were sent; counts at most 10,000. */
  public Prompted promptedWithin(Duration time) {
    var counted = transactions.read(() -> rows.prompted(clock.instant().minus(time), COUNTED));
    return new Prompted(counted.sent(), counted.answered());
  }

  private static Whose whose(JdbcOccurrences.Row row) {
    return new Whose(row.participantId(), row.occurrence());
  }
}
