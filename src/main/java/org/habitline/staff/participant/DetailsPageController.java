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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.habitline.participants.Participant;
import org.habitline.participants.TimeZones;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.jspecify.annotations.Nullable;

/** Serves the page on which a participant's name, background and time zone are changed. */
@Hidden
@Controller("/participants/{id}/details")
@Secured("researcher")
@Produces(MediaType.TEXT_HTML)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
final class DetailsPageController {

  private static final int SHORT = 200;
  private static final int LONG = 10_000;

  private final EnrolmentDesk desk;
  private final PageFrames frames;

  DetailsPageController(EnrolmentDesk desk, PageFrames frames) {
    this.desk = desk;
    this.frames = frames;
  }

  @Get
  HttpResponse<?> page(Authentication by, String id) {
    return HttpResponse.ok(page(by, desk.participant(id), Map.of(), null));
  }

  @Post
  HttpResponse<?> change(Authentication by, String id, @Body Map<String, String> form) {
    try {
      var _ =
          desk.change(
              Actor.of(by),
              id,
              new EnrolmentDesk.WantedChange(
                  form.get("name"),
                  form.get("gender"),
                  form.get("ethnicity"),
                  form.get("background"),
                  form.get("timezone"),
                  null,
                  form.get("reason")));
      return HttpResponse.seeOther(URI.create("/participants/" + id));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(page(by, desk.participant(id), form, problem));
    }
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by,
      Participant participant,
      Map<String, String> form,
      @Nullable ApiProblem problem) {
    var inputs =
        List.of(
            input("name", "Name", "", participant.name(), SHORT, form, problem),
            input(
                "timezone",
                "Time zone",
                "Such as Europe/Berlin. Daily prompts move with it.",
                participant.zone().getId(),
                SHORT,
                form,
                problem),
            input("gender", "Gender", "", participant.gender(), SHORT, form, problem),
            input("ethnicity", "Ethnicity", "", participant.ethnicity(), SHORT, form, problem),
            input(
                "background",
                "Background",
                "The coach is shown the name, gender, ethnicity and background.",
                participant.background(),
                LONG,
                form,
                problem));
    var beside = inputs.stream().anyMatch(input -> !input.problem().isEmpty());
    return new ModelAndView<>(
        "details",
        Map.of(
            "page",
            new DetailsPage(
                frames.frame("Name and time zone", by, null),
                participant.id(),
                ParticipantPages.name(participant),
                inputs,
                TimeZones.ofPlaces(),
                form.getOrDefault("reason", ""),
                problem == null || beside ? "" : problem.onPage())));
  }

  private static DetailsPage.Input input(
      String name,
      String label,
      String hint,
      @Nullable String stored,
      int most,
      Map<String, String> form,
      @Nullable ApiProblem problem) {
    return new DetailsPage.Input(
        name,
        label,
        hint,
        form.getOrDefault(name, Objects.requireNonNullElse(stored, "")),
        most,
        problem != null && problem.field().equals(Optional.of(name)) ? problem.besideField() : "");
  }
}
