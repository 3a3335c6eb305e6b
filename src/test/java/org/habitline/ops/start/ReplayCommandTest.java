package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.Replays;
import org.habitline.conversation.stored.StoredRequests.Match;
import org.habitline.llm.openai.Scripted;
import org.habitline.rehearsal.RehearseCommand;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command as somebody types it, on a study that was rehearsed. */
final class ReplayCommandTest {

  private static final Pattern COUNTS =
      Pattern.compile(
          "(\\d+) turns replayed\\. Requests to the model: (\\d+) equal, (\\d+) not equal, (\\d+) partly deleted\\.\\s+");

  private final TypedCommand command = new TypedCommand(ReplayCommand::run);

  private int count(int place) {
    var counts = COUNTS.matcher(command.printed());
    assertThat(counts.matches()).as(command.printed()).isTrue();
    return Integer.parseInt(counts.group(place));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | exactly one of --turn, --participant, and dates",
        "--turn=p/1 --participant=p | exactly one of --turn, --participant, and dates",
        "--turn=seven | participant's id, a slash and the number",
        "--from=2026-02-30 | --from: expected a date such as 2026-03-01, found 2026-02-30",
        "--to=tomorrow | --to: expected a date such as 2026-03-01, found tomorrow",
        "--turns=p/1 | Expected --turn ID, --participant ID, or --from DATE and --to DATE",
      })
  void aWrongArgumentGivesOneSentence(String arguments, String sentence) {
    var given = arguments.isEmpty() ? new String[0] : arguments.split(" ");
    assertThat(command.run(Path.of("").toAbsolutePath(), given)).isEqualTo(2);
    assertThat(command.told()).contains(sentence);
    assertThat(command.printed()).isEmpty();
  }

  @Test
  void everyRequestIsRebuiltAcrossARestartAndAChangedPrompt() throws IOException {
    Path home;
    String robin;
    try (var line = RunningLine.onFile(ReplayCommandTest.class).start()) {
      home = line.home();
      var sam = line.greeted();
      robin = sam.id();
      line.fake()
          .then(
              Scripted.call(
                  "save_user_profile",
                  "{\"prompt_anchor\":\"after coffee\",\"preferred_time\":\"9:30\"}"),
              Scripted.call("generate_habit_prompt", "{\"delivery_mode\":\"try_now\"}"),
              Scripted.say("After coffee, try ten steps — it helps you get a small win."),
              Scripted.say("Here it is: ten steps. Try it now?"));
      line.answered(sam, "after coffee, at 9:30");
      var file = home.resolve("prompts").resolve("intake_bot_system.txt");
      Files.createDirectories(file.getParent());
      Files.writeString(file, "Be brief.\n");
      line.fake().then(Scripted.say("Sure."));
      line.answered(sam, "is that all?");
      var findings = line.bean(Replays.class).participant(robin).orElseThrow();
      assertThat(findings.calls(Match.EQUAL)).isGreaterThanOrEqualTo(5);
      assertThat(findings.turns()).isGreaterThanOrEqualTo(3);
    }
    assertThat(command.run(home, "--participant", robin)).as(command.told()).isZero();
    assertThat(count(2)).isGreaterThanOrEqualTo(5);
    assertThat(count(3) + count(4)).isZero();
    assertThat(command.run(home, "--turn", robin + "/2")).isZero();
    assertThat(count(1)).isEqualTo(1);
    assertThat(count(2)).isGreaterThanOrEqualTo(3);
    assertThat(command.run(home, "--turn", robin + "/99")).isEqualTo(2);
    assertThat(command.told()).startsWith("There is no turn 99 of participant " + robin);
    assertThat(command.run(home, "--participant", "nobody")).isEqualTo(2);
    assertThat(command.told()).contains("There is no participant nobody. If it was erased");
  }

  private Path afterTwoTexts(String... sql) {
    try (var line = RunningLine.onFile(ReplayCommandTest.class).start()) {
      var robin = line.greeted();
      line.answered(robin, "one");
      line.answered(robin, "two");
      Stream.of(sql).forEach(line::write);
      return line.home();
    }
  }

  @Test
  void aRecordThatWasChangedIsFound() {
    var home =
        afterTwoTexts(
            "UPDATE message SET content = 'forged' WHERE turn = 1 AND role = 'assistant'");
    assertThat(command.run(home, "--from", "2000-01-01", "--to", "2100-01-01")).isEqualTo(1);
    assertThat(count(2)).as("the greeting, which was shown nothing").isEqualTo(1);
    assertThat(count(3)).isEqualTo(2);
    assertThat(command.told())
        .matches(
            "The first difference is in turn [^ ]+/2, model call 1: SHA-256 [0-9a-f]{64} was sent, [0-9a-f]{64} was rebuilt\\.\\s+");
    assertThat(command.run(home, "--from", "2100-01-01")).isZero();
    assertThat(count(1)).isZero();
  }

  @Test
  void whatIsPartlyDeletedIsCounted() {
    var home = afterTwoTexts("DELETE FROM message WHERE turn = 1");
    assertThat(command.run(home, "--to", "2100-01-01")).isZero();
    assertThat(count(2)).as("the greeting, which was shown nothing").isEqualTo(1);
    assertThat(count(3)).isZero();
    assertThat(count(4)).isEqualTo(2);
  }

  @Test
  @Tag("endurance")
  void aWholeRehearsedStudyIsRebuiltAfterItsPromptsChanged() throws IOException {
    var said = new ByteArrayOutputStream();
    RehearseCommand.run(
        List.of("--participants", "50", "--days", "28", "--keep"),
        Path.of("").toAbsolutePath(),
        new PrintStream(said, true, StandardCharsets.UTF_8),
        System.err);
    var home =
        Path.of(
            said.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("Kept in "))
                .findFirst()
                .orElseThrow()
                .substring("Kept in ".length()));
    try (var prompts = Files.walk(home.resolve("prompts"))) {
      for (var prompt : prompts.filter(Files::isRegularFile).toList()) {
        Files.writeString(prompt, "Something else.\n");
      }
    }
    assertThat(command.run(home, "--from", "2020-01-01")).as(command.told()).isZero();
    System.out.print("A rehearsal of 50 participants over 28 days: " + command.printed());
    assertThat(count(1)).isGreaterThan(50 * 28 * 2);
    assertThat(count(2)).isGreaterThan(50 * 28);
    assertThat(count(3) + count(4)).isZero();
  }
}
