package org.habitline.staff.today;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
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
import java.time.ZoneId;
import java.util.Map;
import org.habitline.conversation.flags.JdbcFlags.Flag;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Times;

/** Serves the page of a flag and closes it. */
@Hidden
@Controller("/today/flags/{id}")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class FlagPageController {

  private final FlagDesk desk;
  private final Participants participants;
  private final PageFrames frames;

  FlagPageController(FlagDesk desk, Participants participants, PageFrames frames) {
    this.desk = desk;
    this.participants = participants;
    this.frames = frames;
  }

  @Get
  @Secured("viewer")
  ModelAndView<Map<String, Object>> flag(Authentication by, String id) {
    return view(by, id, "", "");
  }

  @Post("/close")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> close(Authentication by, String id, @Body Map<String, String> form) {
    var note = form.getOrDefault("note", "");
    try {
      desk.close(Actor.of(by), id, note);
      return HttpResponse.seeOther(URI.create("/"));
    } catch (ApiProblem problem) {
      if (problem.status() == HttpStatus.NOT_FOUND) {
        throw problem;
      }
      return HttpResponse.status(problem.status()).body(view(by, id, note, problem.besideField()));
    }
  }

  private ModelAndView<Map<String, Object>> view(
      Authentication by, String id, String said, String problem) {
    var flag = desk.flag(id);
    var participant =
        participants
            .find(flag.participantId())
            .orElseThrow(() -> ApiProblem.notFound("The participant of this flag was erased."));
    var name = participant.shownName();
    var address = "/participants/" + participant.id();
    return new ModelAndView<>(
        "flag",
        Map.of(
            "page",
            new FlagPage(
                frames.frame("Flag, " + name, by, "/events"),
                id,
                name,
                address,
                address + "/turns/" + flag.lastTurn(),
                FlagDesk.says(flag.kind()),
                Times.minutes(flag.lastAt(), participant.zone())
                    + " in "
                    + participant.zone().getId()
                    + (flag.times() == 1 ? "" : ", " + flag.times() + " times"),
                closed(flag, participant.zone()),
                flag.note() == null ? said : flag.note(),
                problem)));
  }

  private static String closed(Flag flag, ZoneId zone) {
    return flag.closedAt() == null
        ? ""
        : flag.closedBy() + ", " + Times.minutes(flag.closedAt(), zone);
  }
}
