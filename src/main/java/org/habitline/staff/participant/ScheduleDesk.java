package org.habitline.staff.participant;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.Events;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.ConsentGate;
import org.habitline.participants.Participant;
import org.habitline.safety.incidents.Incidents;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.timers.Agenda;
import org.habitline.timers.DailyTime;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Schedule;
import org.habitline.timers.Schedules;
import org.jspecify.annotations.Nullable;

/**
 * Changes a participant's daily prompts for staff, for the page and the REST API: their time,
 * skipped days, and a prompt that is sent now. Each change and its audit entry are one transaction,
 * and no turn of the participant runs meanwhile, so that neither overwrites the other.
 */
@Singleton
final class ScheduleDesk {

  /** How many days ahead a prompt may be skipped. */
  static final int DAYS_AHEAD = 366;

  private static final int DATE_LENGTH = "2026-11-21".length();

  private final Schedules schedules;
  private final FlowCatalog flows;
  private final PromptTimes times;
  private final ConsentGate consents;
  private final Takeover takeovers;
  private final Incidents incidents;
  private final QuietChanges quiet;
  private final AuditLog audit;
  private final Events events;
  private final Clock clock;

  ScheduleDesk(
      Schedules schedules,
      FlowCatalog flows,
      PromptTimes times,
      ConsentGate consents,
      Takeover takeovers,
      Incidents incidents,
      QuietChanges quiet,
      AuditLog audit,
      Events events,
      Clock clock) {
    this.schedules = schedules;
    this.flows = flows;
    this.times = times;
    this.consents = consents;
    this.takeovers = takeovers;
    this.incidents = incidents;
    this.quiet = quiet;
    this.audit = audit;
    this.events = events;
    this.clock = clock;
  }

  /**
   * A time of day as staff gave it: one time, or a window in which each day has its own time.
   *
   * @param time such as 8:15, or {@code null}
   */
  record WantedTime(@Nullable String time, @Nullable String start, @Nullable String end) {}

  /**
   * Adds a daily prompt and returns its schedule.
   *
   * @throws ApiProblem 400 for a time that is not accepted, 404 if there is no such participant,
   *     409 if their flow has no daily prompts or they have as many as it allows, or a turn is
   *     running
   */
  Schedule add(Actor actor, String id, WantedTime wanted, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    return quiet.make(
        id,
        participant -> {
          var most = daily(participant).most();
          var planned = schedules.standing(participant).agenda().planned();
          var time = time(wanted, participant);
          var slot =
              IntStream.rangeClosed(1, most)
                  .filter(it -> planned.stream().noneMatch(one -> one.schedule().slot() == it))
                  .findFirst();
          if (planned.size() >= most || slot.isEmpty()) {
            throw ApiProblem.conflict(
                "The participant has %d daily prompts, and the flow allows no more. Change one instead."
                    .formatted(planned.size()));
          }
          refuseSame(planned, time);
          var added = schedules.start(participant, slot.getAsInt(), time);
          return recorded(actor, id, AuditAction.SCHEDULE_ADDED, added, null, time.text(), why);
        });
  }

  /**
   * Changes the time of a daily prompt and returns the schedule that replaces the one before.
   *
   * @throws ApiProblem 400 for a time that is not accepted, 404 if there is no such participant or
   *     schedule, 409 if it has this time already or a turn is running
   */
  Schedule change(
      Actor actor, String id, String scheduleId, WantedTime wanted, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    return quiet.make(
        id,
        participant -> {
          var before = schedule(participant, scheduleId);
          refuseDue(id, before);
          var time = time(wanted, participant);
          refuseSame(schedules.standing(participant).agenda().planned(), time);
          var after = schedules.start(participant, before.slot(), time);
          return recorded(
              actor,
              id,
              AuditAction.SCHEDULE_CHANGED,
              after,
              before.time().text(),
              time.text(),
              why);
        });
  }

  private static void refuseSame(List<Agenda.Planned> planned, DailyTime time) {
    if (planned.stream().anyMatch(it -> it.schedule().time().equals(time))) {
      throw ApiProblem.conflict("The participant has a daily prompt at this time already.");
    }
  }

