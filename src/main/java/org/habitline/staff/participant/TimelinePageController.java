package org.habitline.staff.participant;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Times;
import org.habitline.timers.OccurrenceReader;
import org.jspecify.annotations.Nullable;

/** Serves the page of everything that happened to a participant. */
@Hidden
@Controller("/participants/{id}/timeline")
@Secured("viewer")
@Produces(MediaType.TEXT_HTML)
final class TimelinePageController {

  private final Timeline timeline;
  private final EnrolmentDesk desk;
  private final OccurrenceReader prompts;
  private final PageFrames frames;

  TimelinePageController(
      Timeline timeline, EnrolmentDesk desk, OccurrenceReader prompts, PageFrames frames) {
    this.timeline = timeline;
    this.desk = desk;
    this.prompts = prompts;
    this.frames = frames;
  }

  @Get
  HttpResponse<?> page(
      Authentication by,
      String id,
      @QueryValue @Nullable String kind,
      @QueryValue @Nullable String cursor) {
    var participant = desk.participant(id);
    var chosen = Objects.requireNonNullElse(kind, "").strip();
    var found = timeline.page(by, participant, chosen, cursor, Paging.USUAL);
    return HttpResponse.ok(
        new ModelAndView<>(
            "timeline",
            Map.of(
                "page",
                new TimelinePage(
                    frames.frame("Timeline", by, null),
                    participant.id(),
                    ParticipantPages.name(participant),
                    participant.zone().getId(),
                    chosen,
                    Timeline.kinds(by).stream()
                        .map(it -> new TimelinePage.Kind(it.word(), it.title()))
                        .toList(),
                    cursor == null || cursor.isBlank() ? planned(participant) : List.of(),
                    days(found.entries(), participant),
                    older(participant, chosen, found.next())))));
  }

  private List<String> planned(Participant participant) {
    return participant.mayBeTexted()
        ? prompts.standing(participant).agenda().planned().stream()
            .map(it -> "Daily prompt at " + Times.readable(it.next().text(), participant.zone()))
            .toList()
        : List.of();
  }

  private static List<TimelinePage.Day> days(
      List<Timeline.Entry> entries, Participant participant) {
    var days = new LinkedHashMap<String, List<TimelinePage.Item>>();
    for (var entry : entries) {
      days.computeIfAbsent(
              Times.wholeDay(entry.at().atZone(participant.zone()).toLocalDate()),
              _ -> new ArrayList<>())
          .add(item(entry, Times.time(entry.at(), participant.zone())));
    }
    return days.entrySet().stream()
        .map(day -> new TimelinePage.Day(day.getKey(), day.getValue()))
        .toList();
  }

  /** Returns an entry as pages show it. */
  static TimelinePage.Item item(Timeline.Entry entry, String time) {
    var page = Objects.requireNonNullElse(entry.page(), "");
    return new TimelinePage.Item(
        entry.sentence(), time, entry.tone(), page, page.contains("/turns/") ? "Why?" : "Details");
  }

  private static String older(Participant participant, String kind, @Nullable String cursor) {
    return cursor == null
        ? ""
        : "/participants/%s/timeline?kind=%s&cursor=%s"
            .formatted(participant.id(), kind, URLEncoder.encode(cursor, StandardCharsets.UTF_8));
  }
}
