package org.habitline.study.figures;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.participants.ParticipantStatus;
import org.habitline.study.figures.Figures.Adherence;
import org.habitline.study.figures.Figures.Answering;
import org.habitline.study.figures.Figures.DropOut;
import org.habitline.study.figures.Figures.FlowAdherence;
import org.habitline.study.figures.Figures.FlowDropOut;
import org.habitline.study.figures.Figures.Outcomes;
import org.habitline.study.figures.Figures.Prompts;
import org.habitline.study.figures.Figures.Range;
import org.jspecify.annotations.Nullable;

/**
 * Counts adherence and drop-out by date and by study day. A participant's study day 1 is the local
 * date of their enrolment, in their present time zone, as in the data package.
 */
final class StudyDays {

  private final List<Person> people;
  private final List<String> flows;
  private final int silentAfterDays;

  StudyDays(List<JdbcFigures.TookPart> rows, Instant now, int silentAfterDays) {
    this.people = rows.stream().map(row -> Person.of(row, now)).toList();
    this.flows = rows.stream().map(JdbcFigures.TookPart::flow).distinct().sorted().toList();
    this.silentAfterDays = silentAfterDays;
  }

  /**
   * A participant.
   *
   * @param ended the date on which they completed, were withdrawn or opted out
   * @param today their local date
   */
  private record Person(
      String flow,
      LocalDate enrolled,
      Optional<LocalDate> ended,
      boolean completed,
      Optional<LocalDate> lastText,
      LocalDate today) {

    static Person of(JdbcFigures.TookPart row, Instant now) {
      var zone = ZoneId.of(row.zone());
      return new Person(
          row.flow(),
          LocalDate.ofInstant(row.enrolledAt(), zone),
          date(row.endedAt(), zone),
          row.status() == ParticipantStatus.COMPLETED,
          date(row.lastTextAt(), zone),
          LocalDate.ofInstant(now, zone));
    }

    private static Optional<LocalDate> date(@Nullable Instant at, ZoneId zone) {
      return Optional.ofNullable(at).map(it -> LocalDate.ofInstant(it, zone));
    }

    /** Returns the last date on which they were in the study. */
    LocalDate last() {
      return ended.filter(date -> date.isBefore(today)).orElse(today);
    }

    int studyDay(LocalDate date) {
      return StudyDays.studyDay(enrolled, date);
    }

    /** Returns the last study day of which it is known by now whether they still answered. */
    int judged(int silentAfterDays) {
      return studyDay(completed ? last() : today) - silentAfterDays;
    }

    /** Returns the last study day on which they were in the study; completing does not end it. */
    int lastInStudy() {
      return completed ? Integer.MAX_VALUE : ended.map(this::studyDay).orElse(Integer.MAX_VALUE);
    }

    /** Returns the study day of their last text, or 0. */
    int lastAnswering() {
      return lastText.map(this::studyDay).orElse(0);
    }

    boolean left() {
      return !completed && ended.isPresent();
    }

    boolean droppedOut(int silentAfterDays) {
      return left() || (!completed && lastAnswering() < judged(silentAfterDays));
    }
  }

  /** Counts on how many of some spans of days each day lies. */
  private static final class Spans {
    private final TreeMap<Integer, Long> changes = new TreeMap<>();

    /** Adds a span, both ends included; an empty one changes nothing. */
    void add(int first, int last) {
      if (last >= first) {
        changes.merge(first, 1L, Long::sum);
        changes.merge(last + 1, -1L, Long::sum);
      }
    }

    int last() {
      return changes.isEmpty() ? 0 : changes.lastKey() - 1;
    }

    /** Returns the counts of the days from 1 to the last one. */
    long[] counts(int last) {
      var counts = new long[Math.max(0, last) + 1];
      var now = 0L;
      for (int day = 1; day < counts.length; day++) {
        now += changes.getOrDefault(day, 0L);
        counts[day] = now;
      }
      return counts;
    }
  }

  private static int studyDay(LocalDate enrolled, LocalDate date) {
    return Math.toIntExact(Math.max(1, ChronoUnit.DAYS.between(enrolled, date) + 1));
  }

  /** What is counted of the prompts of one day. */
  private static final class Tally {
    private long participants;
    private long planned;
    private long sent;
    private long sentTo;
    private long answered;
    private long done;
    private long partly;
    private long notDone;
    private long onlyAnswered;
    private long missed;

    void add(JdbcFigures.Prompted row) {
      planned += row.planned();
      sent += row.sent();
      // Each participant has one local date on a study day, so none is counted twice.
      sentTo += row.sentTo();
      answered += row.answered();
      done += row.done();
      partly += row.partly();
      notDone += row.notDone();
      onlyAnswered += row.onlyAnswered();
      missed += row.missed();
    }

