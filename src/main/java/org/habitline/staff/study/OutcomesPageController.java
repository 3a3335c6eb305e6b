package org.habitline.staff.study;

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
import java.math.BigDecimal;
import java.net.URI;
import java.util.Map;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.ReadLog;
import org.habitline.study.coding.Agreements;
import org.habitline.study.coding.DoubleCoding;

/** Serves the page of coded outcomes, and the page on which staff code a share of them. */
@Hidden
@Controller("/study/outcomes")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class OutcomesPageController {

  private static final String CODE = "/study/outcomes/code";

  private final CodingDesk desk;
  private final DoubleCoding coding;
  private final Agreements agreements;
  private final ReadLog reads;
  private final PageFrames frames;

  OutcomesPageController(
      CodingDesk desk,
      DoubleCoding coding,
      Agreements agreements,
      ReadLog reads,
      PageFrames frames) {
    this.desk = desk;
    this.coding = coding;
    this.agreements = agreements;
    this.reads = reads;
    this.frames = frames;
  }

  @Get
  ModelAndView<Map<String, Object>> outcomes(Authentication by) {
    var share =
        BigDecimal.valueOf(coding.share()).movePointRight(2).stripTrailingZeros().toPlainString();
    return new ModelAndView<>(
        "outcomes",
        Map.of(
            "page",
            new OutcomesPage(
                frames.frame("Outcomes", by, null),
                agreements.all(),
                coding.progress(by.getName()),
                share + "%",
                coding.frame())));
  }

  @Get("/code")
  ModelAndView<Map<String, Object>> next(Authentication by) {
    return next(by, "");
  }

  private ModelAndView<Map<String, Object>> next(Authentication by, String complaint) {
    var progress = coding.progress(by.getName());
    return view(
        by,
        new CodingPage(
            frames.frame("Code an outcome", by, null),
            progress.next(),
            progress,
            false,
            complaint));
  }

  /** Shows the prompt that was coded last, to correct its code. */
  @Get("/code/last")
  ModelAndView<Map<String, Object>> last(Authentication by) {
    return view(
        by,
        new CodingPage(
            frames.frame("Correct an outcome", by, null),
            coding.last(by.getName()),
            coding.progress(by.getName()),
            true,
            ""));
  }

  @Post("/code")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> code(Authentication by, @Body Map<String, String> form) {
    try {
      desk.code(Actor.of(by), form.getOrDefault("prompt", ""), form.getOrDefault("outcome", ""));
      return HttpResponse.seeOther(URI.create(CODE));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(next(by, problem.onPage()));
    }
  }

  private ModelAndView<Map<String, Object>> view(Authentication by, CodingPage page) {
    page.task().ifPresent(task -> reads.conversation(by, task.participantId()));
    return new ModelAndView<>("code-outcome", Map.of("page", page));
  }
}
