package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A TypeScript client whose types are generated from the document of the API compiles under tsc's
 * strictest rules and takes the tour of a running service. Needs Node; without it the test is
 * skipped and says so.
 */
@Tag("node")
final class GeneratedClientTest {

  private static final JsonMapper JSON = new JsonMapper();

  @BeforeAll
  static void install() throws IOException, InterruptedException {
    NodeTools.install();
  }

  @Test
  void theGeneratedClientCompilesAndTakesTheTour() throws IOException, InterruptedException {
    try (var line = RestLine.start(GeneratedClientTest.class)) {
      Files.writeString(
          NodeTools.FOLDER.resolve("client.yml"),
          line.sendAs("", "GET", ApiDocument.ADDRESS, "").response().body());
      NodeTools.copy("tour.mts");
      NodeTools.copy("tsconfig.json");
      node("generate", line, "openapi-typescript/bin/cli.js", "client.yml", "-o", "habitline.ts");
      node("compile", line, "typescript/bin/tsc", "-p", "tsconfig.json");
      node("tour", line, "../tour/tour.mjs");

      var seen = JSON.readTree(NodeTools.said("tour").toFile());
      assertThat(seen.path("health").asText()).isEqualTo("healthy");
      assertThat(seen.path("refused")).isEqualTo(json("[401, 'error']"));
      assertThat(seen.path("participant"))
          .isEqualTo(json("['Ada Example', 'Europe/Berlin', 'active']"));
      assertThat(seen.at("/repeated/0").asInt()).isEqualTo(409);
      assertThat(seen.at("/repeated/1").asText()).contains("already");
      assertThat(seen.at("/wrong/0").asInt()).isEqualTo(400);
      assertThat(seen.at("/wrong/1").asText()).startsWith("phone_number: ");
      assertThat(seen.path("roles")).isEqualTo(json("['assistant', 'user', 'assistant']"));
      assertThat(seen.path("text").asText()).isEqualTo("make it \"personal\" 👍");
      assertThat(seen.path("whole")).hasSize(3);
      assertThat(seen.at("/whole/1")).isEqualTo(seen.path("text"));
      assertThat(seen.path("state").toString()).contains("\"conversationState\"");
      assertThat(seen.path("schedules").asInt(-1)).isZero();
      assertThat(seen.path("turns")).isEqualTo(json("['done', 'done']"));
      assertThat(seen.path("deliveries").asInt()).isEqualTo(2);
      assertThat(seen.path("moved").asLong()).isGreaterThanOrEqualTo(3_600_000);
      assertThat(seen.path("paused").asText()).isEqualTo("paused");
      assertThat(seen.path("listed")).isEqualTo(json("[true]"));
      assertThat(seen.at("/missing/0").asInt()).isEqualTo(404);
      assertThat(seen.at("/missing/1").asText()).isNotEmpty();
    }
  }

  private static JsonNode json(String text) throws IOException {
    return JSON.readTree(text.replace('\'', '"'));
  }

  /** Runs a script of a package. */
  private static void node(String name, RestLine line, String script, String... arguments)
      throws IOException, InterruptedException {
    var command = new String[arguments.length + 2];
    command[0] = "node";
    command[1] = Path.of("node_modules", script).toString();
    System.arraycopy(arguments, 0, command, 2, arguments.length);
    var environment = Map.of("HABITLINE_URL", line.url(), "HABITLINE_KEY", RestLine.ADMIN);
    assertThat(NodeTools.run(name, environment, command))
        .as(() -> "see target/node/%s.txt and %s.err.txt".formatted(name, name))
        .isZero();
  }
}
