package org.habitline.budgets;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.habitline.audit.Events;
import org.habitline.budgets.UsedUp.Scope;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.protocol.Budgets;
import org.habitline.protocol.Budgets.Kind;
import org.habitline.protocol.Budgets.Limits;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what participants and the study spend on a day, and says whether a budget is used up. A
 * participant's day is the date of the study clock in their own time zone; the study's is the date
 * in the zone of its budgets.
 *
 * <p>Budgets are checked before something is spent, not reserved: what has begun by then is still
 * counted and may exceed a budget. That is at most one model call of each turn that is running, and
 * one message of each participant that is being sent. All amounts are in the database, so they hold
 * for any number of nodes. Safe for any number of threads.
 */
@Singleton
public final class Spending implements ParticipantListener {

  private static final Logger log = LoggerFactory.getLogger(Spending.class);

  /** The type of the event when a budget is nearly or wholly used, once for each on a day. */
  public static final String REACHED = "budget.reached";

  /** Staff are warned when this share of a budget is used, in percent. */
  public static final int WARNING = 80;

  /** The share at which a budget is used up, in percent. */
  public static final int ALL = 100;

  /**
   * How many rows the study's day has: what ends at the same time mostly adds to different ones.
   */
  private static final int PARTS = 16;

  private static final String STUDY = "study";
  private static final Duration KEPT = Duration.ofDays(90);
  private static final int LOOKED_AT = 10_000;
  private static final int MARKS_REMEMBERED = 10_000;

  private final Budgets budgets;
  private final JdbcSpending rows;
  private final Charges charges;
  private final Events events;
  private final Transactions transactions;
  private final Clock clock;

  /** Marks that are known to be stored, so that a look writes only what is new. */
  private final Set<Mark> marked = ConcurrentHashMap.newKeySet();

  private volatile Map<Scope, Spent> seen = Map.of();

  Spending(
      StudyFile study,
      JdbcSpending rows,
      Charges charges,
      Events events,
      Transactions transactions,
      Clock clock) {
    this.budgets = study.budgets();
    this.rows = rows;
    this.charges = charges;
    this.events = events;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Returns the limits and prices of the study. */
  public Budgets budgets() {
    return budgets;
  }

  /**
   * What a participant and the study have spent today.
   *
   * @param textSent whether the participant got the text that says that no reply follows today
   * @param usedUp a budget that is used up, the participant's before the study's
   */
  public record Today(Spent participant, Spent study, boolean textSent, List<UsedUp> usedUp) {

    /** Returns the first budget that is used up, or empty if none is. */
    public Optional<UsedUp> anyUsedUp() {
      return usedUp.stream().findFirst();
    }

    /** Returns a budget of this kind that is used up, or empty if none is. */
    public Optional<UsedUp> usedUp(Kind kind) {
      return usedUp.stream().filter(it -> it.kind() == kind).findFirst();
    }
  }

  /** Returns what was spent today, in the running transaction or one of its own. */
  public Today today(Participant participant) {
    return transactions.read(() -> {
      var spent = rows.of(participant.id(), date(participant), date());
      return new Today(
          spent.own(),
          spent.study(),
          spent.textSent(),
          Stream.concat(
                  usedUp(Scope.PARTICIPANT, budgets.participant(), spent.own()),
                  usedUp(Scope.STUDY, budgets.study(), spent.study()))
              .toList());
    });
  }

  /** Returns what all participants spent today. */
  public Spent studyToday() {
    return transactions.read(() -> rows.ofStudy(date())).spent();
  }

  /** Returns a budget of the study that is used up, or empty if none is. */
  public Optional<UsedUp> studyUsedUp() {
    return usedUp(Scope.STUDY, budgets.study(), studyToday()).findFirst();
  }

  private static Stream<UsedUp> usedUp(Scope scope, Limits limits, Spent spent) {
    return Arrays.stream(Kind.values())
        .filter(kind -> limits.of(kind).filter(limit -> spent.of(kind) >= limit.most()).isPresent())
        .map(kind -> new UsedUp(scope, kind));
  }

  /**
   * Counts what a participant spent, or takes back what was counted and not spent; joins the
   * running transaction. Call it last in a transaction: others may wait for the study's rows.
   */
  public void add(Participant participant, Spent spent) {
    if (spent.equals(Spent.NOTHING)) {
      return;
    }
    var whose = participant.id();
    var day = date(participant);
    if (add(whose, day, spent) == 0) {
      var _ = rows.begin(whose, day);
      var _ = add(whose, day, spent);
    }
    addToStudy(Math.floorMod(whose.hashCode(), PARTS), spent);
  }

  private int add(String whose, String day, Spent spent) {
    return rows.add(whose, day, spent.tokens(), spent.cost(), spent.segments());
  }

  /** Counts what the study spent for no participant, in the running transaction or its own. */
  public void addToStudy(Spent spent) {
    transactions.write(() -> addToStudy(0, spent));
  }

  private void addToStudy(int part, Spent spent) {
    var day = date();
    if (addToStudy(day, part, spent) == 0) {
      var _ = rows.beginStudy(day, part);
      var _ = addToStudy(day, part, spent);
    }
  }

  private int addToStudy(String day, int part, Spent spent) {
    return rows.addToStudy(day, part, spent.tokens(), spent.cost(), spent.segments());
  }

  /**
   * Counts segments that are given to a provider, or takes them back with a negative number; joins
   * the running transaction, as {@link #add} does.
   *
   * @param channel what they are sent by; those of a simulated one cost nothing and count only
   *     against a limit that the study set itself, so that it can be tried
   */
  public void addSegments(Participant participant, int segments, ChannelKind channel) {
    add(participant, ofSegments(segments, channel));
  }

  /** Returns what segments count against the budgets today, as {@link #addSegments} counts them. */
  public Spent ofSegments(int segments, ChannelKind channel) {
    if (channel.isSimulated()) {
      return new Spent(0, 0, isSet(Kind.SEGMENTS) ? segments : 0);
    }
    var cost = budgets.ofMessage(channel, Math.abs(segments), today());
    return new Spent(0, cost * Integer.signum(segments), segments);
  }

  /** Returns whether it is known what messages of a channel cost today. */
  public boolean knowsPriceOf(ChannelKind channel) {
    return channel.isSimulated()
        || budgets.prices().flatMap(it -> it.ofMessage(channel, today())).isPresent();
  }

  /** Returns what remains today of a budget of the study, or empty if it has no limit. */
  public Optional<Long> studyLeft(Kind kind) {
    return budgets.study().of(kind).map(it -> Math.max(0, it.most() - studyToday().of(kind)));
  }

  /** Returns what a model call counts against a budget of cost today, in millionths. */
  public long ofTokens(String model, long input, long output) {
    return budgets.ofTokens(model, input, output, today());
  }

  private LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }

