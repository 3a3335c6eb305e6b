package org.habitline.ops.access;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.util.Map;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Reply;
import org.jspecify.annotations.Nullable;

/** Endpoints that create and revoke tokens for a participant's web chat. */
@Controller("/conversation/participants/{id}/tokens")
@Secured("staff")
@Tag(name = "Web chat")
final class ChatTokensController {

  private static final int USUAL_MINUTES = 60;
  private static final int MOST_MINUTES = 1440;

  private final ChatTokens tokens;

  ChatTokensController(ChatTokens tokens) {
    this.tokens = tokens;
  }

  /** The body of a request for a token. */
  @Introspected
  @Schema(name = "TokenRequest")
  record TokenRequest(
      @Nullable
          @Schema(
              minimum = "1",
              maximum = "1440",
              description = "How long the token is valid; 60 if absent")
          Integer minutes) {}

  @Post
  @Operation(
      operationId = "createChatToken",
      summary = "Creates a token for the web chat of a participant; it is shown only once",
      description =
          "It opens the participant's tools at /mcp and the WebSocket /ws/chat for this"
              + " conversation, and nothing else: for the chat, as the"
              + " first message {\"type\":\"auth\",\"token\":\"…\"}, or with the handshake as"
              + " Authorization: Bearer. At most five chats can be open with it at the same time on"
              + " each node. It expires after the given minutes, and is revoked by DELETE or when"
              + " the participant withdraws or is erased. Web chats are for participants on the"
              + " simulator only.")
  @ApiResponse(responseCode = "201", description = "Created", useReturnTypeSchema = true)
  @ApiResponse(responseCode = "400", description = "minutes is invalid")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  @ApiResponse(
      responseCode = "409",
      description = "The participant is not on the simulator, or has withdrawn")
  HttpResponse<Reply<ChatTokens.NewToken>> create(
      Authentication by, String id, @Body @Nullable TokenRequest request) {
    var minutes = request == null || request.minutes() == null ? USUAL_MINUTES : request.minutes();
    if (minutes < 1 || minutes > MOST_MINUTES) {
      throw ApiProblem.bad("minutes: expected a whole number from 1 to 1440.");
    }
    return HttpResponse.created(
        Reply.ok(tokens.create(SessionTokens.who(by), id, Duration.ofMinutes(minutes))));
  }

  @Delete
  @Operation(
      operationId = "revokeChatTokens",
      summary = "Revokes every token of a participant, at once")
  @ApiResponse(responseCode = "200", description = "The number of revoked tokens")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  Reply<Map<String, Integer>> revoke(Authentication by, String id) {
    return Reply.ok(Map.of("revoked", tokens.revoke(SessionTokens.who(by), id)));
  }
}
