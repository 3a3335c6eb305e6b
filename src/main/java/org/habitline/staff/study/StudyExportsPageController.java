package org.habitline.staff.study;

import io.micronaut.core.annotation.Nullable;
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
import java.util.Map;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;

/** Serves the page on which staff start and download exports of the study. */
@Hidden
@Controller("/study/data-package")
@Secured("deidentified")
@Produces(MediaType.TEXT_HTML)
final class StudyExportsPageController {

  private static final String PAGE = "/study/data-package";
  private static final int SHOWN = 50;

  private final StudyExportDesk desk;
  private final PageFrames frames;

  StudyExportsPageController(StudyExportDesk desk, PageFrames frames) {
    this.desk = desk;
    this.frames = frames;
  }

  @Get
  HttpResponse<?> page(Authentication by) {
    return HttpResponse.ok(page(by, ""));
  }

  /** Starts an export and shows the page with its progress. */
  @Post
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> start(Authentication by, @Body Map<String, String> form) {
    try {
      var _ = desk.start(by, given(form, "scope"), given(form, "spreadsheet") != null);
      return HttpResponse.seeOther(URI.create(PAGE));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(page(by, problem.onPage()));
    }
  }

  private static @Nullable String given(Map<String, String> form, String field) {
    return form.get(field);
  }

  private ModelAndView<Map<String, Object>> page(Authentication by, String complaint) {
    return new ModelAndView<>(
        "study-exports",
        Map.of(
            "page",
            new StudyExportsPage(
                frames.frame("Export data", by, null),
                complaint,
                desk.list(by, Long.MAX_VALUE, SHOWN).exports())));
  }
}
