package org.habitline.timers;

import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A participant's schedules as they are, or as a turn will leave them. Immutable.
 *
 * @param zone the participant's
 * @param planned schedules that run, by slot
 * @param taken local dates that had their prompt already, or lost it
 * @param ended ids of schedules that ended in this turn
 */
public record Agenda(ZoneId zone, List<Planned> planned, Set<Taken> taken, Set<String> ended) {

  public Agenda {
    planned = List.copyOf(planned);
    taken = Set.copyOf(taken);
    ended = Set.copyOf(ended);
  }

  /** A schedule and when it comes next. */
  public record Planned(Schedule schedule, Moment next) {

    /** As the status message and the rehearsal read it. */
    public String text() {
      return schedule.id()
          + " "
          + schedule.time().type()
          + " "
          + schedule.time().text()
          + ", next "
          + next.text();
    }
  }

  /** A date and slot that cannot be planned again. */
  public record Taken(LocalDate date, int slot) {}

  public static Agenda empty(ZoneId zone) {
    return new Agenda(zone, List.of(), Set.of(), Set.of());
  }

  public Predicate<LocalDate> taken(int slot) {
    return date -> taken.contains(new Taken(date, slot));
  }

  public Optional<Planned> planned(String scheduleId) {
    return planned.stream().filter(it -> it.schedule().id().equals(scheduleId)).findFirst();
  }

  /** The same with one more schedule; one in the same slot ends. */
  public Agenda with(Planned more) {
    var others = planned.stream().filter(it -> it.schedule().slot() != more.schedule().slot());
    var replaced =
        planned.stream()
            .filter(it -> it.schedule().slot() == more.schedule().slot())
            .map(it -> it.schedule().id());
    return new Agenda(
        zone,
        Stream.concat(others, Stream.of(more)).toList(),
        taken,
        Set.copyOf(Stream.concat(ended.stream(), replaced).toList()));
  }

  /** The same without one schedule. */
  public Agenda without(String scheduleId) {
    return new Agenda(
        zone,
        planned.stream().filter(it -> !it.schedule().id().equals(scheduleId)).toList(),
        taken,
        Set.copyOf(Stream.concat(ended.stream(), Stream.of(scheduleId)).toList()));
  }

  /** The same in another zone, where its schedules come at other instants. */
  public Agenda in(ZoneId other, List<Planned> replanned) {
    return new Agenda(other, replanned, taken, ended);
  }
}
