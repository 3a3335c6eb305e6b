package org.habitline.staff.participant;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.time.Clock;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.habitline.conversation.stored.StateReader;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.timers.Agenda;
import org.habitline.timers.DailyTime;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Schedule;

/** Serves the page on which staff change a participant's daily prompts. */
@Hidden
@Controller("/participants/{id}/schedules")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
final class SchedulesPageController {

  private static final int DAYS_SHOWN = 14;

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("EEE d MMM", Locale.ENGLISH);

  private final ScheduleDesk plan;
  private final EnrolmentDesk desk;
  private final OccurrenceReader prompts;
  private final StateReader states;
  private final PageFrames frames;
  private final Clock clock;

  SchedulesPageController(
      ScheduleDesk plan,
      EnrolmentDesk desk,
      OccurrenceReader prompts,
      StateReader states,
      PageFrames frames,
      Clock clock) {
    this.plan = plan;
    this.desk = desk;
    this.prompts = prompts;
    this.states = states;
    this.frames = frames;
    this.clock = clock;
  }

  @Get
  HttpResponse<?> page(Authentication by, String id) {
    return HttpResponse.ok(view(page(by, id, "", SchedulesPage.Entered.NOTHING, "", "")));
  }

  @Post
  HttpResponse<?> add(Authentication by, String id, @Body Map<String, String> form) {
    return done(
        by,
        id,
        SchedulesPage.NEW,
        form,
        () -> plan.add(Actor.of(by), id, wanted(form), form.get("reason")));
  }

  @Post("/{scheduleId}")
  HttpResponse<?> change(
      Authentication by, String id, String scheduleId, @Body Map<String, String> form) {
    return done(
        by,
        id,
        scheduleId,
        form,
        () -> plan.change(Actor.of(by), id, scheduleId, wanted(form), form.get("reason")));
  }

  @Post("/{scheduleId}/end")
  HttpResponse<?> end(
      Authentication by, String id, String scheduleId, @Body Map<String, String> form) {
    return done(by, id, "", form, () -> plan.end(Actor.of(by), id, scheduleId, form.get("reason")));
  }

  @Post("/{scheduleId}/skip")
  HttpResponse<?> skip(
      Authentication by, String id, String scheduleId, @Body Map<String, String> form) {
    return done(
        by,
        id,
        "",
        form,
        () -> plan.skip(Actor.of(by), id, scheduleId, form.get("date"), form.get("reason")));
  }

  @Post("/{scheduleId}/unskip")
  HttpResponse<?> unskip(
      Authentication by, String id, String scheduleId, @Body Map<String, String> form) {
    return done(
        by,
        id,
        "",
        form,
        () -> plan.unskip(Actor.of(by), id, scheduleId, form.get("date"), form.get("reason")));
  }

  @Post("/{scheduleId}/send")
  HttpResponse<?> send(
      Authentication by, String id, String scheduleId, @Body Map<String, String> form) {
    return done(
        by, id, "", form, () -> plan.sendNow(Actor.of(by), id, scheduleId, form.get("reason")));
  }

  /**
   * Returns the time that was entered. The page shows the time or the window of now: what was
   * entered beside it replaces it.
   */
  private static ScheduleDesk.WantedTime wanted(Map<String, String> form) {
    var newTime = isEntered(form, "time", "was_time");
    var newWindow =
        isEntered(form, "window_start", "was_start") || isEntered(form, "window_end", "was_end");
    return new ScheduleDesk.WantedTime(
        newWindow && !newTime ? null : form.get("time"),
        newTime && !newWindow ? null : form.get("window_start"),
        newTime && !newWindow ? null : form.get("window_end"));
  }

  private static boolean isEntered(Map<String, String> form, String field, String before) {
    var now = form.getOrDefault(field, "").strip();
    return !now.isEmpty() && !now.equals(form.getOrDefault(before, "").strip());
  }

