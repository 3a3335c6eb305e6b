package org.habitline.timers;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Ids;
import org.jspecify.annotations.Nullable;

/**
 * Changes participants' daily prompts: the running schedules, the next occurrence of each, and the
 * status of past ones; {@link OccurrenceReader} reads them. A pause, a STOP or the end of the study
 * cancels everything at once, a return plans from now, and a new zone plans again there.
 *
 * <p>Methods join the running transaction. Turns of one participant run one after the other;
 * changes by staff may come at any time, and a turn notices them when it commits.
 */
@Singleton
public final class Schedules implements ParticipantListener {

  private static final String AFTER_ALL = "9999-12-31";
  private static final String REPLANNED = "planned again";
  private static final String NOT_NOW = "the participant gets no messages now";

  private final JdbcSchedules rows;
  private final JdbcOccurrences occurrences;
  private final JdbcOutcomeChanges outcomes;
  private final Timers timers;
  private final OccurrenceReader reader;
  private final PromptTimes times;
  private final Clock clock;

  Schedules(
      JdbcSchedules rows,
      JdbcOccurrences occurrences,
      JdbcOutcomeChanges outcomes,
      Timers timers,
      OccurrenceReader reader,
      PromptTimes times,
      Clock clock) {
    this.rows = rows;
    this.occurrences = occurrences;
    this.outcomes = outcomes;
    this.timers = timers;
    this.reader = reader;
    this.times = times;
    this.clock = clock;
  }

  /** Returns the state of a participant's prompts, for callers that also change them. */
  public OccurrenceReader.Standing standing(Participant participant) {
    return reader.standing(participant);
  }

