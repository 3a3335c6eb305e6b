package org.habitline.staff.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.core.annotation.Introspected;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Header;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.modelcontextprotocol.spec.HttpHeaders;
import io.modelcontextprotocol.spec.McpSchema;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.habitline.conversation.calls.ToolCalls;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Passes;

/**
 * Takes the messages of clients of the Model Context Protocol: its transport "streamable HTTP",
 * without sessions and streams, so that every answer is one JSON object. Other methods than POST
 * are answered 405, as the protocol has it.
 */
@Controller(Passes.MCP)
@Secured({"staff", Passes.PARTICIPANT})
@Tag(name = "Tools")
final class McpController {

  private static final String PARTICIPANT_HEADER = "X-Habitline-Participant";
  private static final String JSON_RPC = "2.0";

  private final Participants participants;
  private final ToolServer server;

  McpController(Participants participants, ToolServer server) {
    this.participants = participants;
    this.server = server;
  }

  /**
   * A message of JSON-RPC 2.0.
   *
   * @param id a text or a whole number; absent in a notification
   */
  @Introspected
  @Schema(name = "McpMessage")
  record McpMessage(
      @Nullable
          @Schema(
              type = "string",
              allowableValues = {JSON_RPC})
          String jsonrpc,
      @Nullable @Schema(ref = "#/components/schemas/JsonValue") JsonNode id,
      @Nullable
          @Schema(
              description =
                  "initialize, ping, tools/list, tools/call or a notification of the protocol")
          String method,
      @Nullable @Schema(ref = "#/components/schemas/JsonValue") JsonNode params) {}

  @Post
  @Operation(
      operationId = "sendMcpMessage",
      summary = "Takes a message of the Model Context Protocol, for a participant's tools",
      description =
          "Clients of the protocol connect to this address (transport streamable HTTP). It offers"
              + " the tools of the participant's flow and module that may be called outside a"
              + " conversation turn. A participant's token decides whose tools they are; a key of"
              + " the role staff names the participant in X-Habitline-Participant. A call waits at"
              + " most 5 seconds for a turn of the conversation to end. The answer has no envelope.")
  @ApiResponse(
      responseCode = "200",
      description = "The answer to a request: result, or error if it could not be understood",
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(ref = "#/components/schemas/McpAnswer")))
  @ApiResponse(responseCode = "202", description = "A notification was received; there is no body")
  @ApiResponse(
      responseCode = "400",
      description =
          "The message or the version of the protocol is not accepted, or the header that names"
              + " the participant is missing")
  @ApiResponse(responseCode = "404", description = "No participant has this id")
  HttpResponse<String> message(
      Authentication by,
      @Header(PARTICIPANT_HEADER)
          @Nullable
          @Schema(description = "The participant's id; required with a key")
          String participant,
      @Header(HttpHeaders.PROTOCOL_VERSION) @Nullable String version,
      @Body McpMessage message) {
    var whose = whose(by, participant);
    if (version != null && !ToolServer.VERSIONS.contains(version)) {
      throw ApiProblem.bad(
          "%s: expected one of %s."
              .formatted(HttpHeaders.PROTOCOL_VERSION, String.join(", ", ToolServer.VERSIONS)));
    }
    if (!JSON_RPC.equals(message.jsonrpc())) {
      throw ApiProblem.bad("jsonrpc: expected \"2.0\".");
    }
    if (message.method() == null || message.method().isBlank()) {
      throw ApiProblem.bad("method: missing; expected the name of a method of the protocol.");
    }
    if (message.id() == null) {
      return HttpResponse.accepted();
    }
    var request =
        new McpSchema.JSONRPCRequest(
            JSON_RPC, message.method(), id(message.id()), params(message.params()));
    return HttpResponse.ok(server.answer(whose, caller(by), request))
        .contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  private Participant whose(Authentication by, @Nullable String named) {
    var name = named == null ? "" : named.strip();
    if (isParticipant(by)) {
      if (!name.isEmpty() && !name.equals(by.getName())) {
        throw new ApiProblem(
            HttpStatus.FORBIDDEN,
            PARTICIPANT_HEADER + ": a participant's token opens only their own tools.");
      }
      return found(by.getName());
    }
    if (name.isEmpty()) {
      throw ApiProblem.bad(
          PARTICIPANT_HEADER
              + ": missing; with a key, this header must hold the id of the participant.");
    }
    return found(name);
  }

  private Participant found(String id) {
    return participants.find(id).orElseThrow(ApiProblem::noParticipant);
  }

  private static boolean isParticipant(Authentication by) {
    return by.getRoles().contains(Passes.PARTICIPANT);
  }

  private static ToolCalls.Caller caller(Authentication by) {
    if (isParticipant(by)) {
      return new ToolCalls.Caller(by.getName(), Passes.PARTICIPANT);
    }
    var actor = Actor.of(by);
    return new ToolCalls.Caller(actor.name(), actor.role());
  }

  private static Object id(JsonNode id) {
    if (id.isTextual()) {
      return id.textValue();
    }
    if (id.isIntegralNumber() && id.canConvertToLong()) {
      return id.longValue();
    }
    throw ApiProblem.bad("id: expected a text or a whole number.");
  }

  private static @Nullable Object params(@Nullable JsonNode params) {
    if (params == null || params.isNull()) {
      return null;
    }
    if (!params.isObject()) {
      throw ApiProblem.bad("params: expected an object.");
    }
    return ToolServer.plain(params);
  }
}
