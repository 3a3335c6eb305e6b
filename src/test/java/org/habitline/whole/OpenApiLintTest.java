package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The document of the API before Redocly's recommended rules. Needs Node; without it the test is
 * skipped and says so.
 */
@Tag("node")
final class OpenApiLintTest {

  private static final Path TOOLS = Path.of("src", "test", "node");
  private static final Path FOLDER = Path.of("target", "node");
  private static final String RECENT =
      "const [major, minor] = process.versions.node.split('.').map(Number);"
          + "process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)";

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
    Files.createDirectories(FOLDER);
    assumeTrue(
        hasNode(), "Node 20.19 or newer is not installed: the document of the API is not linted.");
    for (var file : List.of("package.json", "package-lock.json", ".npmrc")) {
      Files.copy(TOOLS.resolve(file), FOLDER.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    assertThat(run("install", "npm", "ci", "--ignore-scripts"))
        .as("see target/node/install.txt")
        .isZero();
  }

  private static boolean hasNode() throws InterruptedException {
    try {
      return run("node", "node", "-e", RECENT) == 0 && run("npm", "npm", "--version") == 0;
    } catch (IOException none) {
      return false;
    }
  }

  /** Returns the exit code; what was said is in a file of this name. */
  private static int run(String name, String... command) throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder(command)
            .directory(FOLDER.toFile())
            .redirectOutput(FOLDER.resolve(name + ".txt").toFile())
            .redirectError(FOLDER.resolve(name + ".err.txt").toFile());
    builder.environment().put("REDOCLY_TELEMETRY", "off");
    builder.environment().put("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    var process = builder.start();
    if (!process.waitFor(5, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError(name + " takes too long; see target/node.");
    }
    return process.exitValue();
  }

  @Test
  void theDocumentPassesTheRecommendedRules() throws IOException, InterruptedException {
    try (var line = RestLine.start(OpenApiLintTest.class)) {
      Files.writeString(
          FOLDER.resolve("habitline.yml"),
          line.sendAs("", "GET", ApiDocument.ADDRESS, "").response().body());
    }
    var exit =
        run(
            "lint",
            "node",
            Path.of("node_modules", "@redocly", "cli", "bin", "cli.js").toString(),
            "lint",
            "--extends=recommended",
            "--format=json",
            "--max-problems=1000",
            "habitline.yml");
    var report = new JsonMapper().readTree(FOLDER.resolve("lint.txt").toFile());
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
