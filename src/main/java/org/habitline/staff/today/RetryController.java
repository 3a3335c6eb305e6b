package org.habitline.staff.today;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Map;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.Reply;

/** Lets the coach reply to a text whose turn failed. */
@Controller("/conversation/participants/{id}/turns/{number}/retry")
@Secured("staff")
@Tag(name = "Conversations")
final class RetryController {

  private final RetryDesk desk;

  RetryController(RetryDesk desk) {
    this.desk = desk;
  }

  @Post
  @Operation(
      operationId = "retryTurn",
      summary = "Lets the coach reply to the text of a failed turn",
      description =
          "The reply is a turn of its own and comes within seconds, or in the next allowed hours if"
              + " the participant may be asleep. If the model fails again, the"
              + " participant gets no further fallback message. Asking again while a retry is planned"
              + " or running changes nothing.")
  @ApiResponse(responseCode = "200", description = "A retry is planned")
  @ApiResponse(responseCode = "404", description = "There is no such participant or turn")
  @ApiResponse(
      responseCode = "409",
      description =
          "The turn did not fail, the text has a reply by now, or the coach may not write to the"
              + " participant now")
  Reply<Map<String, String>> retry(Authentication by, String id, int number) {
    desk.retry(Actor.of(by), id, number);
    return Reply.ok("Retry planned", Map.of("status", "planned"));
  }
}
