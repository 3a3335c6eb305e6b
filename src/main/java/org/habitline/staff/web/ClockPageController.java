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

/** Handles the study clock's buttons, which every page of a rehearsal shows. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class ClockPageController {

  private final ClockDesk desk;

  ClockPageController(ClockDesk desk) {
    this.desk = desk;
  }

  /** Moves the clock and returns to the page with the button. */
  @Post("/clock/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> move(Authentication by, @Body Map<String, String> form) {
    desk.move(Actor.of(by), form.get("advance"), form.get("to"));
    return HttpResponse.seeOther(PageFrames.back(form));
  }
}
