package org.habitline.staff.prompts;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.requests.RequestedPrompts;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Paging;
import org.habitline.storage.Transactions;
import org.habitline.timers.CalendarRule;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.jspecify.annotations.Nullable;

/**
 * Lists timers in the format of the Go original: the recurring schedules of scripts, and one-time
 * timers of conversations. Cancels them and writes each cancellation to the audit log.
 */
@Singleton
final class TimerDesk {

  private static final Pattern ID = Pattern.compile("[a-z]{1,10}_[0-9a-f]{1,40}");

  /** Cursor prefix of a page that starts among the one-time timers. */
  private static final String ONCE = "once:";

  private final RequestedPrompts scripts;
  private final Timers timers;
  private final Participants participants;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock clock;

  TimerDesk(
      RequestedPrompts scripts,
      Timers timers,
      Participants participants,
      AuditLog audit,
      Transactions transactions,
      Clock clock) {
    this.scripts = scripts;
    this.timers = timers;
    this.participants = participants;
    this.audit = audit;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * A timer. Times are study time.
   *
   * @param type {@code recurring} or {@code once}
   * @param expiresAt when a one-time timer is due
   * @param rule the rule by which a recurring timer recurs; {@code nextRun} is set with it
   * @param remaining time left until it is due, in Go's duration format
   */
  record TimerInfo(
      String id,
      String type,
      Instant scheduledAt,
      @Nullable Instant expiresAt,
      @Nullable CalendarRule rule,
      @Nullable Instant nextRun,
      String remaining,
      String description) {}

  /**
   * A page of timers.
   *
   * @param next where the next page starts, or {@code null} after the last
   */
  record Page(List<TimerInfo> timers, @Nullable String next) {}

  /** Returns a page: first the schedules, oldest first, then one-time timers, soonest first. */
  Page timers(int most, @Nullable String cursor) {
    if (cursor != null && cursor.startsWith(ONCE)) {
      return once(List.of(), most, cursor.substring(ONCE.length()));
    }
    var recurring =
        scripts.running(cursor == null || cursor.isBlank() ? 0 : place(cursor), most + 1);
    var shown =
        recurring.subList(0, Math.min(most, recurring.size())).stream().map(this::info).toList();
    return recurring.size() > most
        ? new Page(shown, String.valueOf(recurring.get(most - 1).seq()))
        : once(shown, most, "");
  }

  private static long place(String cursor) {
    try {
      return Long.parseLong(cursor);
    } catch (NumberFormatException e) {
      throw Paging.badCursor();
    }
  }

  private Page once(List<TimerInfo> before, int most, String cursor) {
    var slash = cursor.indexOf('/');
    var wanted = most - before.size();
    var waiting =
        cursor.isEmpty()
            ? timers.waiting(Instant.EPOCH, "", wanted + 1)
            : timers.waiting(
                due(slash < 0 ? "" : cursor.substring(0, slash)),
                id(cursor.substring(slash + 1)),
                wanted + 1);
    var page = new ArrayList<>(before);
    waiting.stream().limit(wanted).map(this::info).forEach(page::add);
    return new Page(
        List.copyOf(page), waiting.size() > wanted ? ONCE + end(cursor, waiting, wanted) : null);
  }

  /**
   * Returns the cursor of the next page. If schedules filled this page, the next one starts at the
   * first one-time timer.
   */
  private static String end(String cursor, List<Timers.Waiting> waiting, int wanted) {
    if (wanted == 0) {
      return cursor;
    }
    var last = waiting.get(wanted - 1).wakeup();
    return last.dueAt() + "/" + last.id();
  }

  private static Instant due(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw Paging.badCursor();
    }
  }

  private static String id(String text) {
    if (!ID.matcher(text).matches()) {
      throw Paging.badCursor();
    }
    return text;
  }

  /**
   * Returns one timer.
   *
   * @throws ApiProblem 404 if there is no timer with this id
   */
  TimerInfo timer(String id) {
    if (!ID.matcher(id).matches()) {
      throw nothing();
    }
    return scripts
        .running(id)
        .map(this::info)
        .or(() -> timers.waiting(id).map(this::info))
        .orElseThrow(TimerDesk::nothing);
  }

  /**
   * Cancels a timer.
   *
   * @throws ApiProblem 404 if there is no timer with this id, 409 for a daily prompt or the end of
   *     a takeover
   */
  void cancel(Actor actor, String id) {
    if (!ID.matcher(id).matches()) {
      throw nothing();
    }
    transactions.write(() -> {
      var schedule = scripts.running(id);
      if (schedule.isPresent()) {
        cancel(actor, schedule.get());
      } else {
        cancel(actor, timers.waiting(id).orElseThrow(TimerDesk::nothing));
      }
    });
  }

  private void cancel(Actor actor, RequestedPrompts.Running schedule) {
    participants.hold(schedule.participantId());
    if (!scripts.cancel(schedule)) {
      throw nothing();
    }
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), AuditAction.SCHEDULE_CANCELLED)
            .to(schedule.participantId())
            .about(schedule.id())
            .changed(schedule.type() + ", " + schedule.rule().text(), "cancelled"));
  }

  private void cancel(Actor actor, Timers.Waiting waiting) {
    var wakeup = waiting.wakeup();
    if (wakeup.kind() == WakeupKind.DAILY_PROMPT) {
      throw ApiProblem.conflict(
          "This is a participant's next daily prompt, and their schedule would plan it again; pause the participant"
              + " to stop their daily prompts.");
    }
    if (wakeup.kind() == WakeupKind.HAND_BACK) {
      throw ApiProblem.conflict(
          "This timer ends a takeover and resumes automatic replies; hand the conversation back with PUT"
              + " …/{id}/mute instead.");
    }
    participants.hold(wakeup.participantId());
    if (wakeup.kind() == WakeupKind.ZONE_MOVE) {
      // The participant stays where they are; Schedules cancels the timer.
      participants.update(wakeup.participantId(), ParticipantChange.ofMove(null));
    } else if (!timers.cancel(wakeup.id(), "cancelled by staff")) {
      throw nothing();
    }
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), AuditAction.TIMER_CANCELLED)
            .to(wakeup.participantId())
            .about(wakeup.id())
            .changed(wakeup.kind().word() + ", " + wakeup.dueAt(), "cancelled"));
  }

  private TimerInfo info(RequestedPrompts.Running schedule) {
    return new TimerInfo(
        schedule.id(),
        "recurring",
        schedule.createdAt(),
        null,
        schedule.rule(),
        schedule.nextAt(),
        remaining(schedule.nextAt()),
        schedule.type() + " prompt, " + schedule.rule().text());
  }

  private TimerInfo info(Timers.Waiting waiting) {
    var wakeup = waiting.wakeup();
    return new TimerInfo(
        wakeup.id(),
        "once",
        waiting.plannedAt(),
        wakeup.dueAt(),
        null,
        null,
        remaining(wakeup.dueAt()),
        wakeup.kind().word().replace('_', ' ') + " of " + wakeup.participantId());
  }

  private String remaining(Instant at) {
    var left = Duration.between(clock.instant(), at);
    if (left.compareTo(Duration.ofSeconds(1)) < 0) {
      return "0s";
    }
    return left.truncatedTo(ChronoUnit.SECONDS)
        .toString()
        .substring("PT".length())
        .toLowerCase(Locale.ROOT);
  }

  private static ApiProblem nothing() {
    return ApiProblem.notFound("There is no timer with this id; GET /timers lists them.");
  }
}
