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
import java.net.URI;
import java.util.Map;
import org.habitline.staff.web.ApiProblem;
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

  /** Opens the newest version. */
  @Get("/study/configuration")
  HttpResponse<?> newest() {
    return desk.before(Long.MAX_VALUE, 1).stream()
        .findFirst()
        .map(version ->
            HttpResponse.seeOther(
                URI.create("/study/configurations/" + version.number() + "/page")))
        .orElseThrow(() -> ApiProblem.notFound("No configuration has been recorded yet."));
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
