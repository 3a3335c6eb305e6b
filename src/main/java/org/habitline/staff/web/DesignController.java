package org.habitline.staff.web;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.View;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Map;

/** Shows every component of the staff pages with its states, for people who change the pages. */
@Hidden
@Controller("/design")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class DesignController {

  private final PageFrames frames;

  DesignController(PageFrames frames) {
    this.frames = frames;
  }

  @Get
  @View("design")
  Map<String, Object> page(Authentication by) {
    return Map.of("frame", frames.frame("Design", by, null));
  }
}
