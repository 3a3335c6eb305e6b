package org.habitline.staff.participant;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Put;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Lets staff move a participant to another flow. */
@Controller("/conversation/participants/{id}/flow")
@Secured("staff")
@Tag(name = "Participants")
final class FlowController {

  private final FlowDesk desk;

  FlowController(FlowDesk desk) {
    this.desk = desk;
  }

  /** The flow to move to, and the reason. */
  @Introspected
  @Schema(name = "FlowChange")
  record FlowRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              example = "habit",
              description = "A flow of this service")
          String flow,
      @Nullable
          @Schema(requiredMode = Schema.RequiredMode.REQUIRED, nullable = false, maxLength = 1000)
          String reason) {}

  /**
   * What a move did.
   *
   * @param module the module that replies next
   * @param language the language in which the participant is written to now
   * @param endedSchedules ids of the schedules that ended because the flow does not allow them
   * @param unusedFields profile fields that are kept and that the flow does not use
   */
  @Introspected
  @Schema(name = "FlowChanged")
  record FlowView(
      String flow,
      String module,
      String language,
      List<String> endedSchedules,
      List<String> unusedFields) {}

  @Put
  @Operation(
      operationId = "changeFlow",
      summary = "Moves the participant to the first module of another flow",
      description =
          "The conversation and the profile stay. Daily prompts that the new flow does not allow end,"
              + " and moves, check-ins and nudges that modules of the old flow planned are cancelled. If"
              + " the new flow does not have the participant's language, they get the flow's own.")
  @ApiResponse(responseCode = "200", description = "What the move did")
  @ApiResponse(
      responseCode = "400",
      description = "There is no such flow, or the reason is missing")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(
      responseCode = "409",
      description =
          "The participant has this flow already, or the coach is writing to the participant; then"
              + " Retry-After says when to try again")
  Reply<FlowView> change(Authentication by, String id, @Body FlowRequest request) {
    var move = desk.move(Actor.of(by), id, request.flow(), request.reason());
    var does = move.consequences();
    return Reply.ok(
        "Participant moved to the flow",
        new FlowView(
            move.flow().id(),
            does.module(),
            move.language(),
            does.ending().stream().map(schedule -> schedule.id()).toList(),
            does.unused()));
  }
}
