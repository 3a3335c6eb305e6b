package org.habitline.staff.today;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.util.Map;
import java.util.stream.Stream;
import org.habitline.participants.ChannelKind;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.TourStep;
import org.habitline.staff.web.Tours;

/** Starts and moves the guided tour. The panel of the tour is part of every page's frame. */
@Hidden
@Controller("/tour")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class TourController {

  /** A number of the block that is reserved for fiction, so that it is nobody's. */
  private static final String NUMBER = "+15550100100";

  private static final String NAME = "Example participant";
  private static final String REASON = "Example participant of the tour";
  private static final URI TODAY = URI.create("/");

  private final Tours tours;
  private final EnrolmentDesk desk;

  TourController(Tours tours, EnrolmentDesk desk) {
    this.tours = tours;
    this.desk = desk;
  }

  /** Enrols the example participant. If the tour is on already, returns to its page. */
  @Post("/start")
  @Consumes(MediaType.ALL)
  HttpResponse<?> start(Authentication by) {
    tours.start(() ->
        desk.enrol(
                Actor.of(by),
                new EnrolmentDesk.Wanted(
                    NUMBER, NAME, null, null, null, null, null, ChannelKind.SIMULATOR.word()))
            .participant()
            .id());
    return toPage();
  }

  /**
   * Goes from one step to the next. The form names the step, so that a form that is sent twice, or
   * from an old page, skips nothing.
   */
  @Post("/next")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> next(@Body Map<String, String> form) {
    tours.next(step(form));
    return toPage();
  }

  /** Ends the steps; whether the example participant stays is asked next. */
  @Post("/end")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> end(@Body Map<String, String> form) {
    tours.move(step(form), TourStep.LEAVE);
    return toPage();
  }

  /** Ends the tour and keeps the example participant. */
  @Post("/keep")
  @Consumes(MediaType.ALL)
  HttpResponse<?> keep() {
    tours.move(TourStep.LEAVE, TourStep.OVER);
    return HttpResponse.seeOther(TODAY);
  }

  /** Erases the example participant like any other. */
  @Post("/remove")
  @Consumes(MediaType.ALL)
  HttpResponse<?> remove(Authentication by) {
    tours
        .current()
        .ifPresent(tour -> desk.erase(Actor.of(by), tour.participantId(), false, REASON));
    return HttpResponse.seeOther(TODAY);
  }

  private HttpResponse<?> toPage() {
    return HttpResponse.seeOther(
        tours.current().map(Tours.Tour::page).map(URI::create).orElse(TODAY));
  }

  private static TourStep step(Map<String, String> form) {
    var named = form.getOrDefault("step", "");
    return Stream.of(TourStep.values())
        .filter(step -> step.name().equals(named))
        .findFirst()
        .orElseThrow(
            () -> ApiProblem.bad("step: unknown; go back to the page and use its buttons."));
  }
}
