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
import java.util.List;
import org.habitline.conversation.flags.JdbcFlags.Flag;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;
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

  @Get
  @Operation(
      operationId = "listFlags",
      summary = "Lists what the coach flagged for staff",
      description =
          "Open flags, the longest open first, or closed ones, the newest first; at most 500. Urgent"
              + " flags are incidents and not here.")
  @ApiResponse(responseCode = "200", description = "The flags")
  @ApiResponse(responseCode = "400", description = "The status is unknown")
  Reply<List<Flag>> list(
      @QueryValue
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"open", "closed"},
              description = "The default is open")
          String status) {
    return Reply.ok(desk.list(status, MOST));
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
  @ApiResponse(responseCode = "409", description = "Someone has closed it already")
  Reply<Flag> close(Authentication by, String id, @Body CloseRequest request) {
    return Reply.ok("Flag closed", desk.close(Actor.of(by), id, request.note()));
  }
}
