package org.habitline.study.figures;

import com.fasterxml.jackson.annotation.JsonValue;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.participants.ParticipantStatus;
import org.habitline.protocol.EnrolmentTarget;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Transactions;
import org.habitline.timers.OccurrenceReader;
import org.jspecify.annotations.Nullable;

/**
 * Computes the study's figures from the current database. Participants who were erased or are being
 * erased are not counted, and contacts who are not enrolled never are. Days are UTC days in study
 * time; those of prompts are their participants' local dates. Study days are counted from the local
 * date of enrolment, which is day 1. Queries are limited to the days asked for, response times to
 * the newest {@value #TIMED}, and what is counted by participant to the first {@value #PEOPLE}.
 */
@Singleton
public final class Figures {

  /** Most days in one range: three years. */
  public static final int MOST_DAYS = 1096;

  /** Response times are computed from at most this many of the newest replies and answers. */
  public static final int TIMED = 5_000;

  /** Participants whose time in the study is counted, in the order of their enrolment. */
  static final int PEOPLE = 100_000;

  /** No model call takes longer; it is charged when it ends, at the latest. */
  private static final Duration LONGEST_CALL = Duration.ofDays(1);

  /** The lengths by which answers are counted, in minutes. */
  private static final List<Integer> WITHIN_MINUTES = List.of(5, 15, 30, 60, 120, 240, 480);

  private final JdbcFigures rows;
  private final StudyFile study;
  private final ConsentGate consents;
  private final Transactions transactions;
  private final Clock clock;

