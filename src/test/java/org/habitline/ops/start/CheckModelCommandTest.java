package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.habitline.Habitline;
import org.habitline.llm.check.CompliantModel;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StandIn;
import org.habitline.llm.openai.StrictFakeServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command as somebody types it. */
final class CheckModelCommandTest {

  private static final String KEY = "sk-a-key-that-nobody-may-read";

  @TempDir Path home;

  private final StrictFakeServer fake = CompliantModel.on(StrictFakeServer.start());
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @AfterEach
  void stop() {
    fake.close();
    assertThat(out() + err()).doesNotContain(KEY);
  }

  private int run(Map<String, Object> settings, String... arguments) {
    try (var context = ApplicationContext.builder().properties(settings).build()) {
      context.getEnvironment().start();
      return CheckModelCommand.run(
          List.of(arguments),
          context.getEnvironment(),
          new PrintStream(out, true, StandardCharsets.UTF_8),
          new PrintStream(err, true, StandardCharsets.UTF_8));
    }
  }

  private int run(String... arguments) {
    var settings = new HashMap<String, Object>();
    settings.put("openai.base-url", fake.baseUrl());
    settings.put("openai.api-key", KEY);
    settings.put("openai.model", "model-a");
    return run(settings, arguments);
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aModelThatDoesEverythingEndsWithZero() {
    fake.as(StandIn.NO_TEMPERATURE);
    assertThat(run()).isZero();
    assertThat(out())
        .startsWith("Check of the model model-a at 127.0.0.1:")
        .contains("   1  reply in the language asked       works, adapted  Replies")
        .contains("  10  cancelling a reply                works           A reply")
        .contains("Adapted:\n  - no-temperature: Habitline leaves temperature out\n")
        .endsWith("Do not rely on:\n  - temperature in the flow; the server uses its own\n");
    assertThat(out().lines()).allMatch(line -> line.length() <= 100);
    assertThat(err()).isEmpty();
  }

  @Test
  void aModelThatDoesNotDoEverythingEndsWithOneAndAWholeReport() {
    fake.as(StandIn.NO_USAGE);
    assertThat(run()).isEqualTo(1);
    assertThat(out())
        .contains("   9  token counts                      does not work   ")
        .contains("  10  cancelling a reply ")
        .endsWith("  - token counts, and costs that are computed from them\n");
    assertThat(err()).isEmpty();
  }

  @Test
  void theReportIsPrintedAsJson() throws IOException {
    fake.as(StandIn.NO_USAGE);
    assertThat(run("--json")).isEqualTo(1);
    var report = new JsonMapper().readTree(out());
    assertThat(report.path("model").asText()).isEqualTo("model-a");
    assertThat(report.path("exchanges")).hasSize(10);
    assertThat(report.at("/exchanges/0/name").asText()).isEqualTo("reply");
    assertThat(report.at("/exchanges/0/verdict").asText()).isEqualTo("works");
    assertThat(report.at("/exchanges/8/verdict").asText()).isEqualTo("does_not_work");
    assertThat(report.path("adapted")).hasSize(1);
    assertThat(report.path("do_not_rely_on")).hasSize(1);
    assertThat(report.properties()).hasSize(5);
  }

  @Test
  void aRefusedKeyEndsWithOneAndASentence() {
    fake.otherwise(asked -> Scripted.status(401));
    assertThat(run()).isEqualTo(1);
    assertThat(err())
        .isEqualToIgnoringNewLines(
            "The model was not checked. The model's server answered with HTTP status 401: the key"
                + " is not accepted. Set OPENAI_API_KEY to a valid key of the account.");
    assertThat(out()).isEmpty();
  }

  @Test
  void withoutAModelNothingIsAsked() {
    assertThat(run(Map.of("openai.api-key", "", "openai.base-url", " "))).isEqualTo(2);
    assertThat(err())
        .startsWith("No model is configured")
        .contains("OPENAI_API_KEY", "OPENAI_BASE_URL")
        .hasLineCount(1);
    assertThat(out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--jsn", "now", "--openai.base-url=http://127.0.0.1:1"})
  void anythingElseIsRefused(String argument) {
    assertThat(run(argument)).isEqualTo(2);
    assertThat(err()).contains("--json", "check-model --help").hasLineCount(1);
    assertThat(fake.asked()).isEmpty();
  }

  @Test
  void helpSaysWhatTheExitCodesMean() {
    assertThat(run("--help")).isZero();
    assertThat(out()).contains("--json", "OPENAI_MODEL", "exit code");
    assertThat(fake.asked()).isEmpty();
  }

  @Test
  void theProgramRunsItAndStartsNothingElse() throws Exception {
    var java = ProcessHandle.current().info().command().orElseThrow();
    var process =
        new ProcessBuilder(
            java,
            "-cp",
            System.getProperty("java.class.path"),
            Habitline.class.getName(),
            CheckModelCommand.NAME);
    process.environment().keySet().removeIf(name -> name.matches("(OPENAI|MODEL|HABITLINE)_.*"));
    process.environment().put("HABITLINE_HOME", home.toString());
    process.environment().put("OPENAI_BASE_URL", fake.baseUrl());
    process.environment().put("OPENAI_MODEL", "model-a");
    var errors = home.resolve("errors.txt");
    var started = process.redirectError(errors.toFile()).start();
    var printed = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(started.waitFor()).as(printed).isZero();
    assertThat(printed).startsWith("Check of the model model-a").endsWith("rely on: nothing\n");
    assertThat(home.toFile().list()).containsExactly("errors.txt");
  }
}
