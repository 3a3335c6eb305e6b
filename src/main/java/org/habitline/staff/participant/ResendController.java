package org.habitline.staff.participant;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Map;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Flag;
import org.habitline.staff.web.Reply;

/** Sends again a message that was not delivered. */
@Controller("/conversation/participants/{id}/deliveries/{delivery}/resend")
@Secured("staff")
@Tag(name = "Conversations")
final class ResendController {

  private final ResendDesk desk;

  ResendController(ResendDesk desk) {
    this.desk = desk;
  }

  @Post
  @Operation(
      operationId = "resendDelivery",
      summary = "Sends again a message that was not delivered",
      description =
          "Plans a new delivery of the same message; its retry_of names the failed delivery. Each failed delivery can be sent again once; a repeated request changes nothing. The new delivery can be"
              + " sent again if it fails too. While sending is stopped, it waits.")
  @ApiResponse(responseCode = "200", description = "The message is planned again")
  @ApiResponse(responseCode = "400", description = "even_if_arrived is not true or false")
  @ApiResponse(responseCode = "404", description = "There is no such participant or delivery")
  @ApiResponse(
      responseCode = "409",
      description =
          "The delivery did not fail or may have arrived, the participant opted out or cannot be reached,"
              + " or nothing may be sent to the participant now")
  Reply<Map<String, String>> resend(
      Authentication by,
      String id,
      String delivery,
      @QueryValue("even_if_arrived")
          @Nullable
          @Schema(
              type = "string",
              allowableValues = {"true", "false"},
              description =
                  "Whether to send again a message that may have arrived; the default is false")
          String evenIfArrived) {
    return desk.resend(Actor.of(by), id, delivery, Flag.of("even_if_arrived", evenIfArrived))
        ? Reply.ok("Message planned again", Map.of("status", "planned"))
        : Reply.ok(
            "This message was sent again before; nothing was changed",
            Map.of("status", "sent_again_before"));
  }
}
