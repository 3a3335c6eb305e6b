package org.habitline.staff.today;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Put;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.Optional;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Reply;

/** Shows whether sending is on, and stops or resumes all sending. */
@Controller("/sending")
@Secured("staff")
@Tag(name = "Sending")
final class SendingController {

  private final SendingDesk desk;
  private final SendingStop stop;

  SendingController(SendingDesk desk, SendingStop stop) {
    this.desk = desk;
    this.stop = stop;
  }

  /** Whether sending is on, and if not, since when, by whom and why. */
  @Introspected
  @Schema(name = "Sending")
  record SendingView(
      boolean sending,
      @Nullable Instant stoppedAt,
      @Nullable String stoppedBy,
      @Nullable String reason) {

    static SendingView of(Optional<SendingStop.Stopped> stopped) {
      return stopped
          .map(it -> new SendingView(false, it.at(), it.by(), it.reason()))
          .orElseGet(() -> new SendingView(true, null, null, null));
    }
  }

  /** Whether sending should be on, and why. */
  @Introspected
  @Schema(name = "SendingChange")
  record SendingRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              description = "false stops, true resumes")
          Boolean sending,
      @Nullable @Schema(maxLength = 1000, description = "Required to stop sending")
          String reason) {}

  @Get
  @Operation(operationId = "getSending", summary = "Shows whether sending is on or stopped")
  @ApiResponse(
      responseCode = "200",
      description = "Whether sending is on; if not, since when, who stopped it and why")
  Reply<SendingView> sending() {
    return Reply.ok(SendingView.of(stop.inForce()));
  }

  @Put
  @Operation(
      operationId = "setSending",
      summary = "Stops all sending of the study within a second, or resumes it",
      description =
          "Staff may stop sending; only an admin may resume it. While sending is stopped, incoming texts are still"
              + " received and answered, and the messages wait until sending resumes. A reply that waited for more"
              + " than 24 hours is refused, and a prompt after DAILY_PROMPT_MAX_LATENESS.")
  @ApiResponse(responseCode = "200", description = "Sending is as requested")
  @ApiResponse(
      responseCode = "400",
      description = "sending is neither true nor false, or the reason for the stop is missing")
  @ApiResponse(responseCode = "403", description = "Only an admin may resume sending")
  @ApiResponse(responseCode = "409", description = "Sending is already in this state")
  Reply<SendingView> change(Authentication by, @Body SendingRequest request) {
    if (request.sending() == null) {
      throw ApiProblem.bad("sending: expected false to stop all sending or true to resume it.");
    }
    if (request.sending()) {
      if (!by.getRoles().contains("admin")) {
        throw new ApiProblem(
            HttpStatus.FORBIDDEN, "sending: only an admin may resume sending; staff may stop it.");
      }
      desk.resume(Actor.of(by), request.reason());
    } else {
      desk.stop(Actor.of(by), request.reason());
    }
    return sending();
  }
}
