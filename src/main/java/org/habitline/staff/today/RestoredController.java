package org.habitline.staff.today;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
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
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;

/** Shows what waits in a restored backup, and decides about it. */
@Controller("/restored")
@Secured("staff")
@Tag(name = "Sending")
final class RestoredController {

  private final SendingDesk desk;

  RestoredController(SendingDesk desk) {
    this.desk = desk;
  }

  /** Whether a restored backup waits for a decision, when it was made, and what waits in it. */
  @Introspected
  @Schema(name = "RestoredBackup")
  record RestoredView(
      boolean undecided,
      @Nullable Instant madeAt,
      @Nullable Long texts,
      @Nullable Long messages,
      @Nullable Long wakeups) {

    static RestoredView of(Optional<SendingDesk.Backup> backup) {
      return backup
          .map(it -> new RestoredView(true, it.madeAt(), it.texts(), it.messages(), it.wakeups()))
          .orElseGet(() -> new RestoredView(false, null, null, null, null));
    }
  }

  /** What becomes of everything that waits. */
  @Introspected
  @Schema(name = "RestoredDecision")
  record RestoredRequest(
      @Nullable
          @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              nullable = false,
              description = "skip closes what waits; send answers and sends it")
          String whatWaits) {}

  @Get
  @Operation(
      operationId = "getRestored",
      summary = "Shows whether a restored backup waits for a decision, and what waits in it")
  @ApiResponse(
      responseCode = "200",
      description = "Whether it waits; if so, when the backup was made, and what waits")
  Reply<RestoredView> restored() {
    return Reply.ok(RestoredView.of(desk.backup()));
  }

  @Put
  @Secured("admin")
  @Operation(
      operationId = "decideRestored",
      summary = "Skips or does what waits in a restored backup",
      description =
          "Until then nothing is answered, and only crisis texts and confirmations of STOP are sent. With skip, texts"
              + " that wait are closed without a reply, messages are not sent and daily prompts are missed,"
              + " each with the reason 'restored'.")
  @ApiResponse(responseCode = "200", description = "It is decided")
  @ApiResponse(responseCode = "400", description = "what_waits is neither skip nor send")
  @ApiResponse(responseCode = "409", description = "No restored backup waits for a decision")
  Reply<RestoredView> decide(Authentication by, @Body RestoredRequest request) {
    desk.decide(Actor.of(by), request.whatWaits());
    return restored();
  }
}
