package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The document of the API before Redocly's recommended rules. Needs Node; without it the test is
 * skipped and says so.
 */
@Tag("checks")
final class OpenApiLintTest {

  /**
   * Warnings that stay: the project grants no licence that could be named; the address of an import
   * stands beside those of participants, whose ids never are the word import; health refuses
   * nobody; and a WebSocket is opened with 101.
   */
  private static final List<String> KNOWN =
      List.of(
          "info-license", "no-ambiguous-paths", "operation-4xx-response", "operation-2xx-response");

  @BeforeAll
  static void install() throws IOException, InterruptedException {
    NodeTools.install();
  }

  @Test
  void theDocumentPassesTheRecommendedRules() throws IOException, InterruptedException {
    try (var line = RestLine.start(OpenApiLintTest.class)) {
      Files.writeString(
          NodeTools.FOLDER.resolve("habitline.yml"),
          line.sendAs("", "GET", ApiDocument.ADDRESS, "").response().body());
    }
    var exit =
        NodeTools.run(
            "lint",
            Map.of("REDOCLY_TELEMETRY", "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE", "true"),
            "node",
            Path.of("node_modules", "@redocly", "cli", "bin", "cli.js").toString(),
            "lint",
            "--extends=recommended",
            "--format=json",
            "--max-problems=1000",
            "habitline.yml");
    var report = new JsonMapper().readTree(NodeTools.said("lint").toFile());
    assertThat(problems(report)).isEmpty();
    assertThat(report.at("/totals/errors").asInt(-1)).isZero();
    assertThat(exit).isZero();
  }

  private static Stream<String> problems(JsonNode report) {
    return report
        .path("problems")
        .valueStream()
        .filter(problem -> !KNOWN.contains(problem.path("ruleId").asText()))
        .map(problem ->
            problem.path("ruleId").asText()
                + ": "
                + problem.path("message").asText()
                + " at "
                + problem.at("/location/0/pointer").asText());
  }
}