  /** Starts a schedule; the one in its slot ends. */
  public void run(Participant participant, Agenda.Planned planned) {
    var schedule = planned.schedule();
    rows.end(participant.id(), schedule.slot(), "replaced by " + schedule.id(), clock.instant());
    // A schedule that was ended and created again at the same instant has the same id.
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

  /** Ends a schedule and cancels its next prompt; does nothing if it is not running. */
  public void end(String participantId, String scheduleId, String how) {
    for (var row : rows.running(participantId)) {
      if (row.id().equals(scheduleId)) {
        rows.end(participantId, row.slot(), how, clock.instant());
        suspend(participantId, row.slot(), how);
      }
    }
  }

  /**
   * Starts a schedule with a time of day, in place of the one in the slot; returns it. Its next
   * prompt is planned unless the participant may not be messaged now.
   */
  public Schedule start(Participant participant, int slot, DailyTime time) {
    var schedule = new Schedule(Ids.next("sch"), slot, time, clock.instant());
    var next = reader.next(schedule, standing(participant).agenda());
    run(participant, new Agenda.Planned(schedule, next));
    if (!participant.mayBeTexted()) {
      suspend(participant.id(), slot, NOT_NOW);
    }
    return schedule;
  }

  /**
   * Skips the prompt of a schedule on a local date and plans the one after it; returns false if the
   * prompt of that date was sent or missed already, or the date does not exist in the zone.
   *
   * @param reason why, for people who read the list of prompts
   */
  public boolean skip(Participant participant, Schedule schedule, LocalDate date, String reason) {
    var moment = Recurrence.on(schedule, date, participant.zones().now(), times.early());
    if (moment.isEmpty()) {
      return false;
    }
    var _ = insert(participant.id(), schedule, moment.get());
    var skipped =
        occurrences.endPlanned(
                participant.id(),
                date.toString(),
                schedule.slot(),
                Occurrence.Status.SKIPPED,
                reason)
            > 0;
    if (skipped) {
      planNext(participant, schedule.slot());
    }
    return skipped;
  }

  /** Makes a skipped date of a schedule free again; returns false if it was not skipped. */
  public boolean unskip(Participant participant, Schedule schedule, LocalDate date) {
    var unskipped =
        occurrences.reopen(
                participant.id(), date.toString(), schedule.slot(), Occurrence.Status.SKIPPED)
            > 0;
    if (unskipped) {
      // What was planned instead gives way to an earlier date.
      occurrences.cancelPlanned(participant.id(), schedule.slot(), AFTER_ALL, REPLANNED);
      planNext(participant, schedule.slot());
    }
    return unskipped;
  }

  /**
   * Returns whether a prompt of a slot is due and waits for its turn. That turn plans the next one;
   * planning it now would cancel the one that is due.
   */
  public boolean isDue(String participantId, int slot) {
    var now = clock.instant();
    return timers.open(participantId).stream()
        .filter(it -> it.kind() == WakeupKind.DAILY_PROMPT && !it.dueAt().isAfter(now))
        .anyMatch(it -> Occurrence.Key.read(it.guard()).slot() == slot);
  }

  /**
   * Sends today's prompt of a schedule now, also if it was skipped or missed. One that was planned
   * or missed keeps its own time in the record, so that it counts as late if it is. Returns false
   * if today's prompt was sent, or is about to be.
   */
  public boolean sendNow(Participant participant, Schedule schedule) {
    // The wall time is stored to the second.
    var now = Moment.at(clock.instant().truncatedTo(ChronoUnit.SECONDS), participant.zone());
    var today = now.date().toString();
    var found =
        occurrences
            .find(participant.id(), today, schedule.slot())
            .map(JdbcOccurrences.Row::occurrence);
    var moment =
        switch (found.map(Occurrence::status).orElse(Occurrence.Status.CANCELLED)) {
          case CANCELLED, SKIPPED -> now;
          case PLANNED, MISSED -> found.orElseThrow().moment();
          case PROMPTING, SENT, REFUSED -> null;
        };
    if (moment == null) {
      return false;
    }
    for (var status : EnumSet.of(Occurrence.Status.SKIPPED, Occurrence.Status.MISSED)) {
      occurrences.reopen(participant.id(), today, schedule.slot(), status);
    }
    if (!insert(participant.id(), schedule, moment)) {
      return false;
    }
    wake(participant, schedule, moment, now.at());
    return true;
  }

  /**
   * Plans the next occurrence in a slot after one is over, if a schedule still runs there. Plans
   * nothing for participants who may not be messaged now.
   */
  public void planNext(Participant participant, int slot) {
    if (!participant.mayBeTexted()) {
      return;
    }
    var agenda = standing(participant).agenda();
    agenda.planned().stream()
        .map(Agenda.Planned::schedule)
        .filter(schedule -> schedule.slot() == slot)
        .findFirst()
        .ifPresent(schedule -> plan(participant, schedule, reader.next(schedule, agenda)));
  }

  private void plan(Participant participant, Schedule schedule, Moment moment) {
    var free = moment;
    while (!insert(participant.id(), schedule, free)) {
      var date = free.date();
      free =
          Recurrence.next(
              schedule, participant.zones(), free.at(), day -> !day.isAfter(date), times.early());
    }
    wake(participant, schedule, free, free.at());
  }

  /** Plans the wake-up of an occurrence, in place of every other one in its slot. */
  private void wake(Participant participant, Schedule schedule, Moment moment, Instant at) {
    occurrences.cancelPlanned(
        participant.id(), schedule.slot(), moment.date().toString(), REPLANNED);
    timers.plan(
        new Timers.Plan(
            participant.id(),
            WakeupKind.DAILY_PROMPT,
            at,
            moment.zone(),
            new Occurrence.Key(moment.date(), schedule.slot()).text(),
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
    planMove(before, after);
    if (before.mayBeTexted() && !after.mayBeTexted()) {
      suspend(after.id(), "the participant is " + after.status().word());
    } else if (!before.mayBeTexted() && after.mayBeTexted()) {
      planFromNow(after, Set.of());
    } else if (after.mayBeTexted() && !before.zones().equals(after.zones())) {
      planFromNow(after, ringing(after.id()));
    }
  }

  /** Plans the wake-up that changes the participant's zone, or cancels it. */
  private void planMove(Participant before, Participant after) {
    var move = after.move();
    if (before.zones().equals(after.zones())) {
      return;
    }
    if (move == null) {
      timers.cancel(
          after.id(), EnumSet.of(WakeupKind.ZONE_MOVE), "the move to another zone was cancelled");
    } else {
      timers.plan(
          new Timers.Plan(after.id(), WakeupKind.ZONE_MOVE, move.due(after.zone()), move.to(), ""));
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
    timers.erase(participantId);
    outcomes.erase(participantId);
    occurrences.erase(participantId);
    rows.erase(participantId);
  }

  /**
   * Cancels the participant's wake-ups at once and keeps the schedules. Wake-ups of requested
   * prompts stay, because their turns record why nothing was sent; so does the end of a takeover,
   * which checks the participant then, and a move to another zone, which sends nothing.
   */
  private void suspend(String participantId, String reason) {
    end(
        participantId,
        EnumSet.complementOf(
            EnumSet.of(WakeupKind.SCRIPTED, WakeupKind.HAND_BACK, WakeupKind.ZONE_MOVE)),
        reason);
  }

  private void suspend(String participantId, int slot, String reason) {
    timers.cancel(participantId, WakeupKind.DAILY_PROMPT, slot(slot), reason);
    occurrences.cancelPlanned(participantId, slot, AFTER_ALL, reason);
  }

  private void end(String participantId, Set<WakeupKind> kinds, String reason) {
    timers.cancel(participantId, kinds, reason);
    nonePending(participantId);
    for (var row : rows.running(participantId)) {
      occurrences.cancelPlanned(participantId, row.slot(), AFTER_ALL, reason);
    }
  }

  /** Returns the slots whose prompt is due and waits for its turn; that turn plans the next one. */
  private Set<Integer> ringing(String participantId) {
    return timers.open(participantId).stream()
        .filter(it -> it.kind() == WakeupKind.DAILY_PROMPT)
        .filter(it -> it.status() == Wakeup.Status.RUNG)
        .map(it -> Occurrence.Key.read(it.guard()).slot())
        .collect(Collectors.toSet());
  }

  private void planFromNow(Participant participant, Set<Integer> butSlots) {
    var agenda = standing(participant).agenda();
    for (var planned : agenda.planned()) {
      var schedule = planned.schedule();
      if (!butSlots.contains(schedule.slot())) {
        plan(participant, schedule, reader.next(schedule, agenda));
      }
    }
  }

  /**
   * Records that the prompt of a planned occurrence is in the outbox; returns false if it was
   * cancelled.
   *
   * @param asks whether the prompt asks about its outcome
   * @param asksElse whether its turn then asks something else, so that a short reply is not about
   *     the prompt
   */
  public boolean prompting(
      String participantId, Occurrence.Key key, int turn, boolean asks, boolean asksElse) {
    var now = clock.instant();
    // Planned for, and not written at: a prompt that is late replaces the same reminders.
    var due = occurrences.find(participantId, key.date().toString(), key.slot());
    occurrences.nonePending(
        participantId, FollowUp.REPLACED, due.map(JdbcOccurrences.Row::dueAt).orElse(now));
    return occurrences.prompting(
            participantId,
            key.date().toString(),
            key.slot(),
            turn,
            now,
            asks ? now : null,
            asks && !asksElse)
        > 0;
  }

  /**
   * Records that a planned occurrence ended without a prompt; returns false if it was cancelled.
   */
  public boolean missed(String participantId, Occurrence.Key key, String reason) {
    return occurrences.endPlanned(
            participantId, key.date().toString(), key.slot(), Occurrence.Status.MISSED, reason)
        > 0;
  }

  /**
   * A prompt that the provider accepted.
   *
   * @param first whether it is accepted for the first time
   */
  public record Sent(Occurrence prompt, boolean first) {}

  /**
   * Records that the provider accepted the prompt of a turn. It is pending from now on, unless the
   * reply or a newer prompt came first or the participant may not be messaged any more. Returns the
   * occurrence as it is now, or empty if this was recorded before or the turn wrote no daily
   * prompt.
   *
   * @param askAfter when the question about the outcome follows a prompt that did not ask it
   * @param ofTheirFlow whether the participant still has the flow of the prompt; otherwise it is
   *     not pending
   */
  public Optional<Sent> sent(
      Participant participant, int turn, Optional<Duration> askAfter, boolean ofTheirFlow) {
    var found = ofTurn(participant.id(), turn);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    var key = found.get().key();
    var now = clock.instant();
    var asked = found.get().askedAt() != null;
    var pending =
        (asked ? found.get().respondedAt() == null : found.get().outcome() == null)
            && ofTheirFlow
            && participant.mayBeTexted()
            && isNewest(participant, found.get());
    var delay = asked ? times.reminderDelay() : askAfter.orElse(times.reminderDelay());
    var wanted = pending && delay.isPositive();
    var due = wanted ? followUp(participant, now, now.plus(delay)) : Optional.<Instant>empty();
    var changed =
        occurrences.sent(
            participant.id(),
            key.date().toString(),
            key.slot(),
            now,
            pending,
            due.orElse(null),
            wanted ? due.map(it -> FollowUp.DUE).orElse(FollowUp.REPLACED) : null);
    return changed == 0
        ? Optional.empty()
        : ofTurn(participant.id(), turn)
            .map(prompt -> new Sent(prompt, found.get().sentAt() == null));
  }

  /**
   * Returns when the reminder of a prompt comes, or its question: as asked for, or moved into the
   * allowed hours; or empty if the next prompt comes by then.
   */
  private Optional<Instant> followUp(Participant participant, Instant sent, Instant wanted) {
    var due = times.allowed().within(sent, wanted, participant.zones());
    return due.equals(wanted) || isBeforeTheNextPrompt(participant, due)
        ? Optional.of(due)
        : Optional.empty();
  }

  private boolean isBeforeTheNextPrompt(Participant participant, Instant instant) {
    return standing(participant).agenda().planned().stream()
        .allMatch(planned -> planned.next().at().isAfter(instant));
  }

  /** Returns whether no newer prompt was written, also for a prompt that was believed lost. */
  private boolean isNewest(Participant participant, Occurrence prompt) {
    var written = prompt.promptedAt();
    return written != null
        && standing(participant)
            .newestPrompt()
            .map(Occurrence::promptedAt)
            .filter(newest -> newest.isAfter(written))
            .isEmpty();
  }

  /** Records that the prompt of a turn will not be sent. */
  public void refused(String participantId, int turn, String reason) {
    var _ =
        endPrompt(
            participantId, turn, Occurrence.Status.REFUSED, Occurrence.Status.PROMPTING, reason);
  }

  /** Records that the prompt of a turn was not sent in time. */
  public void notSent(String participantId, int turn, String reason) {
    var _ =
        endPrompt(
            participantId, turn, Occurrence.Status.MISSED, Occurrence.Status.PROMPTING, reason);
  }

  /**
   * Records that the provider accepted the prompt of a turn but could not deliver it; returns
   * whether it was pending.
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

  /** Returns the daily prompt that a turn wrote, if it wrote one. */
  public Optional<Occurrence> ofTurn(String participantId, int turn) {
    return occurrences.ofTurn(participantId, turn).map(JdbcOccurrences.Row::occurrence);
  }

  /** Records a reply to a prompt; the time of the first one stays. */
  public void responded(String participantId, Occurrence.Key key, Instant at) {
    occurrences.responded(participantId, key.date().toString(), key.slot(), at);
  }

  /** The change of an outcome; {@code null} stands for unknown. */
  public record OutcomeChange(
      @Nullable PromptOutcome before, @Nullable PromptOutcome after, boolean wasPending) {}

  /**
   * Records what came of a prompt, with an entry in the change log, and ends the wait for its
   * reminder or question. Returns the change, or empty if the prompt was not sent or has this
   * outcome already. The caller holds the participant.
   */
  public Optional<OutcomeChange> outcome(
      String participantId, Occurrence.Key key, OutcomeEntry entry) {
    var date = key.date().toString();
    var before =
        occurrences.find(participantId, date, key.slot()).map(JdbcOccurrences.Row::outcome);
    if (occurrences.outcome(participantId, date, key.slot(), entry.outcome()) == 0) {
      return Optional.empty();
    }
    outcomes.save(
        new JdbcOutcomeChanges.Row(
            null,
            participantId,
            date,
            key.slot(),
            before.orElse(null),
            entry.outcome(),
            entry.by(),
            entry.turn(),
            entry.staff(),
            entry.note(),
            clock.instant()));
    return Optional.of(
        new OutcomeChange(
            before.orElse(null),
            entry.outcome(),
            noMorePending(participantId, key, FollowUp.NOT_WANTED)));
  }

  /**
   * Reminds of this prompt, or asks for its outcome, at a later time, unless that is no longer
   * wanted by now; not at all if the next prompt comes by then, so that it is lost.
   */
  public void remindLater(Participant participant, Occurrence.Key key, Instant at) {
    var date = key.date().toString();
    if (!isBeforeTheNextPrompt(participant, at)) {
      var _ = noMorePending(participant.id(), key, FollowUp.LOST);
    } else if (occurrences.remindLater(participant.id(), date, key.slot(), at) > 0) {
      timers.plan(
          new Timers.Plan(
              participant.id(), WakeupKind.REMINDER, at, participant.zone(), key.text()));
    }
  }

  /**
   * Records that the question about the outcome of this prompt is in the outbox; returns false if
   * it is no longer wanted.
   */
  public boolean asked(String participantId, Occurrence.Key key) {
    return occurrences.asked(participantId, key.date().toString(), key.slot(), clock.instant()) > 0;
  }

  /** Records that the question about the outcome did not arrive; a question in the prompt stays. */
  public void notAsked(String participantId, Occurrence.Key key) {
    occurrences.notAsked(participantId, key.date().toString(), key.slot());
  }

  /** Records that something else was asked, so that a short reply is no longer about a prompt. */
  public void askedSomethingElse(String participantId) {
    occurrences.closeQuestions(participantId);
  }

  /**
   * Ends the wait for a reply to this prompt; returns whether it was pending.
   *
   * @param followUp what becomes of the reminder or later question, if it is still due
   */
  public boolean noMorePending(String participantId, Occurrence.Key key, FollowUp followUp) {
    return occurrences.noMorePending(participantId, key.date().toString(), key.slot(), followUp)
        > 0;
  }

  /** Ends the wait for a reply to every prompt; a reminder that is still due is not wanted. */
  public void nonePending(String participantId) {
    occurrences.nonePending(participantId, FollowUp.NOT_WANTED, clock.instant());
  }

  /** Records that the provider accepted the reminder of this prompt. */
  public void reminded(String participantId, Occurrence.Key key) {
    occurrences.reminded(participantId, key.date().toString(), key.slot(), clock.instant());
  }
}
