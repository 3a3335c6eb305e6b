package org.habitline.study.fidelity;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.conversation.stored.Outcome;
import org.habitline.participants.ParticipantListener;
import org.habitline.protocol.ModelPolicy;
import org.habitline.protocol.MonitoringPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Transactions;
import org.habitline.study.fidelity.JdbcDeviations.Deviation;
import org.habitline.study.figures.Figures;
import org.habitline.timers.FollowUp;
import org.habitline.timers.Occurrence;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what a study planned for a day with what happened, and keeps each difference as a
 * deviation that staff explain or close. Each night looks at the day that ended, and once more at
 * the day before, because by then it has ended in every time zone. Days are those of the study's
 * zone, which its budgets have too; daily prompts count on the local date of their participant.
 *
 * <p>All that is found of a day is stored in one transaction with the row of the day, so that one
 * node does it, and a crash leaves the day for the next look. A look stores each difference once.
 */
@Singleton
public final class Fidelity implements ParticipantListener {

  private static final Logger log = LoggerFactory.getLogger(Fidelity.class);

  /** Most days that are looked at after a time without a look. */
  public static final int MOST_DAYS = 31;

  /** When the look at the day before begins, so that what was sent late in the evening is there. */
  private static final Duration AFTER_MIDNIGHT = Duration.ofHours(3);

  /** How long after it was due a reminder counts as missed; quiet hours move it. */
  private static final Duration REMINDER_LATE = Duration.ofHours(1);

  /** How many rows of one kind are looked at for one day. */
  private static final int LOOKED_AT = 20_000;

  private static final int LONGEST_REASON = 64;

  private static final List<Outcome> WRITTEN =
      List.of(Outcome.REPLIED, Outcome.WOKE, Outcome.ASKED);

  private static final List<Outcome> FALLBACKS =
      List.of(
          Outcome.MODEL_FAILED,
          Outcome.REFUSED,
          Outcome.CONTENT_FILTERED,
          Outcome.GATED,
          Outcome.NO_TEXT,
          Outcome.NO_CONTEXT,
          Outcome.OTHER_MODEL,
          Outcome.CRASHED);

  private static final Pattern ASKED = Pattern.compile("^\"modelAsked\":\"([^\"]+)\"");

  private final JdbcFidelity rows;
  private final JdbcDeviations deviations;
  private final MonitoringPlan plan;
  private final ModelPolicy models;
  private final ZoneId zone;
  private final Transactions transactions;
  private final Clock clock;

