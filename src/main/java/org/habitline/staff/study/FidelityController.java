package org.habitline.staff.study;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Reply;
import org.habitline.study.fidelity.JdbcDeviations.Deviation;
import org.habitline.study.fidelity.JdbcFidelity;
import org.jspecify.annotations.Nullable;

/** Serves over the REST API what differed from the plan of the study. */
@Controller("/study")
@Secured("researcher")
@Tag(name = "Study")
final class FidelityController {

  private final FidelityDesk desk;

  FidelityController(FidelityDesk desk) {
    this.desk = desk;
  }

  @Get("/fidelity")
  @Secured({"deidentified", "viewer"})
  @Operation(
      operationId = "getStudyFidelity",
      summary = "Shows what was expected of each day and what happened",
      description =
          "Each night after three o'clock, in the time zone of the study, Habitline looks at the day"
              + " that ended, and once more at the day before. Days that were not looked at are"
              + " absent. Daily prompts are counted on the participant's local date.")
  @ApiResponse(responseCode = "200", description = "The days that were looked at, first day first")
  @ApiResponse(responseCode = "400", description = "A date is invalid, or the range is too long")
  Reply<List<JdbcFidelity.Day>> fidelity(
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
              description = "The last day, yyyy-mm-dd; the default is yesterday")
          String to) {
    return Reply.ok(desk.days(desk.range(from, to)));
  }

  @Get("/deviations")
  @Operation(
      operationId = "listDeviations",
      summary = "Lists what differed from the plan of the study, newest first",
      description =
          "Each difference is found once. Deviations of participants who were erased are gone.")
  @ApiResponse(
      responseCode = "200",
      description = "A page of results; next_cursor is absent on the last page")
  @ApiResponse(
      responseCode = "400",
      description = "A date, the kind, the state, the limit or the cursor is invalid")
  Reply<List<Deviation>> deviations(
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
              description = "The last day, yyyy-mm-dd; the default is yesterday")
          String to,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {
                "prompt_missed",
                "prompt_late",
                "follow_up_missed",
                "fallback",
                "unanswered_text",
                "model_changed",
                "prompt_file_changed",
                "silent_participant"
              })
          String kind,
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"open", "explained", "closed"})
          String state,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String cursor) {
    var most = Paging.limit(limit);
    var found =
        desk.deviations(
            new FidelityDesk.Wanted(from, to, kind, state), Paging.before(cursor), most + 1);
    var page = found.subList(0, Math.min(most, found.size()));
    return Reply.page(page, found.size() > most ? page.getLast().seq() : null);
  }

  /** What you say about a deviation. */
  @Introspected
  @Schema(name = "DeviationDecision")
  record DecideRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              type = "string",
              allowableValues = {"explained", "closed"})
          String state,
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              maxLength = FidelityDesk.LONGEST_NOTE)
          String note) {}

  @Post("/deviations/{seq}")
  @Secured("staff")
  @Operation(
      operationId = "decideDeviation",
      summary = "Explains or closes a deviation, with a note")
  @ApiResponse(responseCode = "200", description = "The deviation is explained or closed")
  @ApiResponse(
      responseCode = "400",
      description = "The state is unknown, or the note is missing or too long")
  @ApiResponse(responseCode = "404", description = "No deviation has this number")
  @ApiResponse(responseCode = "409", description = "Someone has explained or closed it already")
  Reply<Deviation> decide(Authentication by, long seq, @Body DecideRequest request) {
    return Reply.ok(
        "Deviation recorded", desk.decide(Actor.of(by), seq, request.state(), request.note()));
  }
}
