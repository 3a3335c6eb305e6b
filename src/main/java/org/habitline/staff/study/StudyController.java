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
import org.habitline.study.figures.Figures;

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
          "The figures of the Study page. Days are in UTC and in study time; daily prompts"
              + " are counted on the participant's local date. Participants who are erased, or"
              + " whose erasure has begun, are not counted. answers is the time from a prompt to"
              + " the participant's answer. replies is the time from the first text of a turn until"
              + " the provider accepted the first message of the reply. Both cover the newest"
              + " 5,000. Segments are counted for messages to participants only.")
  @ApiResponse(responseCode = "200", description = "The figures, with one item for each day")
  @ApiResponse(responseCode = "400", description = "A date is invalid, or the range is too long")
  Reply<Figures.Study> figures(
      @QueryValue
          @Nullable
          @Schema(
              example = "2026-11-01",
              description = "The first day, yyyy-mm-dd; the default is a range of 28 days")
          String from,
      @QueryValue
          @Nullable
          @Schema(
              example = "2026-11-28",
              description =
                  "The last day, yyyy-mm-dd, at most 1,096 days after the first; the default is today")
          String to) {
    return Reply.ok(desk.figures(from, to));
  }
}
