package org.habitline.staff;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.Optional;
import org.habitline.messaging.SendingStop;

/** The line as a whole: whether anybody is sent anything. */
@Controller("/line")
@Secured("admin")
@Tag(name = "Line")
final class LineController {

  private final LineDesk desk;
  private final SendingStop sending;

  LineController(LineDesk desk, SendingStop sending) {
    this.desk = desk;
    this.sending = sending;
  }

  /** Whether texts leave, and if not since when, by whom and why. */
  @Introspected
  @Schema(name = "Line")
  record LineView(
      boolean sending,
      @Nullable Instant stoppedAt,
      @Nullable String stoppedBy,
      @Nullable String reason) {

    static LineView of(Optional<SendingStop.Stopped> stopped) {
      return stopped
          .map(it -> new LineView(false, it.at(), it.by(), it.reason()))
          .orElseGet(() -> new LineView(true, null, null, null));
    }
  }

  /** Why. */
  @Introspected
  @Schema(name = "LineReason")
  record ReasonRequest(@Nullable @Schema(maxLength = 1000) String reason) {}

  @Get
  @Secured("staff")
  @Operation(summary = "Shows whether texts leave")
  @ApiResponse(responseCode = "200", description = "Since when, by whom and why they do not")
  Reply<LineView> line() {
    return Reply.ok(LineView.of(sending.inForce()));
  }

  @Post("/stop")
  @Operation(
      summary = "Stops all sending of the study, within a second",
      description =
          "Texts are still taken in and answered; what is to be said waits and leaves on resume. A reply that waited"
              + " for more than 24 hours is refused, and a prompt after DAILY_PROMPT_MAX_LATENESS. Needs a reason.")
  @ApiResponse(responseCode = "200", description = "Stopped")
  @ApiResponse(responseCode = "400", description = "No reason")
  @ApiResponse(responseCode = "409", description = "It is stopped already")
  Reply<LineView> stop(Authentication by, @Body ReasonRequest request) {
    desk.stop(Actors.of(by), request.reason());
    return line();
  }

  @Post("/resume")
  @Operation(summary = "Lets texts leave again")
  @ApiResponse(responseCode = "200", description = "Texts leave")
  @ApiResponse(responseCode = "409", description = "It is not stopped")
  Reply<LineView> resume(Authentication by, @Body ReasonRequest request) {
    desk.resume(Actors.of(by), request.reason());
    return line();
  }
}