  Figures(
      JdbcFigures rows,
      StudyFile study,
      ConsentGate consents,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.study = study;
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

    Stream<String> days() {
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

  /**
   * All figures of a range; each list of days has one item for every day, first day first.
   *
   * @param dropOut of the whole study until now, whatever the range
   */
  public record Study(
      String from,
      String to,
      Enrolment enrolment,
      Adherence adherence,
      DropOut dropOut,
      ReplyTimes replies,
      AnswerTimes answers,
      Texts texts,
      Deliveries deliveries,
      Tokens tokens,
      Costs costs) {}

  /**
   * Enrolment figures.
   *
   * @param total all participants, whenever they were enrolled
   * @param erased how many more were enrolled and have been erased since; they are in no other
   *     figure
   * @param target how many the study is to enrol; {@code null} if it does not say
   * @param byStatus how many have each status now
   * @param byParticipation how many take part in each way now; each participant counts once. See
   *     {@link Participation}
   * @param optedOut how many of them have opted out with STOP, whatever their status
   */
  public record Enrolment(
      long total,
      long erased,
      @Nullable Integer target,
      Map<String, Long> byStatus,
      Map<String, Long> byParticipation,
      long optedOut,
      List<Enrolled> days) {}

  /**
   * Enrolments of a day.
   *
   * @param enrolled how many were enrolled on that day
   * @param total how many had been enrolled by its end
   * @param planned how many were to be enrolled by its end; {@code null} without a target
   * @param byStatus the present status of those enrolled on that day
   */
  public record Enrolled(
      String date, long enrolled, long total, @Nullable Long planned, Map<String, Long> byStatus) {}

  /**
   * Results of daily prompts.
   *
   * @param outcomes what came of the prompts that were sent
   * @param days by local date
   * @param studyDays by study day, from 1 to the last one that somebody reached on these dates
   * @param flows the same for each flow, if participants have more than one
   */
  public record Adherence(
      Prompts all,
      Outcomes outcomes,
      List<Prompts> days,
      List<Prompts> studyDays,
      List<FlowAdherence> flows) {}

  /**
   * What came of the prompts that were sent. Each of them counts once.
   *
   * @param answered prompts that were answered and have no outcome
   * @param unanswered prompts without an outcome and an answer, of which no text counts any more as
   *     the answer
   * @param open prompts without an outcome and an answer that a text can still answer: no later
   *     prompt was sent, and seven days have not passed
   */
  public record Outcomes(
      long done, long partly, long notDone, long answered, long unanswered, long open) {}

  /** Results of the daily prompts of one flow. */
  public record FlowAdherence(
      String flow, Prompts all, List<Prompts> days, List<Prompts> studyDays) {}

  /**
   * Daily prompts of a local date or of a study day.
   *
   * @param date {@code null} for a study day and for the total
   * @param studyDay {@code null} for a date and for the total
   * @param participants who were in the study on that day: enrolled, and neither completed,
   *     withdrawn nor opted out before it
   * @param planned prompts that were not cancelled, also those that are still to be sent
   * @param sent prompts that a provider accepted
   * @param sentTo how many participants these prompts were sent to; {@code null} for the total
   * @param answered sent prompts that the participant answered
   * @param done sent prompts of which the participant said that they did it
   * @param missed prompts that were not sent
   * @param answeredRate {@code answered} divided by {@code sent}, 0 to 1; {@code null} if none was
   *     sent
   * @param doneRate {@code done} divided by {@code sent}
   */
  public record Prompts(
      @Nullable String date,
      @Nullable Integer studyDay,
      long participants,
      long planned,
      long sent,
      @Nullable Long sentTo,
      long answered,
      long done,
      long missed,
      @Nullable Double answeredRate,
      @Nullable Double doneRate) {}

  /**
   * How long participants keep answering.
   *
   * @param participants all who were enrolled
   * @param droppedOut those of them who left without completing, or have been silent for longer
   *     than {@code silentAfterDays}
   * @param left those who left without completing: they were withdrawn or opted out
   * @param silentAfterDays as in {@code monitoring.silent_after_days}
   * @param days by study day
   * @param flows the same for each flow, if participants have more than one
   */
  public record DropOut(
      long participants,
      long droppedOut,
      long left,
      int silentAfterDays,
      List<Answering> days,
      List<FlowDropOut> flows) {}

  /** How long the participants of one flow keep answering. */
  public record FlowDropOut(
      String flow, long participants, long droppedOut, List<Answering> days) {}

  /**
   * How many still answer on a study day.
   *
   * @param participants who reached this day at least {@code silentAfterDays} days ago; those who
   *     completed count only that long before they did
   * @param inStudy those of them who were neither withdrawn nor opted out before that day
   * @param answering those of them who sent a text on that day or later
   * @param inStudyRate {@code inStudy} divided by {@code participants}, 0 to 1
   * @param answeringRate {@code answering} divided by {@code participants}
   */
  public record Answering(
      int studyDay,
      long participants,
      long inStudy,
      long answering,
      @Nullable Double inStudyRate,
      @Nullable Double answeringRate) {}

  /**
   * Times from a daily prompt to the participant's first text, in total, by the prompt's date, and
   * by length.
   *
   * @param longestSeconds {@code null} if there are none
   */
  public record AnswerTimes(
      Times all, List<Times> days, List<Within> within, @Nullable Double longestSeconds) {}

  /**
   * How many answers took at most so long, and longer than the item before.
   *
   * @param seconds {@code null} for all that took longer
   */
  public record Within(@Nullable Integer seconds, long count) {}

  /**
   * Times from the first text of a turn to the reply, in total and by day.
   *
   * @param parts what they consist of
   * @param partsByDay the mean of each part by day
   */
  public record ReplyTimes(
      Times all, List<Times> days, List<PartTimes> parts, List<MeanParts> partsByDay) {}

  /** A part of the time until the reply. */
  public enum Part {
    /** The text waited for its turn, and the reply in the outbox. */
    QUEUE("Waiting in the queue"),
    /** The model was asked, with the pauses between attempts. */
    MODEL("Model"),
    /** Tools ran, without the models that they asked. */
    TOOLS("Tools"),
    /** The reply was handed over to the provider. */
    PROVIDER("Handing over to the provider"),
    /** Everything else, such as reading and writing the database. */
    REST("Everything else");

    private final String title;

    Part(String title) {
      this.title = title;
    }

    /** Returns the words for the pages. */
    public String title() {
      return title;
    }

    /** Returns the lower-case word used over the API. */
    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** One part of the response times, in seconds; see {@link Times}. */
  public record PartTimes(
      Part part, long count, @Nullable Double medianSeconds, @Nullable Double p90Seconds) {}

  /** The mean of each part of a day's response times, in seconds; {@code null} without any. */
  public record MeanParts(
      String date,
      long count,
      @Nullable Double queueSeconds,
      @Nullable Double modelSeconds,
      @Nullable Double toolsSeconds,
      @Nullable Double providerSeconds,
      @Nullable Double restSeconds) {}

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

  /**
   * What became of messages.
   *
   * @param byStatus how many have each status now, without zeros
   */
  public record Deliveries(Map<String, Long> byStatus, List<DeliveriesOfDay> days) {}

  /**
   * What became of the messages of a day.
   *
   * @param delivered delivered or read
   * @param taken accepted by the provider, which has not reported more yet
   * @param waiting not handed over yet
   * @param notDelivered refused, failed, undelivered or canceled, or it is not known
   */
  public record DeliveriesOfDay(
      String date, long delivered, long taken, long waiting, long notDelivered) {}

  /** Tokens that models read and wrote. */
  public record Tokens(List<ModelTokens> models, List<ModelTokens> days) {}

  /**
   * Tokens that one model read and wrote.
   *
   * @param date {@code null} for the total of all days
   * @param calls number of calls, including failed ones
   * @param promptTokens tokens read, including the cached ones
   * @param cachedTokens tokens read that the provider had cached; {@code null} if it did not report
   *     any
   */
  public record ModelTokens(
      @Nullable String date,
      String model,
      long calls,
      long promptTokens,
      @Nullable Long cachedTokens,
      long completionTokens) {}

  /**
   * What model calls and messages cost.
   *
   * @param currency of all amounts; {@code null} if nothing had a price
   * @param estimated the part of {@code total} that is estimated, because the provider did not say
   *     what it charged
   * @param unknown how many calls and messages have no known price; they are in no amount
   * @param other amounts in other currencies, which are in no other amount
   * @param dailyBudget what the study may spend on one day; {@code null} without a budget of cost
   */
  public record Costs(
      @Nullable String currency,
      BigDecimal total,
      BigDecimal model,
      BigDecimal messages,
      BigDecimal estimated,
      long unknown,
      Map<String, BigDecimal> other,
      @Nullable BigDecimal dailyBudget,
      List<CostsOfDay> days) {}

  /** The costs of a day, as in {@link Costs}. */
  public record CostsOfDay(
      String date,
      BigDecimal model,
      BigDecimal messages,
      BigDecimal estimated,
      long unknown,
      @Nullable BigDecimal budget) {}

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
    return transactions.read(() -> {
      var people =
          new StudyDays(
              rows.tookPart(PEOPLE), clock.instant(), study.monitoring().silentAfterDays());
      var charges = rows.charges(range.begin(), range.end());
      var deliveries =
          Arrays.stream(DeliveryStatus.values())
              .flatMap(status ->
                  rows.deliveries(status, range.begin(), range.end()).stream()
                      .map(row -> new OfStatus(status, row)))
              .toList();
      return new Study(
          range.from().toString(),
          range.to().toString(),
          enrolment(range),
          people.adherence(
              range,
              rows.prompted(range.from().toString(), range.to().toString()),
              rows.stillOpen(
                  range.from().toString(),
                  range.to().toString(),
                  today().minusDays(OccurrenceReader.DAYS_REMEMBERED).toString())),
          people.dropOut(),
          replies(range),
          answers(range),
          texts(range, deliveries),
          deliveries(range, deliveries),
          tokens(range),
          new CostFigures(study.budgets(), charges).of(range));
    });
  }

  /**
   * Figures of one day, UTC.
   *
   * @param replies times from the first text of a turn to the reply
   */
  public record DayFigures(Times replies, Costs costs) {}

  /** Returns the figures of the current day, from the same rows as those of the Study page. */
  public DayFigures ofToday() {
    var range = last(1);
    return transactions.read(() ->
        new DayFigures(
            replies(range).all(),
            new CostFigures(study.budgets(), rows.charges(range.begin(), range.end())).of(range)));
  }

  /** Returns the texts and messages of the current day, as the Study page counts them. */
  public TextsOfDay textsOfToday() {
    var range = last(1);
    return transactions.read(() ->
        texts(
                range,
                Arrays.stream(DeliveryStatus.values())
                    .flatMap(status ->
                        rows.deliveries(status, range.begin(), range.end()).stream()
                            .map(row -> new OfStatus(status, row)))
                    .toList())
            .days()
            .getFirst());
  }

  private record OfStatus(DeliveryStatus status, JdbcFigures.Delivered row) {

    String onDay() {
      return row.onDay();
    }
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
      days.add(
          new Enrolled(
              day.getKey(),
              people,
              before,
              study.target().map(it -> it.planned(LocalDate.parse(day.getKey()))).orElse(null),
              day.getValue()));
    }
    return new Enrolment(
        sum(all),
        rows.erased(),
        study.target().map(EnrolmentTarget::participants).orElse(null),
        all,
        byWord(participation()),
        rows.optedOut(),
        List.copyOf(days));
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

  /**
   * Returns the times from the first text of a turn until a provider accepted the first message
   * that replies to it.
   */
  private ReplyTimes replies(Range range) {
    record Turn(String participantId, int number) {}
    var firsts = new LinkedHashMap<Turn, ReplyTime>();
    DeliveryStatus.TAKEN.stream()
        .flatMap(status -> rows.replies(status, range.begin(), range.end(), TIMED).stream())
        .forEach(row ->
            ReplyTime.of(row)
                .ifPresent(time ->
                    firsts.merge(
                        new Turn(row.participantId(), row.turn()), time, ReplyTime::shorter)));
    var newest =
        firsts.values().stream()
            .sorted(Comparator.comparing(ReplyTime::day).reversed())
            .limit(TIMED)
            .toList();
    var took = newest.stream().map(time -> new Took(time.day(), time.seconds())).toList();
    var byDay = newest.stream().collect(Collectors.groupingBy(ReplyTime::day));
    return new ReplyTimes(
        times((String) null, took),
        byDay(range, took),
        Arrays.stream(Part.values()).map(part -> partTimes(part, newest)).toList(),
        range.days().map(day -> means(day, byDay.getOrDefault(day, List.of()))).toList());
  }

  private static PartTimes partTimes(Part part, List<ReplyTime> split) {
    var times =
        times(
            (String) null,
            split.stream().map(time -> new Took(time.day(), time.of(part))).toList());
    return new PartTimes(part, times.count(), times.medianSeconds(), times.p90Seconds());
  }

  private static MeanParts means(String day, List<ReplyTime> split) {
    return new MeanParts(
        day,
        split.size(),
        mean(Part.QUEUE, split),
        mean(Part.MODEL, split),
        mean(Part.TOOLS, split),
        mean(Part.PROVIDER, split),
        mean(Part.REST, split));
  }

  private static @Nullable Double mean(Part part, List<ReplyTime> split) {
    return split.isEmpty()
        ? null
        : rounded(split.stream().mapToDouble(time -> time.of(part)).average().orElse(0));
  }

  private AnswerTimes answers(Range range) {
    var took =
        rows.answers(range.from().toString(), range.to().toString(), TIMED).stream()
            .map(row -> Took.of(row.onDay(), row.since(), row.at()))
            .toList();
    var longest = took.stream().mapToDouble(Took::seconds).max();
    return new AnswerTimes(
        times((String) null, took),
        byDay(range, took),
        within(took),
        longest.isPresent() ? longest.getAsDouble() : null);
  }

  private static List<Within> within(List<Took> took) {
    var counts = new ArrayList<Within>();
    var before = 0L;
    for (var most : WITHIN_MINUTES) {
      var seconds = most * 60;
      var until = took.stream().filter(time -> time.seconds() <= seconds).count();
      counts.add(new Within(seconds, until - before));
      before = until;
    }
    counts.add(new Within(null, took.size() - before));
    return List.copyOf(counts);
  }

  private record Took(String day, double seconds) {

    static Took of(String day, Instant since, Instant at) {
      return new Took(day, Math.max(0, Duration.between(since, at).toMillis()) / 1000.0);
    }
  }

  private static List<Times> byDay(Range range, List<Took> all) {
    var byDay = all.stream().collect(Collectors.groupingBy(Took::day));
    return range.days().map(day -> times(day, byDay.getOrDefault(day, List.of()))).toList();
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
    return rounded(exact);
  }

  private static double rounded(double seconds) {
    return Math.round(seconds * 1000) / 1000.0;
  }

  /** Returns a share of 0 to 1, rounded, or {@code null} if there is nothing to share. */
  static @Nullable Double rate(long part, long all) {
    return all == 0 ? null : Math.round(1000.0 * part / all) / 1000.0;
  }

  private Texts texts(Range range, List<OfStatus> deliveries) {
    var received =
        rows.received(range.begin(), range.end()).stream()
            .collect(Collectors.toMap(JdbcFigures.Texts::onDay, JdbcFigures.Texts::texts));
    var sent = deliveries.stream().collect(Collectors.groupingBy(OfStatus::onDay));
    var days =
        range
            .days()
            .map(day -> {
              var out = sent.getOrDefault(day, List.of());
              return new TextsOfDay(
                  day,
                  received.getOrDefault(day, 0L),
                  out.stream().mapToLong(it -> it.row().taken()).sum(),
                  out.stream().mapToLong(it -> it.row().segments()).sum());
            })
            .toList();
    return new Texts(
        days.stream().mapToLong(TextsOfDay::received).sum(),
        days.stream().mapToLong(TextsOfDay::sent).sum(),
        days.stream().mapToLong(TextsOfDay::sentSegments).sum(),
        days);
  }

  private static Deliveries deliveries(Range range, List<OfStatus> deliveries) {
    var byStatus = new LinkedHashMap<String, Long>();
    deliveries.forEach(it -> byStatus.merge(it.status().word(), it.row().texts(), Long::sum));
    var byDay = deliveries.stream().collect(Collectors.groupingBy(OfStatus::onDay));
    return new Deliveries(
        byStatus,
        range.days().map(day -> deliveries(day, byDay.getOrDefault(day, List.of()))).toList());
  }

  private static DeliveriesOfDay deliveries(String day, List<OfStatus> deliveries) {
    long delivered = 0;
    long taken = 0;
    long waiting = 0;
    long notDelivered = 0;
    for (var of : deliveries) {
      var row = of.row();
      if (DeliveryStatus.NOT_DELIVERED.contains(of.status())) {
        notDelivered += row.texts();
      } else if (of.status().rank() >= DeliveryStatus.DELIVERED.rank()) {
        delivered += row.texts();
      } else {
        taken += row.taken();
        waiting += row.texts() - row.taken();
      }
    }
    return new DeliveriesOfDay(day, delivered, taken, waiting, notDelivered);
  }

  private record OfModel(String day, String model) {}

  /** Returns the tokens; each day has an item for every model used in the range. */
  private Tokens tokens(Range range) {
    var found =
        rows.tokens(range.begin(), range.end()).stream()
            .collect(
                Collectors.toMap(
                    row -> new OfModel(row.onDay(), row.model()), Function.identity()));
    var cached =
        rows.cached(range.begin(), range.end(), range.end().plus(LONGEST_CALL)).stream()
            .collect(
                Collectors.toMap(
                    row -> new OfModel(row.onDay(), row.model()), JdbcFigures.Cached::tokens));
    var models = found.keySet().stream().map(OfModel::model).distinct().sorted().toList();
    var days =
        range
            .days()
            .flatMap(day ->
                models.stream()
                    .map(model -> {
                      var of = new OfModel(day, model);
                      return tokens(
                          day,
                          found.getOrDefault(of, new JdbcFigures.Tokens(day, model, 0, 0, 0)),
                          cached.get(of));
                    }))
            .toList();
    return new Tokens(models.stream().map(model -> total(model, days)).toList(), days);
  }

  private static ModelTokens total(String model, List<ModelTokens> days) {
    var of = days.stream().filter(it -> it.model().equals(model)).toList();
    var cached = of.stream().map(ModelTokens::cachedTokens).filter(Objects::nonNull).toList();
    return new ModelTokens(
        null,
        model,
        of.stream().mapToLong(ModelTokens::calls).sum(),
        of.stream().mapToLong(ModelTokens::promptTokens).sum(),
        cached.isEmpty() ? null : cached.stream().mapToLong(Long::longValue).sum(),
        of.stream().mapToLong(ModelTokens::completionTokens).sum());
  }

  private static ModelTokens tokens(
      String day, JdbcFigures.Tokens row, @Nullable Long cachedTokens) {
    return new ModelTokens(
        day, row.model(), row.calls(), row.promptTokens(), cachedTokens, row.completionTokens());
  }
}
