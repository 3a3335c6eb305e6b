package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.habitline.RestLine;
import org.habitline.RunningLine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command as somebody types it, and the flow that it writes. */
final class NewFlowCommandTest {

  @TempDir Path home;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(Path home, String... arguments) {
    return NewFlowCommand.run(
        List.of(arguments),
        home,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private int run(String... arguments) {
    return run(home, arguments);
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private List<String> flows() throws IOException {
    try (var flows = Files.list(home.resolve("config/flows"))) {
      return flows.map(flow -> flow.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void theFlowIsWrittenWithoutMistakesAndTheNextStepsArePrinted() throws IOException {
    assertThat(run("walking")).isZero();
    assertThat(out())
        .startsWith("Wrote " + home.resolve("config/flows/walking") + ".")
        .contains("java -jar habitline.jar check-flow walking\n")
        .contains("java -jar habitline.jar --habitline.flow=walking\n")
        .contains("http://127.0.0.1:8080", "Reply as participant")
        .contains("Participants who are enrolled already stay in their flows.");
    assertThat(flows()).containsExactly("walking");
    assertThat(
            CheckFlowCommand.run(
                List.of("walking"),
                home,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8)))
        .as(out() + err())
        .isZero();
    assertThat(run("sleep")).isZero();
    assertThat(err()).isEmpty();
  }

  @Test
  void theFlowStartsAndIsPlayedOverHttpAtOnce() {
    run("walking");
    var settings = Map.of("habitline.home", home.toString(), "habitline.flow", "walking");
    try (var line = RestLine.start(NewFlowCommandTest.class, settings)) {
      var talk = new Talk(line, line.enrolled().path("id").asText());
      assertThat(talk.coach(1))
          .contains("This is a rehearsal")
          .endsWith("Please tell me: What you want to change, in your own words.");
      assertThat(talk.reply("sit less")).contains("One of: none, some, much.");
      assertThat(talk.reply("some")).startsWith("Noted. That is all for this part.");
      assertThat(talk.reply("ok")).contains("The first small step that you will take.");
      assertThat(talk.reply("a walk after lunch")).contains("On how many days of the week");
      assertThat(talk.reply("9")).contains("1 to 7");
      assertThat(talk.reply("5")).startsWith("Noted. That is all I need.");

      var profile = line.get(RestLine.PARTICIPANTS + "/" + talk.id() + "/state").result();
      assertThat(profile.toString())
          .contains("\"main_goal\":\"sit less\"", "\"experience\":\"some\"")
          .contains("\"first_step\":\"a walk after lunch\"", "\"days_per_week\":5");
      assertThat(line.sendAs("", "GET", "/health", "").body().toString())
          .doesNotContain("walking", "missing");
    }
  }

  @Test
  void whoIsEnrolledStaysInTheirPackagedFlow() {
    try (var line =
        RestLine.start(NewFlowCommandTest.class, Map.of("habitline.home", home.toString()))) {
      var said = RestLine.someone();
      said.put("flow", "fitness");
      var talk = new Talk(line, line.enrol(said).result().path("id").asText());
      assertThat(talk.coach(1)).contains("How fit you feel now.");

      run("walking");
      line.restart();

      assertThat(talk.reply("beginner")).startsWith("Noted. Please tell me: What you have to");
      said = RestLine.someone();
      said.put("flow", "walking");
      assertThat(line.enrol(said).result().path("flow").asText()).isEqualTo("walking");
      assertThat(line.enrolled().path("flow").asText()).isEqualTo("habit");
      assertThat(line.sendAs("", "GET", "/health", "").body().toString())
          .doesNotContain("missing", "packaged");
    }
  }

  /** A conversation over HTTP. */
  private record Talk(RestLine line, String id) {

    /** Sends a text and returns the coach's reply. */
    String reply(String text) {
      var messages = messages().size();
      line.send("POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", text)));
      return coach(messages + 2);
    }

    /** Waits for this message of the conversation and returns its words. */
    String coach(int number) {
      await().until(() -> messages().size() >= number);
      return messages().path(number - 1).path("content").asText();
    }

    private JsonNode messages() {
      return line.get(RestLine.PARTICIPANTS + "/" + id + "/history").result();
    }
  }

  @Test
  void aFlowThatExistsIsNeverChanged() throws IOException {
    RunningLine.write(home.resolve("config/flows/walking/notes.txt"), "mine");
    Files.createSymbolicLink(home.resolve("config/flows/lost"), home.resolve("nowhere"));
    for (var name : List.of("walking", "lost")) {
      assertThat(run(name)).isEqualTo(1);
    }
    assertThat(err())
        .isEqualToIgnoringNewLines(
            "No flow was written. config/flows/walking already exists; expected another name."
                + "No flow was written. config/flows/lost already exists; expected another name.");
    assertThat(flows()).containsExactly("lost", "walking");
    assertThat(home.resolve("config/flows/walking")).isDirectoryContaining("glob:**notes.txt");
    assertThat(out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Walking",
        "my flow",
        "../walking",
        "a/b",
        "1st",
        "",
        "-x",
        "habit",
        ".hidden",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void aBadNameIsRefusedWithASentence(String name) {
    assertThat(run(name)).isEqualTo(2);
    assertThat(err()).contains("xpected").hasLineCount(1);
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void wrongArgumentsAreRefused() {
    assertThat(run()).isEqualTo(2);
    assertThat(run("walking", "sleep")).isEqualTo(2);
    assertThat(run("--force")).isEqualTo(2);
    assertThat(err())
        .isEqualToIgnoringNewLines(
            "Expected one argument, the name of the new flow; see new-flow --help.".repeat(3));
    assertThat(run("--help")).isZero();
    assertThat(out()).contains("NAME");
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void aFolderThatCannotBeWrittenLeavesNothingBehind() throws IOException {
    Files.writeString(home.resolve("config"), "no folder");
    assertThat(run("walking")).isEqualTo(1);
    assertThat(err())
        .isEqualToIgnoringNewLines(
            "No flow was written. config/flows/walking cannot be written; expected a home folder"
                + " that this user may write to.");
    assertThat(home).isDirectoryContaining("glob:**config");
    assertThat(out()).isEmpty();
  }
}