    Prompts prompts(@Nullable String date, @Nullable Integer studyDay) {
      return new Prompts(
          date,
          studyDay,
          participants,
          planned,
          sent,
          date == null && studyDay == null ? null : sentTo,
          answered,
          done,
          missed,
          Figures.rate(answered, sent),
          Figures.rate(done, sent));
    }

    Outcomes outcomes(long open) {
      var unanswered = sent - done - partly - notDone - onlyAnswered - open;
      return new Outcomes(done, partly, notDone, onlyAnswered, unanswered, open);
    }
  }

  /**
   * Returns the results of prompts of these days.
   *
   * @param open how many of the prompts sent have no outcome and can still be answered
   */
  Adherence adherence(Range range, List<JdbcFigures.Prompted> rows, long open) {
    var all = adherenceOf(people, range, rows, open);
    return new Adherence(
        all.all(),
        all.outcomes(),
        all.days(),
        all.studyDays(),
        perFlow()
            .map(flow -> {
              var of =
                  adherenceOf(
                      of(flow),
                      range,
                      rows.stream().filter(row -> row.flow().equals(flow)).toList(),
                      0);
              return new FlowAdherence(flow, of.all(), of.days(), of.studyDays());
            })
            .toList());
  }

  private Stream<String> perFlow() {
    return flows.size() < 2 ? Stream.of() : flows.stream();
  }

  private List<Person> of(String flow) {
    return people.stream().filter(person -> person.flow().equals(flow)).toList();
  }

  private static Adherence adherenceOf(
      List<Person> people, Range range, List<JdbcFigures.Prompted> rows, long open) {
    var all = new Tally();
    var days = new TreeMap<String, Tally>();
    range.days().forEach(day -> days.put(day, new Tally()));
    var studyDays = new TreeMap<Integer, Tally>();
    for (var row : rows) {
      var studyDay = studyDay(row.enrolled(), LocalDate.parse(row.onDay()));
      all.add(row);
      Optional.ofNullable(days.get(row.onDay())).ifPresent(day -> day.add(row));
      studyDays.computeIfAbsent(studyDay, day -> new Tally()).add(row);
    }
    var dates = new Spans();
    var reached = new Spans();
    for (var person : people) {
      var first = later(person.enrolled(), range.from());
      var last = earlier(person.last(), range.to());
      if (!last.isBefore(first)) {
        all.participants++;
        dates.add(studyDay(range.from(), first), studyDay(range.from(), last));
        reached.add(person.studyDay(first), person.studyDay(last));
      }
    }
    var onDates = dates.counts(days.size());
    var place = 1;
    for (var day : days.values()) {
      day.participants = onDates[place++];
    }
    var most = Math.max(reached.last(), studyDays.isEmpty() ? 0 : studyDays.lastKey());
    var onStudyDays = reached.counts(most);
    return new Adherence(
        all.prompts(null, null),
        all.outcomes(open),
        days.entrySet().stream().map(day -> day.getValue().prompts(day.getKey(), null)).toList(),
        IntStream.rangeClosed(1, most)
            .mapToObj(day -> {
              var of = studyDays.getOrDefault(day, new Tally());
              of.participants = onStudyDays[day];
              return of.prompts(null, day);
            })
            .toList(),
        List.of());
  }

  private static LocalDate later(LocalDate one, LocalDate other) {
    return one.isAfter(other) ? one : other;
  }

  private static LocalDate earlier(LocalDate one, LocalDate other) {
    return one.isBefore(other) ? one : other;
  }

  /** Returns how long participants keep answering, in the whole study until now. */
  DropOut dropOut() {
    return new DropOut(
        people.size(),
        droppedOut(people),
        people.stream().filter(Person::left).count(),
        silentAfterDays,
        answering(people),
        perFlow()
            .map(flow -> {
              var of = of(flow);
              return new FlowDropOut(flow, of.size(), droppedOut(of), answering(of));
            })
            .toList());
  }

  private long droppedOut(List<Person> of) {
    return of.stream().filter(person -> person.droppedOut(silentAfterDays)).count();
  }

  private List<Answering> answering(List<Person> of) {
    var reached = new Spans();
    var inStudy = new Spans();
    var answering = new Spans();
    for (var person : of) {
      var judged = Math.min(Figures.MOST_DAYS, person.judged(silentAfterDays));
      reached.add(1, judged);
      inStudy.add(1, Math.min(judged, person.lastInStudy()));
      answering.add(1, Math.min(judged, person.lastAnswering()));
    }
    var last = reached.last();
    var all = reached.counts(last);
    var staying = inStudy.counts(last);
    var stillAnswering = answering.counts(last);
    return IntStream.rangeClosed(1, last)
        .mapToObj(day ->
            new Answering(
                day,
                all[day],
                staying[day],
                stillAnswering[day],
                Figures.rate(staying[day], all[day]),
                Figures.rate(stillAnswering[day], all[day])))
        .toList();
  }
}
