package org.habitline.study.figures;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.participants.ParticipantStatus;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Computes the study's figures from the current database. Participants who were erased or are being
 * erased are not counted, and contacts who are not enrolled never are. Days are UTC days in study
 * time; those of prompts are their participants' local dates. Queries are limited to the days asked
 * for, response times to the newest {@value #TIMED}.
 */
@Singleton
public final class Figures {

  /** Most days in one range: three years. */
  public static final int MOST_DAYS = 1096;

  /** Response times are computed from at most this many of the newest replies and answers. */
  public static final int TIMED = 5_000;

  private final JdbcFigures rows;
  private final ConsentGate consents;
  private final Transactions transactions;
  private final Clock clock;

  Figures(JdbcFigures rows, ConsentGate consents, Transactions transactions, Clock clock) {
    this.rows = rows;
    this.consents = consents;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** A range of days, both ends included. */
  public record Range(LocalDate from, LocalDate to) {

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if it ends before it begins or has too many days
     */
    public Range {
      if (to.isBefore(from) || from.until(to, ChronoUnit.DAYS) >= MOST_DAYS) {
        throw new IllegalArgumentException("A range has 1 to " + MOST_DAYS + " days.");
      }
    }

    private Stream<String> days() {
      return from.datesUntil(to.plusDays(1)).map(LocalDate::toString);
    }

    private boolean holds(String day) {
      return day.compareTo(from.toString()) >= 0 && day.compareTo(to.toString()) <= 0;
    }

    private Instant begin() {
      return from.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    private Instant end() {
      return to.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    }
  }

  /** All figures of a range; each list has one item for every day, first day first. */
  public record Study(
      String from,
      String to,
      Enrolment enrolment,
      Adherence adherence,
      ResponseTimes replies,
      ResponseTimes answers,
      Texts texts,
      Tokens tokens) {}

  /**
   * Enrolment figures.
   *
   * @param total all participants, whenever they were enrolled
   * @param byStatus how many have each status now
   * @param byParticipation how many take part in each way now; each participant counts once. See
   *     {@link Participation}
   * @param optedOut how many of them have opted out with STOP, whatever their status
   */
  public record Enrolment(
      long total,
      Map<String, Long> byStatus,
      Map<String, Long> byParticipation,
      long optedOut,
      List<Enrolled> days) {}

  /**
   * Enrolments of a day.
   *
   * @param enrolled how many were enrolled on that day
   * @param total how many had been enrolled by its end
   * @param byStatus the present status of those enrolled on that day
   */
  public record Enrolled(String date, long enrolled, long total, Map<String, Long> byStatus) {}

  /** Results of daily prompts. */
  public record Adherence(Prompts all, List<Prompts> days) {}

  /**
   * Daily prompts of a local date.
   *
   * @param date {@code null} for the total
   * @param sent prompts that a provider accepted
   * @param answered sent prompts that the participant answered
   * @param done sent prompts of which the participant said that they did it
   * @param missed prompts that were not sent
   * @param answeredRate {@code answered} divided by {@code sent}, 0 to 1; {@code null} if none was
   *     sent
   */
  public record Prompts(
      @Nullable String date,
      long sent,
      long answered,
      long done,
      long missed,
      @Nullable Double answeredRate) {

    static Prompts of(@Nullable String date, long sent, long answered, long done, long missed) {
      return new Prompts(
          date,
          sent,
          answered,
          done,
          missed,
          sent == 0 ? null : Math.round(1000.0 * answered / sent) / 1000.0);
    }
  }

  /** Response times in total and by day. */
  public record ResponseTimes(Times all, List<Times> days) {}

  /**
   * Response times, in seconds.
   *
   * @param date {@code null} for all days together
   * @param count number of response times
   * @param medianSeconds {@code null} if there are none
   * @param p90Seconds the 90th percentile; {@code null} if there are none
   */
  public record Times(
      @Nullable String date,
      long count,
      @Nullable Double medianSeconds,
      @Nullable Double p90Seconds) {}

  /** Messages received and sent. */
  public record Texts(long received, long sent, long sentSegments, List<TextsOfDay> days) {}

  /**
   * Messages of a day.
   *
   * @param received texts from participants in the transcript
   * @param sent messages that a provider accepted; each part of a long one counts
   * @param sentSegments number of segments charged for them
   */
  public record TextsOfDay(String date, long received, long sent, long sentSegments) {}

  /** Tokens that models read and wrote. */
  public record Tokens(List<ModelTokens> models, List<ModelTokens> days) {}

  /**
   * Tokens that one model read and wrote.
   *
   * @param date {@code null} for the total of all days
   * @param calls number of calls, including failed ones
   */
  public record ModelTokens(
      @Nullable String date, String model, long calls, long promptTokens, long completionTokens) {

    ModelTokens and(ModelTokens other) {
      return new ModelTokens(
          date,
          model,
          calls + other.calls,
          promptTokens + other.promptTokens,
          completionTokens + other.completionTokens);
    }
  }

  /** Returns the last {@code days} days until today, in study time. */
  public Range last(int days) {
    var today = today();
    return new Range(today.minusDays(days - 1L), today);
  }

  /** Returns the days since the first enrolment, at most the last {@value #MOST_DAYS}. */
  public Range all() {
    var today = today();
    var earliest = today.minusDays(MOST_DAYS - 1L);
    var first =
        transactions.read(() -> rows.enrolled()).stream()
            .map(row -> LocalDate.parse(row.onDay()))
            .min(Comparator.naturalOrder())
            .filter(day -> !day.isAfter(today))
            .orElse(today);
    return new Range(first.isBefore(earliest) ? earliest : first, today);
  }

  /** Returns the current day in study time, UTC. */
  public LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }

  /** Returns the figures of these days, all read at one moment of the database. */
  public Study of(Range range) {
    return transactions.read(() ->
        new Study(
            range.from().toString(),
            range.to().toString(),
            enrolment(range),
            adherence(range),
            replies(range),
            answers(range),
            texts(range),
            tokens(range)));
  }

  private Enrolment enrolment(Range range) {
    var enrolled = rows.enrolled();
    var byDay = new TreeMap<String, Map<String, Long>>();
    range.days().forEach(day -> byDay.put(day, noneByStatus()));
    var all = noneByStatus();
    long before = 0;
    for (var row : enrolled) {
      all.merge(row.status(), row.people(), Long::sum);
      if (range.holds(row.onDay())) {
        byDay
            .getOrDefault(row.onDay(), noneByStatus())
            .merge(row.status(), row.people(), Long::sum);
      } else if (row.onDay().compareTo(range.from().toString()) < 0) {
        before += row.people();
      }
    }
    var days = new ArrayList<Enrolled>();
    for (var day : byDay.entrySet()) {
      var people = sum(day.getValue());
      before += people;
      days.add(new Enrolled(day.getKey(), people, before, day.getValue()));
    }
    return new Enrolment(
        sum(all), all, byWord(participation()), rows.optedOut(), List.copyOf(days));
  }

  /** Returns how many participants take part in each way now, with zeros. */
  public Map<Participation, Long> participation() {
    var found = transactions.read(() -> rows.participation(consents.version().orElse("")));
    var people = new EnumMap<Participation, Long>(Participation.class);
    for (var each : Participation.values()) {
      people.put(each, 0L);
    }
    found.forEach(row -> people.put(Participation.of(row.takingPart()), row.people()));
    return people;
  }

  private static Map<String, Long> byWord(Map<Participation, Long> people) {
    var counts = new LinkedHashMap<String, Long>();
    people.forEach((each, count) -> counts.put(each.word(), count));
    return counts;
  }

  private static Map<String, Long> noneByStatus() {
    var none = new LinkedHashMap<String, Long>();
    for (var status : ParticipantStatus.values()) {
      none.put(status.word(), 0L);
    }
    return none;
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private Adherence adherence(Range range) {
    var found =
        byDay(
            rows.prompted(range.from().toString(), range.to().toString()),
            JdbcFigures.Prompted::onDay,
            (one, other) -> one);
    var days =
        range
            .days()
            .map(day -> {
              var row = found.get(day);
              return row == null
                  ? Prompts.of(day, 0, 0, 0, 0)
                  : Prompts.of(day, row.sent(), row.answered(), row.done(), row.missed());
            })
            .toList();
    return new Adherence(
        Prompts.of(
            null,
            days.stream().mapToLong(Prompts::sent).sum(),
            days.stream().mapToLong(Prompts::answered).sum(),
            days.stream().mapToLong(Prompts::done).sum(),
            days.stream().mapToLong(Prompts::missed).sum()),
        days);
  }

  private static <T> Map<String, T> byDay(
      List<T> found, Function<T, String> day, BinaryOperator<T> both) {
    return found.stream().collect(Collectors.toMap(day, Function.identity(), both));
  }

  /**
   * Returns the times from the first text of a turn until a provider accepted the first message
   * that replies to it.
   */
  private ResponseTimes replies(Range range) {
    record Turn(String participantId, int number) {}
    var firsts = new LinkedHashMap<Turn, Took>();
    DeliveryStatus.TAKEN.stream()
        .flatMap(status -> rows.replies(status, range.begin(), range.end(), TIMED).stream())
        .forEach(row -> {
          var since = row.since();
          var at = row.at();
          if (since != null && at != null) {
            firsts.merge(
                new Turn(row.participantId(), row.turn()),
                Took.of(row.onDay(), since, at),
                Took::shorter);
          }
        });
    return times(
        range,
        firsts.values().stream()
            .sorted(Comparator.comparing(Took::day).reversed())
            .limit(TIMED)
            .toList());
  }

  private ResponseTimes answers(Range range) {
    return times(
        range,
        rows.answers(range.from().toString(), range.to().toString(), TIMED).stream()
            .map(row -> Took.of(row.onDay(), row.since(), row.at()))
            .toList());
  }

  private record Took(String day, double seconds) {

    static Took of(String day, Instant since, Instant at) {
      return new Took(day, Math.max(0, Duration.between(since, at).toMillis()) / 1000.0);
    }

    Took shorter(Took other) {
      return other.seconds < seconds ? other : this;
    }
  }

  private static ResponseTimes times(Range range, List<Took> all) {
    var byDay = all.stream().collect(Collectors.groupingBy(Took::day));
    return new ResponseTimes(
        times((String) null, all),
        range.days().map(day -> times(day, byDay.getOrDefault(day, List.of()))).toList());
  }

  private static Times times(@Nullable String day, List<Took> took) {
    var sorted = took.stream().mapToDouble(Took::seconds).sorted().toArray();
    return sorted.length == 0
        ? new Times(day, 0, null, null)
        : new Times(day, sorted.length, quantile(sorted, 0.5), quantile(sorted, 0.9));
  }

  /**
   * Returns a quantile, interpolated between the two nearest values as SQL's percentile_cont does,
   * rounded to the millisecond.
   */
  private static double quantile(double[] sorted, double part) {
    var place = part * (sorted.length - 1);
    var below = (int) Math.floor(place);
    var above = Math.min(below + 1, sorted.length - 1);
    var exact = sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    return Math.round(exact * 1000) / 1000.0;
  }

  private Texts texts(Range range) {
    BinaryOperator<JdbcFigures.Texts> both =
        (one, other) ->
            new JdbcFigures.Texts(
                one.onDay(), one.texts() + other.texts(), one.segments() + other.segments());
    var received = byDay(rows.received(range.begin(), range.end()), JdbcFigures.Texts::onDay, both);
    var sent =
        byDay(
            DeliveryStatus.TAKEN.stream()
                .flatMap(status -> rows.sent(status, range.begin(), range.end()).stream())
                .toList(),
            JdbcFigures.Texts::onDay,
            both);
    var days =
        range
            .days()
            .map(day -> {
              var none = new JdbcFigures.Texts(day, 0, 0);
              var out = sent.getOrDefault(day, none);
              return new TextsOfDay(
                  day, received.getOrDefault(day, none).texts(), out.texts(), out.segments());
            })
            .toList();
    return new Texts(
        days.stream().mapToLong(TextsOfDay::received).sum(),
        days.stream().mapToLong(TextsOfDay::sent).sum(),
        days.stream().mapToLong(TextsOfDay::sentSegments).sum(),
        days);
  }

  /** Returns the tokens; each day has an item for every model used in the range. */
  private Tokens tokens(Range range) {
    var found = rows.tokens(range.begin(), range.end());
    var models =
        byDay(
            found.stream().map(row -> tokens(null, row)).toList(),
            ModelTokens::model,
            (one, other) -> one.and(other));
    var names = models.keySet().stream().sorted().toList();
    record Of(String day, String model) {}
    var byDay =
        found.stream()
            .collect(
                Collectors.toMap(row -> new Of(row.onDay(), row.model()), Function.identity()));
    return new Tokens(
        names.stream().map(models::get).toList(),
        range
            .days()
            .flatMap(day ->
                names.stream()
                    .map(model ->
                        tokens(
                            day,
                            byDay.getOrDefault(
                                new Of(day, model), new JdbcFigures.Tokens(day, model, 0, 0, 0)))))
            .toList());
  }

  private static ModelTokens tokens(@Nullable String day, JdbcFigures.Tokens row) {
    return new ModelTokens(
        day, row.model(), row.calls(), row.promptTokens(), row.completionTokens());
  }
}
