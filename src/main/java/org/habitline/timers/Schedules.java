package org.habitline.timers;

import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Participants' daily prompts: which schedules run, which occurrence of each comes next, and what
 * became of those before. They follow the participant: a pause, a STOP or the end takes everything
 * back at once, a return plans from now, another zone plans again there.
 *
 * <p>Methods that change something join the running transaction. Turns of one participant come one
 * after the other; changes by staff may come at any time, and a turn finds out when it commits.
 */
@Singleton
public final class Schedules implements ParticipantListener {

  /** A prompt is older news than its answer after this many days. */
  private static final int COUNTED = 10_000;

  private static final int DAYS_REMEMBERED = 7;

  private static final String AFTER_ALL = "9999-12-31";

  private final JdbcSchedules rows;
  private final JdbcOccurrences occurrences;
  private final Provider<Timers> timers;
  private final PromptTimes times;
  private final Transactions transactions;
  private final Clock clock;

  Schedules(
      JdbcSchedules rows,
      JdbcOccurrences occurrences,
      Provider<Timers> timers,
      PromptTimes times,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.occurrences = occurrences;
    this.timers = timers;
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
    var found = rows.standing(id, today.minusDays(DAYS_REMEMBERED).toString());
    var running =
        found.stream()
            .flatMap(row -> row.schedule(id).stream())
            .map(Schedules::read)
            .sorted(Comparator.comparingInt(Schedule::slot))
            .toList();
    var recent =
        found.stream().flatMap(row -> row.occurrence(id).stream()).map(Schedules::read).toList();
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

  private Moment next(Schedule schedule, Agenda agenda) {
    return Recurrence.next(
        schedule, agenda.zone(), clock.instant(), agenda.taken(schedule.slot()), times.early());
  }

  /** Lets a schedule run from now on; the one in its slot ends. */
  public void run(Participant participant, Agenda.Planned planned) {
    var schedule = planned.schedule();
    rows.end(participant.id(), schedule.slot(), "replaced by " + schedule.id(), clock.instant());
    // A schedule that was ended and made again at the same instant has the same id.
    rows.remove(participant.id(), schedule.id());
    rows.insert(
        schedule.id(),
        participant.id(),
        schedule.slot(),
        schedule.time().type(),
        starts(schedule.time()),
        ends(schedule.time()),
        schedule.createdAt(),
        running(participant.id(), schedule.slot()));
    plan(participant, schedule, planned.next());
  }

  private static String running(String participantId, int slot) {
    return participantId + ":" + slot;
  }

  private static String starts(DailyTime time) {
    return switch (time) {
      case DailyTime.Fixed fixed -> fixed.at().toString();
      case DailyTime.Random random -> random.start().toString();
    };
  }

  private static @Nullable String ends(DailyTime time) {
    return time instanceof DailyTime.Random random ? random.end().toString() : null;
  }

  /** Ends a schedule and takes its next prompt back; does nothing if it does not run. */
  public void end(String participantId, String scheduleId, String how) {
    for (var row : rows.running(participantId)) {
      if (row.id().equals(scheduleId)) {
        rows.end(participantId, row.slot(), how, clock.instant());
        timers.get().cancel(participantId, WakeupKind.DAILY_PROMPT, slot(row.slot()), how);
        occurrences.cancelPlanned(participantId, row.slot(), AFTER_ALL, how);
      }
    }
  }

  /**
   * Plans what comes after an occurrence that is over, if its schedule, or another one in its slot,
   * still runs. Nothing is planned for somebody who may not be texted now.
   */
  public void planNext(Participant participant, int slot) {
    if (!participant.mayBeTexted()) {
      return;
    }
    var agenda = look(participant).agenda();
    agenda.planned().stream()
        .map(Agenda.Planned::schedule)
        .filter(schedule -> schedule.slot() == slot)
        .findFirst()
        .ifPresent(schedule -> plan(participant, schedule, next(schedule, agenda)));
  }

  private void plan(Participant participant, Schedule schedule, Moment moment) {
    var free = moment;
    while (!insert(participant.id(), schedule, free)) {
      var date = free.date();
      free =
          Recurrence.next(
              schedule, participant.zone(), free.at(), day -> !day.isAfter(date), times.early());
    }
    occurrences.cancelPlanned(
        participant.id(), schedule.slot(), free.date().toString(), "planned anew");
    timers
        .get()
        .plan(
            new Timers.Plan(
                participant.id(),
                WakeupKind.DAILY_PROMPT,
                free.at(),
                free.zone(),
                new Occurrence.Key(free.date(), schedule.slot()).text(),
                slot(schedule.slot())));
  }

  private boolean insert(String participantId, Schedule schedule, Moment moment) {
    var date = moment.date().toString();
    return occurrences.insert(
                participantId,
                date,
                schedule.slot(),
                schedule.id(),
                moment.wall().toString(),
                moment.zone().getId(),
                moment.at())
            > 0
        || occurrences.planAgain(
                participantId,
                date,
                schedule.slot(),
                schedule.id(),
                moment.wall().toString(),
                moment.zone().getId(),
                moment.at())
            > 0;
  }

  private static String slot(int slot) {
    return Integer.toString(slot);
  }

  @Override
  public void updated(Participant before, Participant after) {
    if (before.mayBeTexted() && !after.mayBeTexted()) {
      suspend(after.id(), "the participant is " + after.status().word());
    } else if (!before.mayBeTexted() && after.mayBeTexted()) {
      planFromNow(after, Set.of());
    } else if (after.mayBeTexted() && !before.zone().equals(after.zone())) {
      planFromNow(after, ringing(after.id()));
    }
  }

  @Override
  public void optedOut(Participant participant) {
    suspend(participant.id(), "the participant opted out");
  }

  @Override
  public void optedIn(Participant participant) {
    if (participant.mayBeTexted()) {
      planFromNow(participant, Set.of());
    }
  }

  @Override
  public void leaving(Participant participant) {
    end(participant.id(), EnumSet.allOf(WakeupKind.class), "the participant is leaving");
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    timers.get().erase(participantId);
    occurrences.erase(participantId);
    rows.erase(participantId);
  }

  /**
   * Takes back every wake-up at once; the schedules stay. What a script asked for rings on, and is
   * not sent for a reason that its records show; so does the end of a mute, which looks then.
   */
  private void suspend(String participantId, String reason) {
    end(
        participantId,
        EnumSet.complementOf(EnumSet.of(WakeupKind.SCRIPTED, WakeupKind.HAND_BACK)),
        reason);
  }

  private void end(String participantId, Set<WakeupKind> kinds, String reason) {
    timers.get().cancel(participantId, kinds, reason);
    occurrences.nonePending(participantId);
    for (var row : rows.running(participantId)) {
      occurrences.cancelPlanned(participantId, row.slot(), AFTER_ALL, reason);
    }
  }

  /** Slots whose prompt rang and waits for its turn: it is due, and its turn plans the next. */
  private Set<Integer> ringing(String participantId) {
    return timers.get().open(participantId).stream()
        .filter(it -> it.kind() == WakeupKind.DAILY_PROMPT)
        .filter(it -> it.status() == Wakeup.Status.RUNG)
        .map(it -> Occurrence.Key.read(it.guard()).slot())
        .collect(Collectors.toSet());
  }

  private void planFromNow(Participant participant, Set<Integer> butSlots) {
    var agenda = look(participant).agenda();
    for (var planned : agenda.planned()) {
      var schedule = planned.schedule();
      if (!butSlots.contains(schedule.slot())) {
        plan(participant, schedule, next(schedule, agenda));
      }
    }
  }

  /** The prompt of a planned occurrence stands in the outbox; false if it was taken back. */
  public boolean prompting(String participantId, Occurrence.Key key, int turn) {
    occurrences.nonePending(participantId);
    return occurrences.prompting(
            participantId, key.date().toString(), key.slot(), turn, clock.instant())
        > 0;
  }

  /**
   * Returns how many prompts that were due within this time until now were not sent in theirs, of
   * 10,000 at the most. Study time.
   */
  public int missedWithin(Duration time) {
    return transactions.read(() -> occurrences.missedSince(clock.instant().minus(time), COUNTED));
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
        .read(
            () -> occurrences.due(Occurrence.Status.PLANNED, now.minus(ago), now.plus(ahead), most))
        .stream()
        .map(Schedules::whose)
        .toList();
  }

  /**
   * Returns prompts of a status that were due within this time until now, the newest first. Study
   * time.
   */
  public List<Whose> lately(Occurrence.Status status, Duration time, int most) {
    var now = clock.instant();
    return transactions.read(() -> occurrences.lately(status, now.minus(time), now, most)).stream()
        .map(Schedules::whose)
        .toList();
  }

  /** Counts prompts that were due within this time until now; 10,000 at the most. Study time. */
  public Prompted promptedWithin(Duration time) {
    var counted =
        transactions.read(() -> occurrences.prompted(clock.instant().minus(time), COUNTED));
    return new Prompted(counted.sent(), counted.answered());
  }

  private static Whose whose(JdbcOccurrences.Row row) {
    return new Whose(row.participantId(), read(row));
  }

  /** A planned occurrence ends without a prompt; false if it was taken back. */
  public boolean missed(String participantId, Occurrence.Key key, String reason) {
    return occurrences.endPlanned(
            participantId, key.date().toString(), key.slot(), Occurrence.Status.MISSED, reason)
        > 0;
  }

  /**
   * A prompt that was accepted.
   *
   * @param first whether it never was before
   */
  public record Sent(Occurrence prompt, boolean first) {}

  /**
   * The provider accepted the prompt of a turn. It is pending from now on, unless the reply came
   * first, or a newer prompt, or the participant may not be texted any more. Returns the occurrence
   * as it is now, or empty if that was known or the turn wrote no daily prompt.
   */
  public Optional<Sent> sent(Participant participant, int turn) {
    var found = occurrences.ofTurn(participant.id(), turn).map(Schedules::read);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    var key = found.get().key();
    var now = clock.instant();
    var pending =
        found.get().respondedAt() == null
            && participant.mayBeTexted()
            && isNewest(participant, found.get());
    var changed =
        occurrences.sent(
            participant.id(),
            key.date().toString(),
            key.slot(),
            now,
            pending,
            pending && times.reminderDelay().isPositive() ? now.plus(times.reminderDelay()) : null);
    return changed == 0
        ? Optional.empty()
        : occurrences
            .ofTurn(participant.id(), turn)
            .map(Schedules::read)
            .map(prompt -> new Sent(prompt, found.get().sentAt() == null));
  }

  /** Also of a prompt that was believed lost: whether none was written after it. */
  private boolean isNewest(Participant participant, Occurrence prompt) {
    var written = prompt.promptedAt();
    return written != null
        && standing(participant)
            .newestPrompt()
            .map(Occurrence::promptedAt)
            .filter(newest -> newest.isAfter(written))
            .isEmpty();
  }

  /** The prompt of a turn will not go out. */
  public void refused(String participantId, int turn, String reason) {
    var _ =
        endPrompt(
            participantId, turn, Occurrence.Status.REFUSED, Occurrence.Status.PROMPTING, reason);
  }

  /** The prompt of a turn was not sent in its time. */
  public void notSent(String participantId, int turn, String reason) {
    var _ =
        endPrompt(
            participantId, turn, Occurrence.Status.MISSED, Occurrence.Status.PROMPTING, reason);
  }

  /**
   * The provider took the prompt of a turn and could not deliver it; returns whether it was
   * pending.
   */
  public boolean undelivered(String participantId, int turn, String reason) {
    var pending =
        occurrences.ofTurn(participantId, turn).filter(JdbcOccurrences.Row::pending).isPresent();
    return endPrompt(participantId, turn, Occurrence.Status.REFUSED, Occurrence.Status.SENT, reason)
        && pending;
  }

  private boolean endPrompt(
      String participantId,
      int turn,
      Occurrence.Status status,
      Occurrence.Status before,
      String reason) {
    return occurrences
        .ofTurn(participantId, turn)
        .filter(it ->
            occurrences.endPrompt(participantId, it.localDate(), it.slot(), status, before, reason)
                > 0)
        .isPresent();
  }

  /** The participant replied to a prompt; returns whether this is the first reply. */
  public boolean responded(String participantId, Occurrence.Key key, Instant at) {
    return occurrences.responded(participantId, key.date().toString(), key.slot(), at) > 0;
  }

  /** The participant did it; returns whether that was not known. */
  public boolean done(String participantId, Occurrence.Key key) {
    return occurrences.done(participantId, key.date().toString(), key.slot()) > 0;
  }

  /** Nobody waits for a reply to this prompt any more; returns whether somebody did. */
  public boolean noMorePending(String participantId, Occurrence.Key key) {
    return occurrences.noMorePending(participantId, key.date().toString(), key.slot()) > 0;
  }

  /** The reminder of this prompt was accepted by the provider. */
  public void reminded(String participantId, Occurrence.Key key) {
    occurrences.reminded(participantId, key.date().toString(), key.slot(), clock.instant());
  }

  /** Returns occurrences newest first, those before one of them or all. */
  public List<Occurrence> occurrences(
      String participantId, Occurrence.@Nullable Key before, int most) {
    var date = before == null ? AFTER_ALL : before.date().toString();
    var slot = before == null ? 0 : before.slot();
    return transactions.read(() ->
        occurrences.newest(participantId, date, slot, most).stream().map(Schedules::read).toList());
  }

  private static Schedule read(JdbcSchedules.Row row) {
    var start = LocalTime.parse(row.starts());
    return new Schedule(
        row.id(),
        row.slot(),
        row.ends() == null
            ? new DailyTime.Fixed(start)
            : new DailyTime.Random(start, LocalTime.parse(row.ends())),
        row.createdAt());
  }

  private static Occurrence read(JdbcOccurrences.Row row) {
    var date = LocalDate.parse(row.localDate());
    return new Occurrence(
        new Occurrence.Key(date, row.slot()),
        row.scheduleId(),
        new Moment(date, LocalDateTime.parse(row.wallTime()), ZoneId.of(row.zone()), row.dueAt()),
        row.status(),
        row.reason(),
        row.turn(),
        row.promptedAt(),
        row.sentAt(),
        row.pending(),
        row.reminderDueAt(),
        row.remindedAt(),
        row.respondedAt(),
        row.done());
  }
}
