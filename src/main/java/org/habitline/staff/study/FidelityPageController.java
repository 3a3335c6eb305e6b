package org.habitline.staff.study;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.uri.UriBuilder;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Csv;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.study.fidelity.Fidelity;
import org.habitline.study.fidelity.JdbcDeviations.Deviation;

/** Serves the page that compares the study with its plan, and its tables as CSV. */
@Hidden
@Controller(FidelityPageController.ADDRESS)
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class FidelityPageController {

  static final String ADDRESS = "/study/monitoring";

  /** How many deviations a page shows. */
  private static final int SHOWN = 50;

  /** How many deviations a file holds; a longer list is read over the REST API. */
  private static final int MOST = 100_000;

  private final FidelityDesk desk;
  private final Fidelity fidelity;
  private final Participants participants;
  private final PageFrames frames;

  FidelityPageController(
      FidelityDesk desk, Fidelity fidelity, Participants participants, PageFrames frames) {
    this.desk = desk;
    this.fidelity = fidelity;
    this.participants = participants;
    this.frames = frames;
  }

  @Get
  @Secured("viewer")
  HttpResponse<?> page(
      Authentication by,
      @QueryValue @Nullable String from,
      @QueryValue @Nullable String to,
      @QueryValue @Nullable String kind,
      @QueryValue @Nullable String state,
      @QueryValue @Nullable String cursor) {
    try {
      return HttpResponse.ok(
          view(
              by,
              new FidelityDesk.Wanted(from, to, kind, state),
              Paging.before(cursor),
              new Refused(0, "", "")));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(
              view(
                  by,
                  new FidelityDesk.Wanted(null, null, null, null),
                  Long.MAX_VALUE,
                  new Refused(0, "", complaint(problem))));
    }
  }

  /** Returns what was refused, for people: the list of a form names kinds and states by itself. */
  private static String complaint(ApiProblem problem) {
    return switch (problem.field().orElse("")) {
      case "kind" -> "There is no such kind of deviation. Choose one from the list.";
      case "state" -> "There is no such state of a deviation. Choose one from the list.";
      default -> problem.onPage();
    };
  }

  @Post("/check")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> check(Authentication by, @Body Map<String, String> form) {
    if (!form.getOrDefault("days", "").equals("unchecked")) {
      desk.look(Actor.of(by));
      return HttpResponse.seeOther(URI.create(ADDRESS));
    }
    var range = desk.range(form.get("from"), form.get("to"));
    desk.lookAtUnchecked(Actor.of(by), range);
    return HttpResponse.seeOther(
        UriBuilder.of(ADDRESS)
            .queryParam("from", range.from())
            .queryParam("to", range.to())
            .build());
  }

  @Post("/deviations/{seq}")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> decide(Authentication by, long seq, @Body Map<String, String> form) {
    var note = form.getOrDefault("note", "");
    var wanted =
        new FidelityDesk.Wanted(
            form.get("from"), form.get("to"), form.get("kind"), form.get("listed"));
    try {
      desk.decide(Actor.of(by), seq, form.get("state"), note);
      return HttpResponse.seeOther(URI.create(ADDRESS + "?" + query(wanted) + "#deviations"));
    } catch (ApiProblem problem) {
      if (problem.status() == HttpStatus.NOT_FOUND) {
        throw problem;
      }
      return HttpResponse.status(problem.status())
          .body(view(by, wanted, seq + 1, new Refused(seq, note, problem.onPage())));
    }
  }

  /**
   * A form that was refused.
   *
   * @param seq the deviation it is about, or 0
   * @param said the note that was in it
   * @param complaint why
   */
  private record Refused(long seq, String said, String complaint) {}

  private ModelAndView<Map<String, Object>> view(
      Authentication by, FidelityDesk.Wanted wanted, long before, Refused refused) {
    var range = desk.range(wanted.from(), wanted.to());
    var found = desk.deviations(wanted, before, SHOWN + 1);
    var shown = found.subList(0, Math.min(SHOWN, found.size()));
    var query = query(wanted);
    return new ModelAndView<>(
        "fidelity",
        Map.of(
            "page",
            new FidelityPage(
                frames.frame("Fidelity", by, null),
                range.from().toString(),
                range.to().toString(),
                desk.days(range).reversed(),
                desk.unchecked(range).size(),
                shown,
                said(wanted.kind()),
                said(wanted.state()),
                query,
                found.size() > SHOWN
                    ? ADDRESS + "?" + query + "&cursor=" + shown.getLast().seq() + "#deviations"
                    : "",
                refused.complaint(),
                refused.seq(),
                refused.said(),
                fidelity.silentAfterDays(),
                fidelity.zone().getId(),
                names(shown))));
  }

  private Map<String, String> names(List<Deviation> shown) {
    var ids =
        shown.stream().map(Deviation::participantId).filter(Objects::nonNull).distinct().toList();
    return participants.these(ids).stream()
        .collect(Collectors.toMap(Participant::id, Participant::shownName));
  }

  private static String said(@Nullable String word) {
    return word == null ? "" : word;
  }

  private static String query(FidelityDesk.Wanted wanted) {
    return UriBuilder.of(ADDRESS)
        .queryParam("from", said(wanted.from()))
        .queryParam("to", said(wanted.to()))
        .queryParam("kind", said(wanted.kind()))
        .queryParam("state", said(wanted.state()))
        .build()
        .getRawQuery();
  }

  @Get("/days.csv")
  @Secured("viewer")
  @Produces(MediaType.TEXT_CSV)
  HttpResponse<String> days(@QueryValue @Nullable String from, @QueryValue @Nullable String to) {
    return Csv.file(
        "fidelity.csv",
        List.of(
            "date",
            "prompts_planned",
            "prompts_sent",
            "prompts_late",
            "prompts_missed",
            "follow_ups_due",
            "follow_ups_sent",
            "turns",
            "fallbacks",
            "texts",
            "unanswered",
            "model_calls",
            "other_models",
            "participants",
            "silent"),
        desk.days(desk.range(from, to)).stream()
            .map(day ->
                List.<Object>of(
                    day.localDate(),
                    day.promptsPlanned(),
                    day.promptsSent(),
                    day.promptsLate(),
                    day.promptsMissed(),
                    day.followUpsDue(),
                    day.followUpsSent(),
                    day.turns(),
                    day.fallbacks(),
                    day.texts(),
                    day.unanswered(),
                    day.modelCalls(),
                    day.otherModels(),
                    day.participants(),
                    day.silent()))
            .toList());
  }

  @Get("/deviations.csv")
  @Secured("viewer")
  @Produces(MediaType.TEXT_CSV)
  HttpResponse<String> deviations(
      @QueryValue @Nullable String from,
      @QueryValue @Nullable String to,
      @QueryValue @Nullable String kind,
      @QueryValue @Nullable String state) {
    return Csv.file(
        "deviations.csv",
        List.of(
            "seq",
            "participant_id",
            "kind",
            "date",
            "slot",
            "turn",
            "reason",
            "state",
            "note",
            "found_at",
            "decided_at",
            "decided_by"),
        desk
            .deviations(new FidelityDesk.Wanted(from, to, kind, state), Long.MAX_VALUE, MOST)
            .stream()
            .map(it ->
                Arrays.asList(
                    it.seq(),
                    it.participantId(),
                    it.kind().word(),
                    it.localDate(),
                    it.slot(),
                    it.turn(),
                    it.reason(),
                    it.state().word(),
                    it.note(),
                    it.foundAt(),
                    it.decidedAt(),
                    it.decidedBy()))
            .toList());
  }
}
