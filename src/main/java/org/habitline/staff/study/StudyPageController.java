package org.habitline.staff.study;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Map;
import org.habitline.budgets.Spending;
import org.habitline.budgets.UsedUp;
import org.habitline.flows.FlowCatalog;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.study.Rehearsal;
import org.habitline.study.figures.Figures;

/** Serves the page that shows the study's figures and charts. */
@Hidden
@Controller
@Secured({"deidentified", "viewer"})
@Produces(MediaType.TEXT_HTML)
final class StudyPageController {

  private final FiguresDesk desk;
  private final FlowCatalog flows;
  private final Spending spending;
  private final Rehearsal rehearsal;
  private final PageFrames frames;

  StudyPageController(
      FiguresDesk desk,
      FlowCatalog flows,
      Spending spending,
      Rehearsal rehearsal,
      PageFrames frames) {
    this.desk = desk;
    this.spending = spending;
    this.rehearsal = rehearsal;
    this.flows = flows;
    this.frames = frames;
  }

  /**
   * Shows the figures of a range of days.
   *
   * @param days {@code 7}, {@code 28} or {@code all}; if empty, {@code from} and {@code to} count
   */
  @Get("/study")
  HttpResponse<?> study(
      Authentication by,
      @QueryValue(defaultValue = "") String days,
      @QueryValue @Nullable String from,
      @QueryValue @Nullable String to) {
    try {
      return HttpResponse.ok(view(by, desk.figures(days, from, to), shown(days, from, to), ""));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(view(by, desk.figures(null, null), "28", problem.onPage()));
    }
  }

  private static String shown(String days, @Nullable String from, @Nullable String to) {
    var said = from != null || to != null;
    return days.isEmpty() && !said ? String.valueOf(FiguresDesk.USUAL_DAYS) : days;
  }

  private ModelAndView<Map<String, Object>> view(
      Authentication by, Figures.Study figures, String days, String complaint) {
    var prompted = flows.sendDailyPrompts() || figures.adherence().all().sent() > 0;
    var charts = new StudyCharts(figures, prompted, desk.today());
    return new ModelAndView<>(
        "study",
        Map.of(
            "page",
            new StudyPage(
                frames.frame("Study", by, null),
                figures,
                days,
                complaint,
                spending.used(UsedUp.Scope.STUDY, spending.studyToday(), rehearsal.on()),
                spending.budgets().zone().getId(),
                prompted,
                charts.research(),
                charts.engineering())));
  }
}
