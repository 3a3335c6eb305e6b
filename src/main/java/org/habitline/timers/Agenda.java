package org.habitline.timers;

import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.habitline.participants.ZoneMove;
import org.habitline.participants.Zones;
import org.jspecify.annotations.Nullable;

/**
 * A participant's schedules as they are, or as a turn will leave them. Immutable.
 *
 * @param zone the participant's zone
 * @param move the participant's move to another zone, or {@code null} if none is planned
 * @param planned running schedules, by slot
 * @param taken local dates whose prompt was sent or missed already
 * @param ended ids of schedules that ended in this turn
 */
public record Agenda(
    ZoneId zone,
    @Nullable ZoneMove move,
    List<Planned> planned,
    Set<Taken> taken,
    Set<String> ended) {

  public Agenda {
    planned = List.copyOf(planned);
    taken = Set.copyOf(taken);
    ended = Set.copyOf(ended);
  }

  /** Creates the schedules of a participant who does not move. */
  public Agenda(ZoneId zone, List<Planned> planned, Set<Taken> taken, Set<String> ended) {
    this(zone, null, planned, taken, ended);
  }

  /** A schedule and its next occurrence. */
  public record Planned(Schedule schedule, Moment next) {

    /** Returns the text that the status message and the rehearsal read. */
    public String text() {
      return schedule.id()
          + " "
          + schedule.time().type()
          + " "
          + schedule.time().text()
          + ", next "
          + nextText();
    }

    /** Returns when the next prompt comes; of a random time only its window, to keep a surprise. */
    public String nextText() {
      return switch (schedule.time()) {
        case DailyTime.Fixed _ -> next.text();
        case DailyTime.Random random ->
            next.date() + " between " + random.start() + " and " + random.end();
      };
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

  /** Returns a copy with one more schedule; a schedule in the same slot ends. */
  public Agenda with(Planned more) {
    var others = planned.stream().filter(it -> it.schedule().slot() != more.schedule().slot());
    var replaced =
        planned.stream()
            .filter(it -> it.schedule().slot() == more.schedule().slot())
            .map(it -> it.schedule().id());
    return new Agenda(
        zone,
        move,
        Stream.concat(others, Stream.of(more)).toList(),
        taken,
        Set.copyOf(Stream.concat(ended.stream(), replaced).toList()));
  }

  /** Returns a copy without one schedule. */
  public Agenda without(String scheduleId) {
    return new Agenda(
        zone,
        move,
        planned.stream().filter(it -> !it.schedule().id().equals(scheduleId)).toList(),
        taken,
        Set.copyOf(Stream.concat(ended.stream(), Stream.of(scheduleId)).toList()));
  }

  /** Returns where the participant is, and where they will be. */
  public Zones zones() {
    return new Zones(zone, move);
  }

  /** Returns a copy in other zones, with its schedules planned again there. */
  public Agenda in(Zones others, List<Planned> replanned) {
    return new Agenda(others.now(), others.move(), replanned, taken, ended);
  }
}
