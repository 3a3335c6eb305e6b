package org.habitline.staff.study;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.habitline.staff.web.Reply;
import org.habitline.study.Figures;

/** Serves the study's figures over the REST API. */
@Controller("/study")
@Secured("researcher")
@Tag(name = "Study")
final class StudyController {

  private final FiguresDesk desk;

  StudyController(FiguresDesk desk) {
    this.desk = desk;
  }

  @Get("/figures")
  @Operation(
      operationId = "getStudyFigures",
      summary = "Shows the study by day: enrolment, adherence, response times, texts and tokens",
      description =
          "What the Study page shows. Days are days of UTC in study time; those of prompts are the local dates of"
              + " their participants. Participants who were erased, or are leaving, are not counted. answers tells"
              + " how long participants took to answer a prompt, replies how long the line took from the first text"
              + " of a turn until a provider took the first text that answers it, each of the newest 5,000. Segments"
              + " are known of texts to participants.")
  @ApiResponse(responseCode = "200", description = "The figures, an item for every day")
  @ApiResponse(responseCode = "400", description = "A bad date, or too many days")
  Reply<Figures.Study> figures(
      @QueryValue
          @Nullable
          @Schema(
              example = "2026-11-01",
              description = "The first day, yyyy-mm-dd; 28 days to the last without")
          String from,
      @QueryValue
          @Nullable
          @Schema(
              example = "2026-11-28",
              description =
                  "The last day, yyyy-mm-dd, 1,096 days after the first at most; today without")
          String to) {
    return Reply.ok(desk.figures(from, to));
  }
}
