package org.habitline.staff.study;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Map;
import org.habitline.staff.web.PageFrames;

/** Serves the page that shows a version of the configuration and what it changed. */
@Hidden
@Controller
@Secured("viewer")
@Produces(MediaType.TEXT_HTML)
final class ConfigurationPageController {

  private static final int LISTED = 20;

  private final ConfigurationDesk desk;
  private final PageFrames frames;

  ConfigurationPageController(ConfigurationDesk desk, PageFrames frames) {
    this.desk = desk;
    this.frames = frames;
  }

  @Get("/study/configurations/{number}/page")
  HttpResponse<?> page(Authentication by, long number) {
    var version = desk.version(number);
    return HttpResponse.ok(
        new ModelAndView<>(
            "configuration",
            Map.of(
                "page",
                new ConfigurationPage(
                    frames.frame("Configuration " + number, by, null),
                    version,
                    desk.content(version),
                    desk.changes(version, null),
                    desk.before(Long.MAX_VALUE, LISTED)))));
  }
}
