package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.habitline.Habitline;
import org.habitline.RunningLine;
import org.habitline.flows.NewFlow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command as somebody types it. */
final class CheckFlowCommandTest {

  @TempDir Path home;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Path flow;

  @BeforeEach
  void writeAFlow() {
    NewFlow.write(home, "walking");
    flow = home.resolve("config/flows/walking");
  }

  private int run(Path home, String... arguments) {
    return CheckFlowCommand.run(
        List.of(arguments),
        home,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private int run(String... arguments) {
    return run(home, arguments);
  }

  private List<String> out() {
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private void edit(String right, String wrong) throws IOException {
    var file = flow.resolve("flow.yaml");
    assertThat(file).content().contains(right);
    Files.writeString(file, Files.readString(file).replace(right, wrong));
  }

  @Test
  void theFlowsThatComeWithHabitlineHaveNoMistakes() {
    assertThat(run(Path.of("").toAbsolutePath())).isZero();
    assertThat(out())
        .singleElement()
        .asString()
        .startsWith("No mistakes in the flow")
        .contains("habit");
    assertThat(err()).isEmpty();
  }

  @Test
  void everyMistakeInTheFlowAndItsPromptsIsPrinted() throws IOException {
    edit("id: walking", "id: running");
    edit("initial_state: WELCOME", "initial_state: HELLO");
    edit("max_length: 300          #", "max_length: long #");
    edit("rag_search: {passages: 3}", "rag_search: {pasages: 3}");
    edit("      - save_user_profile\n      # The", "      - save_profile\n      # The");
    Files.delete(flow.resolve("prompts/coaching.txt"));
    Files.writeString(
        flow.resolve("prompts/welcome.txt"),
        "At {{daily_prompt.at}}\nor {{day}} in {{resources}}.");

    assertThat(run("walking")).isEqualTo(1);

    var file = "config/flows/walking/flow.yaml: ";
    var prompt = "config/flows/walking/prompts/welcome.txt: unknown placeholder ";
    var filled =
        "expected one that the flow 'walking' fills in: {{profile.experience.values}}, {{resources}}";
    assertThat(out())
        .satisfiesExactlyInAnyOrder(
            line ->
                assertThat(line)
                    .isEqualTo(
                        file
                            + "id: 'running' is not the name of its folder; expected 'walking'"
                            + " (line 11)"),
            line -> assertThat(line).startsWith(file + "initial_state: ").endsWith("(line 14)"),
            line ->
                assertThat(line)
                    .startsWith(file + "modules.WELCOME.tools[0]: unknown tool 'save_profile'")
                    .endsWith("(line 22)"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        file
                            + "modules.COACHING.tools[2].pasages: unknown key; expected one of"
                            + " passages (line 37)"),
            line ->
                assertThat(line)
                    .startsWith(file + "profile.main_goal.max_length: expected a whole number"),
            line ->
                assertThat(line)
                    .startsWith("config/flows/walking/prompts/coaching.txt: the file is missing; "),
            line ->
                assertThat(line).isEqualTo(prompt + "{{daily_prompt.at}}; " + filled + " (line 1)"),
            line -> assertThat(line).isEqualTo(prompt + "{{day}}; " + filled + " (line 2)"),
            line -> assertThat(line).isEqualTo("8 mistakes."));
    assertThat(err()).isEmpty();
  }

  @Test
  void withoutANameTheMistakesOfAllFlowsArePrinted() throws IOException {
    NewFlow.write(home, "sleep");
    edit("type: choice", "type: colour");
    Files.writeString(home.resolve("config/flows/sleep/flow.yaml"), "id: [sleep");
    Files.writeString(home.resolve("config/flows/other.yml"), "id: other");

    assertThat(run()).isEqualTo(1);

    assertThat(out())
        .anyMatch(line -> line.startsWith("config/flows/sleep/flow.yaml: expected YAML: "))
        .anyMatch(line -> line.contains("walking/flow.yaml: profile.experience.type: unknown type"))
        .contains(
            "config/flows/other.yml: expected a folder for each flow; move this file to"
                + " config/flows/other/flow.yaml");
  }

  @Test
  void withoutANameThePackagedFlowsAreCheckedToo() {
    assertThat(run()).isZero();
    assertThat(out())
        .containsExactly(
            "No mistakes in the flows walking, fitness, habit-cue, habit, onboarding, tasks.");
  }

  @Test
  void aFlowIsCheckedAlone() throws IOException {
    NewFlow.write(home, "sleep");
    edit("type: choice", "type: colour");
    assertThat(run("sleep")).isZero();
    assertThat(out()).containsExactly("No mistakes in the flow sleep.");
  }

  @Test
  void aFolderAnywhereIsCheckedWithItsOwnName(@TempDir Path elsewhere) throws IOException {
    var folder = Files.move(flow, elsewhere.resolve("walking"));
    RunningLine.write(home.resolve("prompts/welcome.txt"), "A prompt that flows share.");
    assertThat(run(folder.toString())).isZero();
    Files.delete(folder.resolve("prompts/welcome.txt"));
    assertThat(run(folder.toString())).isZero();
    Files.delete(folder.resolve("prompts/coaching.txt"));
    assertThat(run(folder.toString())).isEqualTo(1);
    assertThat(out())
        .containsExactly(
            "No mistakes in the flow walking.",
            "No mistakes in the flow walking.",
            folder
                + "/prompts/coaching.txt: the file is missing; expected it because the flow"
                + " 'walking' has no built-in text",
            "1 mistake.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"running", "/nowhere", "config", ".", "\0"})
  void aFlowThatIsNotThereIsRefusedWithASentence(String name) {
    assertThat(run(name)).isEqualTo(2);
    assertThat(err()).startsWith("There is no flow '" + name + "'; expected a folder");
    assertThat(out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--json", "walking sleep", "--habitline.flow=walking"})
  void anythingElseIsRefused(String arguments) {
    assertThat(run(arguments.split(" "))).isEqualTo(2);
    assertThat(err())
        .isEqualToIgnoringNewLines(
            "Expected at most one argument, the name of a flow or a folder; see check-flow --help.");
  }

  @Test
  void helpSaysWhatTheExitCodesMean() {
    assertThat(run("--help")).isZero();
    assertThat(out()).anyMatch(line -> line.contains("NAME|FOLDER"));
  }

  @Test
  void theProgramRunsItAndWritesNothing() throws Exception {
    var before = files();
    var java = ProcessHandle.current().info().command().orElseThrow();
    var process =
        new ProcessBuilder(
            java,
            "-cp",
            System.getProperty("java.class.path"),
            Habitline.class.getName(),
            "check-flow");
    process.environment().keySet().removeIf(name -> name.matches("(DATABASE|HABITLINE)_.*"));
    process.environment().put("HABITLINE_HOME", home.toString());
    process.environment().put("HABITLINE_FLOW", "walking");
    // The check would fail if it asked for this database.
    process.environment().put("DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/none");
    process.environment().put("DATABASE_USER", "nobody");
    var started = process.redirectErrorStream(true).start();
    var printed = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(started.waitFor()).as(printed).isZero();
    assertThat(printed)
        .endsWith(
            "No mistakes in the flows walking, fitness, habit-cue, habit, onboarding, tasks.\n");
    assertThat(files()).isEqualTo(before);
  }

  private List<Path> files() throws IOException {
    try (var files = Files.walk(home)) {
      return files.sorted().toList();
    }
  }
}