  /** Returns whether the study itself limits this. */
  public boolean isSet(Kind kind) {
    return Stream.of(budgets.participant(), budgets.study())
        .flatMap(limits -> limits.of(kind).stream())
        .anyMatch(limit -> !limit.builtIn());
  }

  /**
   * Records that the participant gets the text that says that no reply follows today; joins the
   * running transaction.
   */
  public void textSent(Participant participant) {
    var day = date(participant);
    if (rows.textSent(participant.id(), day) == 0) {
      var _ = rows.begin(participant.id(), day);
      var _ = rows.textSent(participant.id(), day);
    }
  }

  private String date(Participant participant) {
    return clock.instant().atZone(participant.zone()).toLocalDate().toString();
  }

  private String date() {
    return clock.instant().atZone(budgets.zone()).toLocalDate().toString();
  }

  private record Mark(String whose, String day, Kind kind, int percent) {}

  /**
   * Looks for budgets that are nearly or wholly used and records each once a day, with an event.
   * Called regularly on every node; what a crash delays is recorded by the next look.
   */
  public void look() {
    var today = today();
    var study = studyToday();
    var participants =
        transactions.read(() ->
            rows.above(
                today.minusDays(1).toString(),
                today.plusDays(1).toString(),
                warned(Kind.TOKENS),
                warned(Kind.COST),
                warned(Kind.SEGMENTS),
                LOOKED_AT));
    for (var row : participants) {
      mark(row.participantId(), row.localDate(), budgets.participant(), row.spent());
    }
    mark(STUDY, date(), budgets.study(), study);
    var highest = new EnumMap<Scope, Spent>(Scope.class);
    highest.put(Scope.PARTICIPANT, transactions.read(() -> rows.highest(date())).spent());
    highest.put(Scope.STUDY, study);
    seen = Map.copyOf(highest);
  }

  /** Returns the amount of a participant at which staff are warned. */
  private long warned(Kind kind) {
    return budgets
        .participant()
        .of(kind)
        .map(limit -> share(limit.most(), WARNING))
        .orElse(Long.MAX_VALUE);
  }

  private static long share(long most, int percent) {
    return Math.ceilDiv(Math.multiplyExact(most, percent), ALL);
  }

