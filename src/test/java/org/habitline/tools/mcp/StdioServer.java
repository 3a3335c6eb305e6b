package org.habitline.tools.mcp;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * An MCP server that is started as a program. Its tool {@code look} tells which environment
 * variables it has; {@code leave} ends it without an answer.
 */
public final class StdioServer {

  private static final JsonMapper JSON = new JsonMapper();

  private StdioServer() {}

  public static void main(String[] arguments) throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = in.readLine(); line != null; line = in.readLine()) {
      var message = JSON.readTree(line);
      if (message.has("id")) {
        var answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", message.path("id"));
        answer.set(
            "result",
            JSON.readTree(
                result(
                    message.path("method").asText(),
                    message.at("/params/name").asText(),
                    message.at("/params/protocolVersion").asText())));
        System.out.println(answer);
        System.out.flush();
      }
    }
  }

  private static String result(String method, String tool, String version) {
    return switch (method) {
      case "initialize" ->
          """
          {"protocolVersion":"%s","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}\
          """
              .formatted(version);
      case "tools/list" ->
          """
          {"tools":[{"name":"look","inputSchema":{"type":"object"}},{"name":"leave","inputSchema":{"type":"object"}}]}\
          """;
      case "tools/call" -> called(tool);
      default -> "{}";
    };
  }

  private static String called(String tool) {
    System.err.println("the program says what nobody may log");
    if (tool.equals("leave")) {
      System.exit(1);
    }
    return "{\"content\":[{\"type\":\"text\",\"text\":\"token %s, path %s, secret %s\"}]}"
        .formatted(
            System.getenv("NOTES_TOKEN"),
            System.getenv("PATH") != null,
            System.getenv("NOTES_OTHER"));
  }
}