  Fidelity(
      JdbcFidelity rows,
      JdbcDeviations deviations,
      StudyFile study,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.deviations = deviations;
    this.plan = study.monitoring();
    this.models = study.models();
    this.zone = study.budgets().zone();
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Returns the time zone of the study's days. */
  public ZoneId zone() {
    return zone;
  }

  /** Returns after more than how many days without a text a participant is silent. */
  public int silentAfterDays() {
    return plan.silentAfterDays();
  }

  /** Returns the day before today, in the study's zone and in study time. */
  public LocalDate yesterday() {
    return today().minusDays(1);
  }

  private LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), zone);
  }

  /**
   * Looks at the days since the last look, at most {@value #MOST_DAYS}, and once more at the day
   * before them; without a last look, at yesterday. Does nothing if there is no such day, or before
   * three o'clock. Called regularly on every node.
   */
  public void lookAtMissedDays() {
    var last = LocalDate.ofInstant(clock.instant().minus(AFTER_MIDNIGHT), zone).minusDays(1);
    var newest = transactions.read(() -> rows.newest()).map(LocalDate::parse);
    if (newest.filter(day -> !day.isBefore(last)).isPresent()) {
      return;
    }
    var earliest = last.minusDays(MOST_DAYS - 1L);
    var first = newest.map(day -> day.plusDays(1)).orElse(last);
    first = first.isBefore(earliest) ? earliest : first;
    look(first.minusDays(1));
    first.datesUntil(last.plusDays(1)).forEach(this::look);
  }

  /**
   * Returns the days of a range that were not looked at, first day first: those from the first
   * enrolment until yesterday count.
   */
  public List<LocalDate> unchecked(Figures.Range range) {
    return transactions.read(() -> {
      var begun = rows.begun().map(at -> LocalDate.ofInstant(at, zone));
      if (begun.isEmpty()) {
        return List.of();
      }
      var first = begun.get().isAfter(range.from()) ? begun.get() : range.from();
      var last = yesterday().isBefore(range.to()) ? yesterday() : range.to();
      if (last.isBefore(first)) {
        return List.of();
      }
      var checked =
          rows.days(first.toString(), last.toString()).stream()
              .map(JdbcFidelity.Day::localDate)
              .collect(Collectors.toSet());
      return first
          .datesUntil(last.plusDays(1))
          .filter(day -> !checked.contains(day.toString()))
          .toList();
    });
  }

  /** Looks at the unchecked days of a range, first day first, at most {@value #MOST_DAYS}. */
  public void lookAtUnchecked(Figures.Range range) {
    unchecked(range).stream().limit(MOST_DAYS).forEach(this::look);
  }

  /** Looks at yesterday now, and once more at the day before. */
  public void lookNow() {
    look(yesterday().minusDays(1));
    look(yesterday());
  }

  private record Found(
      DeviationKind kind,
      @Nullable String participantId,
      @Nullable Integer slot,
      @Nullable Integer turn,
      @Nullable String reason,
      String dedupKey) {}

  private void look(LocalDate day) {
    var found = new ArrayList<Found>();
    var counted = transactions.read(() -> counted(day, found));
    var added =
        transactions.write(() -> {
          var _ = rows.begin(counted.localDate(), counted.lookedAt());
          var _ = rows.update(counted);
          return found.stream().mapToInt(it -> store(it, counted)).sum();
        });
    if (added > 0) {
      log.info("{} deviations of {} found; staff explain or close them", added, day);
    }
  }

  private int store(Found found, JdbcFidelity.Day day) {
    var key = found.kind().word() + "#" + found.dedupKey();
    return found.participantId() == null
        ? deviations.insertOfStudy(
            key, found.kind(), day.localDate(), found.reason(), day.lookedAt())
        : deviations.insert(
            key,
            found.participantId(),
            found.kind(),
            day.localDate(),
            found.slot(),
            found.turn(),
            found.reason(),
            day.lookedAt());
  }

  private JdbcFidelity.Day counted(LocalDate day, List<Found> found) {
    var begin = day.atStartOfDay(zone).toInstant();
    var end = day.plusDays(1).atStartOfDay(zone).toInstant();
    var now = clock.instant();
    // A text on this day or later keeps somebody from being silent, and so does enrolment from the
    // day after: for someone who never texted, the day before counts as that of the last text.
    var heard = day.minusDays(plan.silentAfterDays());
    var heardSince = heard.atStartOfDay(zone).toInstant();
    var enrolledBefore = heard.plusDays(1).atStartOfDay(zone).toInstant();
    var prompts = new Prompts(day.toString(), now);
    rows.prompts(day.toString(), LOOKED_AT).forEach(prompt -> prompts.add(prompt, found));
    var fallbacks = fallbacks(begin, end, found);
    var waiting = waiting(end, found);
    return new JdbcFidelity.Day(
        day.toString(),
        prompts.planned,
        prompts.sent,
        prompts.late,
        prompts.missed,
        prompts.followUpsDue,
        prompts.followUpsSent,
        fallbacks + WRITTEN.stream().mapToLong(it -> rows.turns(it, begin, end)).sum(),
        fallbacks,
        rows.texts(begin, end) + waiting,
        unanswered(begin, end, found) + waiting,
        rows.calls(begin, end),
        otherModels(day, begin, end, found),
        rows.active(enrolledBefore),
        silent(enrolledBefore, heardSince, end, found),
        changedFiles(begin, end, found, now));
  }

  /** The daily prompts of one day. */
  private final class Prompts {
    private final String day;
    private final Instant now;
    private long planned;
    private long sent;
    private long late;
    private long missed;
    private long followUpsDue;
    private long followUpsSent;

    Prompts(String day, Instant now) {
      this.day = day;
      this.now = now;
    }

    void add(JdbcFidelity.Prompt prompt, List<Found> found) {
      planned++;
      if (prompt.status() == Occurrence.Status.SENT) {
        sent++;
        addSent(prompt, found);
      } else if (isMissed(prompt)) {
        missed++;
        found.add(
            found(
                DeviationKind.PROMPT_MISSED,
                prompt,
                prompt.reason() == null ? word(prompt.status()) : prompt.reason()));
      }
    }

    private boolean isMissed(JdbcFidelity.Prompt prompt) {
      return switch (prompt.status()) {
        case MISSED, REFUSED -> true;
        case PLANNED, PROMPTING -> prompt.dueAt().plus(Duration.ofDays(1)).isBefore(now);
        case SENT, CANCELLED, SKIPPED -> false;
      };
    }

    private void addSent(JdbcFidelity.Prompt prompt, List<Found> found) {
      var sentAt = prompt.sentAt();
      var by = sentAt == null ? Duration.ZERO : Duration.between(prompt.dueAt(), sentAt);
      if (by.compareTo(plan.lateAfter()) > 0) {
        late++;
        found.add(found(DeviationKind.PROMPT_LATE, prompt, by.toMinutes() + " min"));
      }
      if (prompt.remindedAt() != null || askedLater(prompt)) {
        followUpsDue++;
        followUpsSent++;
      } else if (wantedFollowUp(prompt)) {
        followUpsDue++;
        var guard = new Occurrence.Key(LocalDate.parse(day), prompt.slot()).text();
        found.add(
            found(
                DeviationKind.FOLLOW_UP_MISSED,
                prompt,
                rows.whyNoReminder(prompt.participantId(), guard).orElse(null)));
      }
    }

    private boolean askedLater(JdbcFidelity.Prompt prompt) {
      return prompt.askedAt() != null
          && prompt.promptedAt() != null
          && prompt.askedAt().isAfter(prompt.promptedAt());
    }

    /** Returns whether a reminder or a later question was due that nothing made needless. */
    private boolean wantedFollowUp(JdbcFidelity.Prompt prompt) {
      var due = prompt.reminderDueAt();
      var needless =
          prompt.askedAt() == null ? prompt.outcome() != null : prompt.respondedAt() != null;
      return due != null
          && due.plus(REMINDER_LATE).isBefore(now)
          && !needless
          && !isLeftOut(prompt.followUp());
    }

    /** Returns whether a follow-up was left out on purpose. */
    private static boolean isLeftOut(@Nullable FollowUp followUp) {
      return followUp == FollowUp.REPLACED || followUp == FollowUp.NOT_WANTED;
    }

    private Found found(DeviationKind kind, JdbcFidelity.Prompt prompt, @Nullable String reason) {
      return new Found(
          kind,
          prompt.participantId(),
          prompt.slot(),
          prompt.turn(),
          shortened(reason),
          prompt.participantId() + "#" + day + "#" + prompt.slot());
    }
  }

  private static String word(Occurrence.Status status) {
    return status == Occurrence.Status.PLANNED ? "still planned" : "no report of the provider";
  }

  private long fallbacks(Instant begin, Instant end, List<Found> found) {
    var all = 0L;
    for (var outcome : FALLBACKS) {
      all += rows.turns(outcome, begin, end);
      rows.ended(outcome, begin, end, LOOKED_AT)
          .forEach(turn -> found.add(found(DeviationKind.FALLBACK, turn)));
    }
    return all;
  }

  private long unanswered(Instant begin, Instant end, List<Found> found) {
    var turns = rows.unanswered(begin, end, LOOKED_AT);
    turns.forEach(turn -> found.add(found(DeviationKind.UNANSWERED_TEXT, turn)));
    return turns.size();
  }

  /** Returns how many texts have had no turn. */
  private long waiting(Instant end, List<Found> found) {
    var waiting = rows.waiting(end, LOOKED_AT);
    waiting.forEach(text ->
        found.add(
            new Found(
                DeviationKind.UNANSWERED_TEXT,
                text.participantId(),
                null,
                null,
                "no turn yet",
                text.participantId() + "#inbox#" + text.seq())));
    return waiting.size();
  }

  private static Found found(DeviationKind kind, JdbcFidelity.Turn turn) {
    return new Found(
        kind,
        turn.participantId(),
        null,
        turn.turn(),
        turn.reason(),
        turn.participantId() + "#" + turn.turn());
  }

  /** Returns how many calls another model answered; each participant and model is found once. */
  private long otherModels(LocalDate day, Instant begin, Instant end, List<Found> found) {
    var known = new HashSet<String>();
    var all = 0L;
    for (var call : rows.otherNames(begin, end, LOOKED_AT)) {
      if (isOther(call)) {
        all++;
        var key = call.participantId() + "#" + day + "#" + shortened(call.returned());
        if (known.add(key)) {
          found.add(
              new Found(
                  DeviationKind.MODEL_CHANGED,
                  call.participantId(),
                  null,
                  call.turn(),
                  shortened(call.returned()),
                  key));
        }
      }
    }
    return all;
  }

  private boolean isOther(JdbcFidelity.Called call) {
    var asked = ASKED.matcher(call.asked());
    return asked.find() && !models.allows(asked.group(1), call.returned());
  }

  /** Returns how many are silent; each silence is found once. */
  private long silent(Instant enrolledBefore, Instant since, Instant end, List<Found> found) {
    var all = rows.silent(enrolledBefore, since, end, LOOKED_AT);
    for (var silent : all) {
      var last = silent.lastTextAt();
      var lastDay = last == null ? null : LocalDate.ofInstant(last, zone).toString();
      found.add(
          new Found(
              DeviationKind.SILENT_PARTICIPANT,
              silent.participantId(),
              null,
              null,
              lastDay == null ? "no text yet" : "last text " + lastDay,
              silent.participantId() + "#" + lastDay));
    }
    return all.size();
  }

  private Instant changedFiles(Instant begin, Instant end, List<Found> found, Instant now) {
    rows.changedFiles(begin, end, LOOKED_AT)
        .forEach(file ->
            found.add(
                new Found(
                    DeviationKind.PROMPT_FILE_CHANGED,
                    null,
                    null,
                    null,
                    shortened(file.file()),
                    file.sha256())));
    return now;
  }

  private static @Nullable String shortened(@Nullable String words) {
    return words == null || words.length() <= LONGEST_REASON
        ? words
        : words.substring(0, LONGEST_REASON - 1) + "…";
  }

  /** Returns what was counted of the days in a range that were looked at, first day first. */
  public List<JdbcFidelity.Day> days(Figures.Range range) {
    return transactions.read(() -> rows.days(range.from().toString(), range.to().toString()));
  }

  /**
   * Returns deviations of a range of days, newest first.
   *
   * @param kind only of this kind, if given
   * @param state only in this state, if given
   * @param before only those with a lower number
   */
  public List<Deviation> deviations(
      Figures.Range range,
      Optional<DeviationKind> kind,
      Optional<DeviationState> state,
      long before,
      int most) {
    return transactions.read(() ->
        deviations.list(
            range.from().toString(),
            range.to().toString(),
            before,
            kind.map(DeviationKind::word).orElse(""),
            state.map(DeviationState::word).orElse(""),
            most));
  }

  /** Returns how many deviations of yesterday are open. */
  public int openOfYesterday() {
    return transactions.read(() -> deviations.open(yesterday().toString()));
  }

  /** Returns a deviation, or empty if there is none with this number. */
  public Optional<Deviation> find(long seq) {
    return transactions.read(() -> deviations.find(seq));
  }

  /**
   * Explains or closes a deviation; returns whether it was open.
   *
   * @param note what staff found out, at most 1,000 characters
   */
  public boolean decide(long seq, DeviationState state, String note, String by) {
    return transactions.write(() -> deviations.decide(seq, state, note, clock.instant(), by) > 0);
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    deviations.erase(participantId);
  }
}
