package org.habitline.staff.study;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.habitline.staff.web.Csv;
import org.habitline.staff.web.Reply;
import org.habitline.study.figures.Figures;

/** Serves the study's figures over the REST API. */
@Controller("/study")
@Secured({"deidentified", "viewer"})
@Tag(name = "Study")
final class StudyController {

  private final FiguresDesk desk;

  StudyController(FiguresDesk desk) {
    this.desk = desk;
  }

  @Get("/figures")
  @Operation(
      operationId = "getStudyFigures",
      summary =
          "Shows the study by day: enrolment, adherence, drop-out, response times, messages, tokens"
              + " and costs",
      description =
          "The figures of the Study page. Days are in UTC and in study time; daily prompts"
              + " are counted on the participant's local date, and study day 1 is the day of"
              + " enrolment. Participants who are erased, or whose erasure has begun, are not"
              + " counted. answers is the time from a prompt to the participant's first text."
              + " replies is the time from the first text of a turn until the provider accepted the"
              + " first message of the reply; parts says what it consists of. Both cover the newest"
              + " 5,000. drop_out is of the whole study until now. Segments are counted for messages"
              + " to participants only. docs/record.md defines each figure.")
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

  @Get("/figures/{name}.csv")
  @Produces(MediaType.TEXT_CSV)
  @Operation(
      operationId = "downloadStudyFigure",
      summary = "Downloads one figure as CSV",
      description =
          "The table of a chart of the Study page, with a row for each day, study day or length."
              + " Times are in seconds and shares from 0 to 1; a cell without a value is empty.")
  @ApiResponse(
      responseCode = "200",
      description = "The table, as a file",
      content = @Content(mediaType = MediaType.TEXT_CSV, schema = @Schema(type = "string")))
  @ApiResponse(responseCode = "400", description = "A date is invalid, or the range is too long")
  @ApiResponse(responseCode = "404", description = "There is no figure of this name")
  HttpResponse<String> figure(
      @Schema(
              type = "string",
              allowableValues = {
                "adherence",
                "adherence-by-study-day",
                "enrolment",
                "drop-out",
                "time-to-answer",
                "answers",
                "costs",
                "replies",
                "reply-parts",
                "messages",
                "deliveries",
                "tokens"
              })
          String name,
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
    var table = FigureTables.known(name).apply(desk.figures(from, to));
    return Csv.file(name + ".csv", table.names(), table.rows());
  }
}