  /**
   * Ends a schedule: its prompts stop.
   *
   * @throws ApiProblem 404 if there is no such participant or schedule, 409 if a turn is running
   */
  Schedule end(Actor actor, String id, String scheduleId, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    return quiet.make(
        id,
        participant -> {
          var schedule = schedule(participant, scheduleId);
          schedules.end(id, scheduleId, "ended by " + actor.name());
          return recorded(
              actor, id, AuditAction.SCHEDULE_ENDED, schedule, schedule.time().text(), null, why);
        });
  }

  /**
   * Skips the prompt of one local date.
   *
   * @throws ApiProblem 400 for a date that is not accepted, 404 if there is no such participant or
   *     schedule, 409 if the prompt of this date was sent, missed or skipped already or a turn is
   *     running
   */
  Schedule skip(
      Actor actor, String id, String scheduleId, @Nullable String date, @Nullable String reason) {
    return day(
        actor,
        id,
        scheduleId,
        date,
        reason,
        AuditAction.PROMPT_SKIPPED,
        (participant, day) -> {
          if (!day.isToday()) {
            refuseDue(id, day.schedule());
          }
          return schedules.skip(
              participant, day.schedule(), day.date(), "skipped by " + actor.name());
        },
        "The prompt of this date was sent, missed or skipped already, so it cannot be skipped.");
  }

  /**
   * Undoes the skip of one local date.
   *
   * @throws ApiProblem 400 for a date that is not accepted, 404 if there is no such participant or
   *     schedule, 409 if the date is not skipped or a turn is running
   */
  Schedule unskip(
      Actor actor, String id, String scheduleId, @Nullable String date, @Nullable String reason) {
    return day(
        actor,
        id,
        scheduleId,
        date,
        reason,
        AuditAction.SKIP_UNDONE,
        (participant, day) -> {
          refuseDue(id, day.schedule());
          return schedules.unskip(participant, day.schedule(), day.date());
        },
        "The prompt of this date is not skipped.");
  }

  private record Day(Schedule schedule, LocalDate date, boolean isToday) {}

  /** Refuses a change that would cancel a prompt which is due and waits to be written. */
  private void refuseDue(String id, Schedule schedule) {
    if (schedules.isDue(id, schedule.slot())) {
      throw QuietChanges.soon("A prompt of this schedule is due right now.");
    }
  }

  private Schedule day(
      Actor actor,
      String id,
      String scheduleId,
      @Nullable String date,
      @Nullable String reason,
      AuditAction act,
      BiPredicate<Participant, Day> change,
      String refusal) {
    var why = EnrolmentDesk.reason(reason);
    return quiet.make(
        id,
        participant -> {
          var on = date(date, participant);
          var day = new Day(schedule(participant, scheduleId), on, on.equals(today(participant)));
          if (!change.test(participant, day)) {
            throw ApiProblem.conflict(refusal);
          }
          return recorded(actor, id, act, day.schedule(), null, day.date().toString(), why);
        });
  }

  /**
   * Sends today's prompt of a schedule now, also one that was skipped or missed today.
   *
   * @throws ApiProblem 404 if there is no such participant or schedule, 409 if today's prompt was
   *     sent already, the participant may get none now, or a turn is running
   */
  Schedule sendNow(Actor actor, String id, String scheduleId, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    return quiet.make(
        id,
        participant -> {
          var schedule = schedule(participant, scheduleId);
          whyNotNow(participant)
              .ifPresent(problem -> {
                throw ApiProblem.conflict(problem);
              });
          if (!schedules.sendNow(participant, schedule)) {
            throw ApiProblem.conflict(
                "Today's prompt was sent already, or is being sent. Write a message instead.");
          }
          return recorded(actor, id, AuditAction.PROMPT_SENT_NOW, schedule, null, "now", why);
        });
  }

  /** Returns why no prompt may be sent to a participant now, as a sentence for staff. */
  Optional<String> whyNotNow(Participant participant) {
    if (participant.optedOut()) {
      return Optional.of(
          "The participant opted out. They get messages again after they text START.");
    }
    if (!participant.mayBeTexted()) {
      return Optional.of(
          "The participant's status is %s. Only active participants get prompts."
              .formatted(participant.status().word()));
    }
    if (consents.isMissing(participant)) {
      return Optional.of("The participant has not consented yet, so no prompt is sent.");
    }
    if (incidents.isInForce(participant.id())) {
      return Optional.of("Coaching is paused by a safety incident. Release the incident first.");
    }
    if (takeovers.muted(participant.id()).isPresent()) {
      return Optional.of(
          "A staff member has taken over this conversation. Hand it back first, or write a message.");
    }
    return participant.channel().needsHours()
            && !times.allowed().allowPrompt(clock.instant(), participant.zones())
        ? Optional.of(
            "Prompts are sent only within %s, the participant's local time."
                .formatted(times.allowed().text()))
        : Optional.empty();
  }

