package org.habitline.staff.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerHandler;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStatelessServerTransport;
import io.modelcontextprotocol.spec.ProtocolVersions;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.habitline.conversation.calls.ToolCalls;
import org.habitline.conversation.calls.ToolCalls.Called;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;
import org.habitline.participants.Participant;
import org.habitline.tools.ToolOutcome;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Answers requests of the Model Context Protocol with the official SDK. Each request gets a server
 * of its own, which holds the tools of its participant and is forgotten with the answer: a session
 * would tie a client to one node, and the participant's module may change between two requests.
 */
@Singleton
final class ToolServer {

  /** The versions of the protocol that are spoken, oldest first. */
  static final List<String> VERSIONS =
      List.of(
          ProtocolVersions.MCP_2025_03_26,
          ProtocolVersions.MCP_2025_06_18,
          ProtocolVersions.MCP_2025_11_25);

  private static final JsonMapper JSON = new JsonMapper();
  private static final McpJsonMapper SDK_JSON = new JacksonMcpJsonMapper(JSON);
  private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

  /** Tools check their arguments themselves and say what is accepted. */
  private static final JsonSchemaValidator UNCHECKED =
      (schema, value) -> JsonSchemaValidator.ValidationResponse.asValid("");

  private final ToolCalls calls;

  ToolServer(ToolCalls calls) {
    this.calls = calls;
  }

  /** Returns a JSON object as the SDK takes it. */
  static Map<String, Object> plain(JsonNode object) {
    return JSON.convertValue(object, OBJECT);
  }

  /**
   * Returns the answer to a request as JSON. A tool that refuses a call gives a result with {@code
   * isError}; only what the protocol does not know is an error of JSON-RPC.
   */
  String answer(Participant participant, ToolCalls.Caller by, McpSchema.JSONRPCRequest request) {
    var transport = new OneRequest();
    var failures = new ArrayList<RuntimeException>();
    var _ =
        McpServer.sync(transport)
            .serverInfo("habitline", "0.1")
            .instructions(
                "These are the tools of one participant in a study. Their id is "
                    + participant.id()
                    + "; give exactly this id where a tool asks for user_id.")
            .capabilities(McpSchema.ServerCapabilities.builder().tools(false).build())
            .jsonMapper(SDK_JSON)
            .jsonSchemaValidator(UNCHECKED)
            .validateToolInputs(false)
            .immediateExecution(true)
            .tools(tools(participant, by, failures))
            .build();
    var response = response(transport, request);
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return text(response);
  }

  /** The SDK would answer with the message of an exception, which may quote what was sent. */
  private static McpSchema.JSONRPCResponse response(
      OneRequest transport, McpSchema.JSONRPCRequest request) {
    try {
      // On this thread: every handler is done when it returns.
      var response =
          transport.handler().handleRequest(McpTransportContext.EMPTY, request).toFuture().join();
      var error = response.error();
      return error != null && error.code() == McpSchema.ErrorCodes.INTERNAL_ERROR
          ? unreadable(request)
          : response;
    } catch (IllegalArgumentException e) {
      return unreadable(request);
    }
  }

  private static McpSchema.JSONRPCResponse unreadable(McpSchema.JSONRPCRequest request) {
    return McpSchema.JSONRPCResponse.error(
        request.id(),
        new McpSchema.JSONRPCResponse.JSONRPCError(
            McpSchema.ErrorCodes.INVALID_PARAMS, "The params do not fit the method."));
  }

  private List<SyncToolSpecification> tools(
      Participant participant, ToolCalls.Caller by, List<RuntimeException> failures) {
    return calls.offered(participant).stream()
        .map(spec ->
            new SyncToolSpecification(
                described(spec),
                (context, request) -> {
                  try {
                    var arguments = request.arguments() == null ? Map.of() : request.arguments();
                    var call = new ToolCall("mcp", request.name(), text(arguments));
                    return result(calls.call(by, participant.id(), call));
                  } catch (RuntimeException e) {
                    // Thrown again by the caller: the SDK would put its message into the answer.
                    failures.add(e);
                    throw e;
                  }
                }))
        .toList();
  }

  private static McpSchema.Tool described(ToolSpec spec) {
    return McpSchema.Tool.builder(spec.name(), plain(spec.schema()))
        .description(spec.description())
        .build();
  }

  private static McpSchema.CallToolResult result(Called called) {
    return switch (called) {
      case Called.Done done -> result(done.outcome());
      case Called.Busy busy ->
          refused(
              "busy",
              "The participant's conversation is busy with a reply; nothing was changed. Call the"
                  + " tool again in a moment.");
      case Called.NotActive not ->
          refused(
              "not_active",
              "The participant's status is %s; nothing was changed. Tools run only while it is"
                      .formatted(not.status().word())
                  + " active.");
      case Called.NoConsent none ->
          refused(
              "no_consent",
              "The participant has not consented; nothing was changed. Tools run once they have"
                  + " said yes.");
      case Called.Gone gone ->
          refused("gone", "There is no participant with this id any more; nothing was changed.");
    };
  }

  private static McpSchema.CallToolResult refused(String code, String message) {
    var outcome = ToolOutcome.error(message);
    outcome.result().put("code", code);
    return result(outcome);
  }

  private static McpSchema.CallToolResult result(ToolOutcome outcome) {
    ObjectNode result = outcome.result();
    return McpSchema.CallToolResult.builder()
        .addTextContent(text(result))
        .structuredContent(plain(result))
        .isError(outcome.failed())
        .build();
  }

  private static String text(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("An answer could not be written as JSON.");
    }
  }

  /** The way into a server that answers one request. */
  private static final class OneRequest implements McpStatelessServerTransport {

    private @Nullable McpStatelessServerHandler handler;

    McpStatelessServerHandler handler() {
      return Objects.requireNonNull(handler);
    }

    @Override
    public void setMcpHandler(McpStatelessServerHandler mcpHandler) {
      this.handler = mcpHandler;
    }

    @Override
    public Mono<Void> closeGracefully() {
      return Mono.empty();
    }

    @Override
    public List<String> protocolVersions() {
      return VERSIONS;
    }
  }
}