  private void mark(String whose, String day, Limits limits, Spent spent) {
    for (var kind : Kind.values()) {
      for (var percent : List.of(WARNING, ALL)) {
        var mark = new Mark(whose, day, kind, percent);
        if (limits
                .of(kind)
                .filter(limit -> spent.of(kind) >= share(limit.most(), percent))
                .isPresent()
            && !marked.contains(mark)) {
          transactions.write(() -> store(mark));
          remember(mark);
        }
      }
    }
  }

  private void store(Mark mark) {
    if (rows.mark(mark.whose(), mark.day(), mark.kind(), mark.percent(), clock.instant()) > 0) {
      log.warn(
          "{} used {} % of today's budget of {}; at 100 % only the flow's own text is sent",
          mark.whose().equals(STUDY) ? "The study" : mark.whose(),
          mark.percent(),
          mark.kind().word());
      events.emit(
          REACHED,
          mark.whose().equals(STUDY) ? null : mark.whose(),
          Map.of("kind", mark.kind().word(), "percent", mark.percent()));
    }
  }

  private void remember(Mark mark) {
    if (marked.size() >= MARKS_REMEMBERED) {
      marked.clear();
    }
    marked.add(mark);
  }

  /**
   * Returns the share of a budget that was used at the last look: the study's, or the highest of a
   * participant on the study's date; empty without a limit or before the first look.
   */
  public Optional<Double> usedShare(Scope scope, Kind kind) {
    var limits = scope == Scope.STUDY ? budgets.study() : budgets.participant();
    return Optional.ofNullable(seen.get(scope))
        .flatMap(spent -> limits.of(kind).map(it -> (double) spent.of(kind) / it.most()));
  }

  /** A budget that a participant nearly or wholly used. */
  public record Reached(String participantId, String date, Kind kind, int percent, Instant at) {}

  /** Returns what participants reached within this time, newest first. */
  public List<Reached> reached(Duration within, int most) {
    return transactions.read(() -> rows.marks(clock.instant().minus(within), most)).stream()
        .map(row ->
            new Reached(row.participantId(), row.localDate(), row.kind(), row.percent(), row.at()))
        .toList();
  }

  /** Returns sentences about budgets of the study that are nearly or wholly used today. */
  public List<String> warnings() {
    var spent = studyToday();
    return Arrays.stream(Kind.values()).flatMap(kind -> warning(kind, spent).stream()).toList();
  }

  private Optional<String> warning(Kind kind, Spent spent) {
    return budgets
        .study()
        .of(kind)
        .filter(limit -> spent.of(kind) >= share(limit.most(), WARNING))
        .map(limit ->
            "The study has used "
                + spent.of(kind) * ALL / limit.most()
                + " % of today's budget of "
                + budgets.shown(kind, limit.most())
                + ". "
                + (spent.of(kind) >= limit.most()
                    ? kind == Kind.SEGMENTS
                        ? "Until midnight ("
                            + budgets.zone()
                            + "), participants get one fixed text, and no message of the coach."
                        : "Until midnight ("
                            + budgets.zone()
                            + "), no model is asked: participants get the flow's own text."
                    : "At 100 %, participants get only the flow's own text until midnight ("
                        + budgets.zone()
                        + ").")
                + " The limit is in "
                + StudyFile.NAME
                + ", or built in.");
  }

  /**
   * Returns what was used of each limit, in words, such as "120 of 1,000 tokens".
   *
   * @param simulated whether only simulated phones are used, whose segments may not count; see
   *     {@link #addSegments}
   */
  public List<String> used(Scope scope, Spent spent, boolean simulated) {
    var limits = scope == Scope.STUDY ? budgets.study() : budgets.participant();
    return Arrays.stream(Kind.values())
        .filter(kind -> limits.of(kind).isPresent() || spent.of(kind) > 0)
        .map(kind ->
            simulated && kind == Kind.SEGMENTS && spent.of(kind) == 0 && !isSet(kind)
                ? "– segments (those of simulated phones are not counted)"
                : limits
                    .of(kind)
                    .map(limit ->
                        budgets.shown(kind, spent.of(kind)).replaceFirst(" .*", "")
                            + " of "
                            + budgets.shown(kind, limit.most()))
                    .orElseGet(() -> budgets.shown(kind, spent.of(kind)) + ", no limit"))
        .toList();
  }

  /** Deletes what is older than 90 days, and what an erasure may have left. */
  public void forget() {
    var first = LocalDate.ofInstant(clock.instant().minus(KEPT), ZoneOffset.UTC).toString();
    transactions.write(() -> rows.forget(first));
    transactions.write(() -> rows.forgetStudy(first) + rows.forgetMarks(first));
    transactions.write(() -> rows.eraseLeftOvers() + rows.eraseMarksLeftOver());
    charges.forget();
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
    rows.eraseMarks(participantId);
  }
}
