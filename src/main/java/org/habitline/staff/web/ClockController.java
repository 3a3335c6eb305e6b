package org.habitline.staff.web;

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
import org.habitline.study.StudyWalk;

/** Shows the study clock, and moves it forward in a rehearsal. */
@Controller("/clock")
@Secured("staff")
@Tag(name = "Clock")
final class ClockController {

  private final ClockDesk desk;

  ClockController(ClockDesk desk) {
    this.desk = desk;
  }

  /**
   * The study clock.
   *
   * @param movable whether it may be moved
   * @param nextWakeup when the next job is due, absent if none is scheduled
   * @param wakeups how many jobs ran during the move
   */
  @Introspected
  record ClockView(Instant now, boolean movable, @Nullable Instant nextWakeup, int wakeups) {}

  /** How far to move the clock; exactly one of the two must be set. */
  @Introspected
  record Move(
      @Nullable @Schema(description = "a duration from 1s to 31d such as 1h or 1d") String advance,
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {"next_wakeup"})
          String to) {}

  @Get
  @Operation(operationId = "getClock", summary = "Shows study time")
  @ApiResponse(responseCode = "200", description = "The study time, and the time of the next event")
  Reply<ClockView> clock() {
    return Reply.ok(view(desk.here()));
  }

  @Post
  @Operation(
      operationId = "moveClock",
      summary = "Moves study time forward; in a rehearsal only",
      description =
          "Everything that is due until then is run in order, each at its own time, before"
              + " the answer is sent.")
  @ApiResponse(responseCode = "200", description = "The new study time")
  @ApiResponse(
      responseCode = "400",
      description = "Exactly one of advance and to must be given and valid")
  @ApiResponse(responseCode = "409", description = "This is not a rehearsal")
  Reply<ClockView> move(Authentication by, @Body Move move) {
    return Reply.ok(view(desk.move(Actor.of(by), move.advance(), move.to())));
  }

  private ClockView view(StudyWalk.Walked walked) {
    return new ClockView(
        walked.now(), desk.movable(), walked.nextWakeup().orElse(null), walked.wakeups());
  }
}
