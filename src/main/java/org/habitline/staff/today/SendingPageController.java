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
import java.util.Map;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.PageFrames;

/**
 * Handles the buttons that stop and resume all sending, and that decide about a restored backup;
 * each returns to the page it was on.
 */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class SendingPageController {

  private final SendingDesk desk;

  SendingPageController(SendingDesk desk) {
    this.desk = desk;
  }

  @Post("/sending/stop/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> stop(Authentication by, @Body Map<String, String> form) {
    desk.stop(Actor.of(by), form.get("reason"));
    return HttpResponse.seeOther(PageFrames.back(form));
  }

  @Post("/restored/form")
  @Secured("admin")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> decide(Authentication by, @Body Map<String, String> form) {
    desk.decide(Actor.of(by), form.get("what_waits"));
    return HttpResponse.seeOther(PageFrames.back(form));
  }

  @Post("/sending/resume/form")
  @Secured("admin")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> resume(Authentication by, @Body Map<String, String> form) {
    desk.resume(Actor.of(by), form.get("reason"));
    return HttpResponse.seeOther(PageFrames.back(form));
  }
}