  /** Returns the settings for daily prompts of a participant's flow, or empty if it has none. */
  Optional<DailyPrompt> dailyPrompt(Participant participant) {
    return flows.flow(participant.flow()).map(Flow::dailyPrompt);
  }

  private DailyPrompt daily(Participant participant) {
    return dailyPrompt(participant)
        .orElseThrow(
            () -> ApiProblem.conflict("The flow of this participant has no daily prompts."));
  }

  private Schedule schedule(Participant participant, String scheduleId) {
    var planned = schedules.standing(participant).agenda().planned();
    return planned.stream()
        .map(Agenda.Planned::schedule)
        .filter(it -> it.id().equals(scheduleId))
        .findFirst()
        .orElseThrow(() ->
            ApiProblem.notFound(
                planned.isEmpty()
                    ? "The participant has no daily prompts."
                    : "There is no such schedule. Active: "
                        + planned.stream()
                            .map(it -> it.schedule().id() + " at " + it.schedule().time().text())
                            .collect(Collectors.joining(", "))
                        + "."));
  }

  private DailyTime time(WantedTime wanted, Participant participant) {
    var time = time("time", wanted.time());
    var start = time("window_start", wanted.start());
    var end = time("window_end", wanted.end());
    if (time.isPresent() == (start.isPresent() || end.isPresent())) {
      throw ApiProblem.bad(
          "time: give one time, or leave it out and give window_start and window_end.");
    }
    if (time.isPresent()) {
      return allowed("time", new DailyTime.Fixed(time.get()), participant);
    }
    if (start.isEmpty()) {
      throw ApiProblem.bad("window_start: missing; enter the start of the random time too.");
    }
    if (end.isEmpty()) {
      throw ApiProblem.bad("window_end: missing; enter the end of the random time too.");
    }
    if (!end.get().isAfter(start.get())) {
      throw ApiProblem.bad("window_end: expected a time after the start, on the same day.");
    }
    return allowed("window_start", new DailyTime.Random(start.get(), end.get()), participant);
  }

  private DailyTime allowed(String field, DailyTime time, Participant participant) {
    var all =
        switch (time) {
          case DailyTime.Fixed(var at) -> times.allow(at);
          case DailyTime.Random(var start, var end) -> times.allow(start, end);
        };
    if (participant.channel().needsHours() && !all) {
      throw ApiProblem.bad(field + ": " + times.outside(time));
    }
    return time;
  }

  private static Optional<LocalTime> time(String field, @Nullable String text) {
    var said = text == null ? "" : text.strip();
    if (said.isEmpty()) {
      return Optional.empty();
    }
    var time = DailyTime.time(said);
    if (time.isEmpty()) {
      throw ApiProblem.bad(
          field + ": expected a time on the 24-hour clock, 0:00 to 23:59, such as 8:15.");
    }
    return time;
  }

  private LocalDate today(Participant participant) {
    return clock.instant().atZone(participant.zone()).toLocalDate();
  }

  private LocalDate date(@Nullable String text, Participant participant) {
    var today = today(participant);
    var last = today.plusDays(DAYS_AHEAD);
    var said = text == null ? "" : text.strip();
    try {
      var date = said.length() == DATE_LENGTH ? LocalDate.parse(said) : LocalDate.MIN;
      if (!date.isBefore(today) && !date.isAfter(last)) {
        return date;
      }
    } catch (DateTimeParseException e) {
      // Said below.
    }
    throw ApiProblem.bad(
        "date: expected a date of the participant from %s to %s.".formatted(today, last));
  }

  private Schedule recorded(
      Actor actor,
      String id,
      AuditAction act,
      Schedule schedule,
      @Nullable String before,
      @Nullable String after,
      @Nullable String why) {
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), act)
            .to(id)
            .about(schedule.id())
            .changed(before, after)
            .because(why));
    events.emit("participant.changed", id, Map.of("what", "schedule"));
    return schedule;
  }
}
