package org.habitline.staff.today;

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
import java.time.Instant;
import java.util.List;
import org.habitline.conversation.flags.Flag;
import org.habitline.conversation.flags.FlagStatus;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;
import org.habitline.tools.FlagKind;
import org.jspecify.annotations.Nullable;

/** Lists what the coach flagged for staff, and closes it. */
@Controller("/flags")
@Secured("staff")
@Tag(name = "Safety")
final class FlagsController {

  private static final int MOST = 500;

  private final FlagDesk desk;

  FlagsController(FlagDesk desk) {
    this.desk = desk;
  }

  /**
   * A flag of the coach. It holds no words of the participant; times are study time.
   *
   * @param turn the turn in which it was raised first
   * @param lastTurn the turn in which it was raised last
   * @param times how often it was raised while it was open
   */
  @Introspected
  @Schema(name = "StaffFlag")
  record FlagView(
      String id,
      String participantId,
      FlagKind kind,
      FlagStatus status,
      int turn,
      Instant raisedAt,
      int lastTurn,
      Instant lastAt,
      int times,
      @Nullable Instant closedAt,
      @Nullable String closedBy,
      @Nullable String note) {

    static FlagView of(Flag flag) {
      return new FlagView(
          flag.id(),
          flag.participantId(),
          flag.kind(),
          flag.status(),
          flag.turn(),
          flag.raisedAt(),
          flag.lastTurn(),
          flag.lastAt(),
          flag.times(),
          flag.closedAt(),
          flag.closedBy(),
          flag.note());
    }
  }

  @Get
  @Operation(
      operationId = "listFlags",
      summary = "Lists what the coach flagged for staff",
      description =
          "Open flags, the longest open first, or closed ones, the newest first; at most 500. Urgent"
              + " flags are incidents and not here.")
  @ApiResponse(responseCode = "200", description = "The flags")
  @ApiResponse(responseCode = "400", description = "The status is unknown")
  Reply<List<FlagView>> list(
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"open", "closed"},
              description = "The default is open")
          String status) {
    return Reply.ok(desk.list(status, MOST).stream().map(FlagView::of).toList());
  }

  /** What you did about a flag. */
  @Introspected
  @Schema(name = "FlagClosing")
  record CloseRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              maxLength = FlagDesk.LONGEST_NOTE)
          String note) {}

  @Post("/{id}/close")
  @Operation(operationId = "closeFlag", summary = "Closes a flag, with a note of what you did")
  @ApiResponse(responseCode = "200", description = "The flag is closed")
  @ApiResponse(responseCode = "400", description = "The note is missing or too long")
  @ApiResponse(responseCode = "404", description = "No flag has this id")
  @ApiResponse(responseCode = "409", description = "Somebody has closed it already")
  Reply<FlagView> close(Authentication by, String id, @Body CloseRequest request) {
    return Reply.ok("Flag closed", FlagView.of(desk.close(Actor.of(by), id, request.note())));
  }
}