  /**
   * Carries out the change and returns to the page, with the error and what was entered if it was
   * refused.
   *
   * @param which the form: a schedule's id, {@link SchedulesPage#NEW}, or empty for a button
   */
  private HttpResponse<?> done(
      Authentication by,
      String id,
      String which,
      Map<String, String> form,
      Supplier<Schedule> act) {
    try {
      var _ = act.get();
      return HttpResponse.seeOther(URI.create("/participants/" + id + "/schedules"));
    } catch (ApiProblem problem) {
      var entered =
          new SchedulesPage.Entered(
              form.getOrDefault("time", ""),
              form.getOrDefault("window_start", ""),
              form.getOrDefault("window_end", ""));
      var field = which.isEmpty() ? "" : problem.field().orElse("");
      return HttpResponse.status(problem.status())
          .body(
              view(
                  page(
                      by,
                      id,
                      which,
                      entered,
                      field.isEmpty() ? problem.onPage() : problem.besideField(),
                      field)));
    }
  }

  private SchedulesPage page(
      Authentication by,
      String id,
      String refused,
      SchedulesPage.Entered entered,
      String complaint,
      String problem) {
    var participant = desk.participant(id);
    var name = participant.name();
    var daily = plan.dailyPrompt(participant);
    var standing = prompts.standing(participant);
    var planned = standing.agenda().planned();
    return new SchedulesPage(
        frames.frame("Daily prompts", by, null),
        id,
        name == null ? "Participant" : name,
        participant.zone().getId(),
        daily.isPresent() ? "" : "The flow of this participant has no daily prompts.",
        planned.stream().map(it -> item(it, standing, participant)).toList(),
        daily.filter(it -> planned.size() < it.most()).isPresent(),
        plan.whyNotNow(participant).orElse(""),
        states.preparedPrompt(id).orElse(""),
        refused,
        entered,
        complaint,
        problem);
  }

  private SchedulesPage.Item item(
      Agenda.Planned planned, OccurrenceReader.Standing standing, Participant participant) {
    var schedule = planned.schedule();
    var today = clock.instant().atZone(participant.zone()).toLocalDate();
    return new SchedulesPage.Item(
        schedule.id(),
        title(schedule.time()),
        entered(schedule.time()),
        IntStream.range(0, DAYS_SHOWN)
            .mapToObj(today::plusDays)
            .flatMap(
                date -> day(date, schedule, standing, participant.mayBeTexted(), planned).stream())
            .toList());
  }

  private static List<SchedulesPage.Day> day(
      LocalDate date,
      Schedule schedule,
      OccurrenceReader.Standing standing,
      boolean messaged,
      Agenda.Planned planned) {
    var found = standing.find(new Occurrence.Key(date, schedule.slot()));
    var status = found.map(Occurrence::status).orElse(Occurrence.Status.CANCELLED);
    var open = status == Occurrence.Status.PLANNED || status == Occurrence.Status.CANCELLED;
    if (open && date.isBefore(planned.next().date())) {
      // Its time has passed, or the schedule is newer.
      return List.of();
    }
    return List.of(
        new SchedulesPage.Day(
            date.toString(),
            DAY.format(date) + ", " + schedule.time().text(),
            switch (status) {
              case PLANNED, CANCELLED -> messaged ? "Planned" : "On hold";
              case PROMPTING -> "Being sent";
              case SENT -> "Sent";
              case REFUSED, MISSED -> "Not sent";
              case SKIPPED -> "Skipped";
            },
            status == Occurrence.Status.SKIPPED,
            open));
  }

  private static String title(DailyTime time) {
    return switch (time) {
      case DailyTime.Fixed(var at) -> "Every day at " + at;
      case DailyTime.Random(var start, var end) ->
          "Every day at a random time from %s to %s".formatted(start, end);
    };
  }

  private static SchedulesPage.Entered entered(DailyTime time) {
    return switch (time) {
      case DailyTime.Fixed(var at) -> new SchedulesPage.Entered(at.toString(), "", "");
      case DailyTime.Random(var start, var end) ->
          new SchedulesPage.Entered("", start.toString(), end.toString());
    };
  }

  private static ModelAndView<Map<String, Object>> view(SchedulesPage page) {
    return new ModelAndView<>("schedules", Map.of("page", page));
  }
}
