package org.habitline.staff.web;

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
import java.util.Map;

/** The buttons of the study clock that stand on every page of a rehearsal. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class ClockPageController {

  private final ClockDesk desk;

  ClockPageController(ClockDesk desk) {
    this.desk = desk;
  }

  /** Moves the clock and shows the page again that the button stood on. */
  @Post("/clock/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> move(Authentication by, @Body Map<String, String> form) {
    desk.move(Actor.of(by), form.get("advance"), form.get("to"));
    return HttpResponse.seeOther(PageFrames.back(form));
  }
}
