package org.habitline.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TimeZone;
import org.habitline.RunningLine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command as somebody types it. */
@ExtendWith(LoudAgain.class)
@Order(1)
@ResourceLock(Resources.SYSTEM_ERR) // A rehearsal sets the log of the process up anew.
final class RehearseCommandTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeAll
  static void asTheProgramDoes() {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
  }

  private int run(String... arguments) {
    return run(Path.of("").toAbsolutePath(), arguments);
  }

  private int run(Path home, String... arguments) {
    return RehearseCommand.run(
        List.of(arguments),
        home,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--days x | Invalid value for option '--days': expected a whole number from 1 to 366",
        "--participants 0 | Invalid value for option '--participants': expected a whole number from 1 to 1000",
        "--participants 1001 | Invalid value for option '--participants': expected a whole number from 1 to 1000",
        "--from 2026-02-30 | Invalid value for option '--from': expected a date such as 2026-03-01",
        "--timezone +02:00 | Invalid value for option '--timezone': expected an IANA time zone such as Europe/Berlin",
        "--moves-to Berlin | Invalid value for option '--moves-to': expected an IANA time zone such as Europe/Berlin",
        "--allowed-hours 9-8 | Invalid value for option '--allowed-hours': expected local hours such as 08:00-21:00 that end after they start",
        "--prompts 02:00-02:30 | Invalid value for option '--prompts': expected at least an hour",
        "--seed one | Invalid value for option '--seed': expected a whole number",
        "--dayz 3 | Unknown options: '--dayz', '3'",
        "now | Unmatched argument at index 0: 'now'",
        "--days | Missing required parameter for option '--days' (<n>)",
      })
  void aWrongArgumentGivesOneSentence(String arguments, String sentence) {
    assertThat(run(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines(sentence + "; rehearse --help lists the options.");
    assertThat(out()).isEmpty();
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(run("--help")).isZero();
    assertThat(out())
        .contains("--flow", "--participants", "--days", "--from", "--timezone", "--allowed-hours")
        .contains("--prompts", "--moves-to", "--seed", "--with-model", "--json", "--keep");
  }

  @Test
  void aRehearsalThatWentWellPrintsAReportAndWritesItAsJson(@TempDir Path folder)
      throws IOException {
    var json = folder.resolve("report.json");
    var code = run("--participants", "3", "--days", "3", "--json", json.toString());
    assertThat(out())
        .startsWith(
            "Rehearsal of the flow habit: 3 participants, 3 days from 2026-03-01, America/New_York, seed 1")
        .contains("No anomalies.");
    assertThat(code).isZero();
    assertThat(Files.readString(json))
        .contains("\"participants\" : 3", "\"texts_out\" : ", "\"anomalies\" : [ ]");
  }

  @Test
  void everyPackagedFlowEndsWithAReport() {
    assertThat(run("--flow", "fitness", "--participants", "2")).as(out()).isZero();
    assertThat(out())
        .startsWith("Rehearsal of the flow fitness: 2 participants")
        .contains("No anomalies.")
        .containsPattern("GOAL_SETTING → WORKOUT_PLANNING +2\\n")
        .containsPattern("start_date +2\\n")
        .containsPattern("save_user_profile, success +\\d+\\n")
        .doesNotContain("prompts planned");
    out.reset();

    assertThat(run("--flow", "habit-cue", "--participants", "3", "--days", "4")).as(out()).isZero();
    assertThat(out())
        .startsWith("Rehearsal of the flow habit-cue: 3 participants")
        .contains("No anomalies.");
    out.reset();

    assertThat(run("--flow", "tasks", "--participants", "2")).as(out()).isZero();
    assertThat(out())
        .contains("No anomalies.")
        .containsPattern("add_task, success +6\\n")
        .containsPattern("complete_task, success +2\\n")
        .containsPattern("delete_task, success +6\\n");
    out.reset();

    assertThat(run("--flow", "onboarding", "--participants", "2")).as(out()).isZero();
    assertThat(out())
        .contains("No anomalies.")
        .containsPattern("starter_kit +2\\n")
        .containsPattern("conversation_summary +2\\n")
        .containsPattern("write_data, success +6\\n")
        .containsPattern("export_data, success +2\\n");
  }

  @Test
  void aFlowThatIsNotThereGivesOneSentence() {
    assertThat(run("--flow", "fitnes", "--participants", "1")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith(
            "Nothing was rehearsed. There is no flow 'fitnes'; expected one of fitness, habit,");
    assertThat(out()).isEmpty();
  }

  @Test
  void aRequiredFieldThatIsNeverAskedForIsAnAnomaly(@TempDir Path home) throws IOException {
    RunningLine.write(
        home.resolve("config/flows/habit/flow.yaml"),
        """
        id: habit
        initial_state: TALK
        modules:
          TALK: {prompt: talk.txt, tools: [save_user_profile]}
          LATER: {prompt: talk.txt, tools: [save_user_profile]}
        profile:
          colour: {required: true, module: TALK, description: "A colour, any colour"}
          number: {type: number, required: true, module: LATER, description: A number.}
        texts:
          greeting_fallback: Hello.
          error_fallback: Sorry.
          help: Help.
          deletion_notice: Goodbye.
          opt_out_confirmation: Understood.
          resources: Call someone.
        """);
    RunningLine.write(home.resolve("config/flows/habit/prompts/talk.txt"), "You talk with people.");
    assertThat(run(home, "--participants", "1", "--days", "1")).isEqualTo(1);
    assertThat(out())
        .contains("Anomalies: 1", "+12125550001: the field number was never saved.")
        .containsPattern("colour +1\\n");
  }

  @Test
  void anAnomalyIsToldAndTheExitCodeIsOne() {
    var code =
        run(
            "--participants",
            "2",
            "--days",
            "2",
            "--allowed-hours",
            "08:00-11:00",
            "--prompts",
            "15:00-17:00");
    assertThat(out())
        .contains(
            "+12125550001, 2026-03-0", "a prompt was sent outside the allowed hours 08:00-11:00");
    assertThat(code).isEqualTo(1);
  }
}
