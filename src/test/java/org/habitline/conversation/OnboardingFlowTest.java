package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.RecordReader;
import org.habitline.conversation.stored.StateReader;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.ops.database.ErasedSpace;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.tools.ExportFiles;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The packaged onboarding flow of seed 002, with nothing configured, against a model's server. */
final class OnboardingFlowTest {

  private static final String SUMMARY =
      "- Ada Example (EMP-123) was onboarded.\n- Starter kit: keyboard.";

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = RunningLine.in(OnboardingFlowTest.class).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void theModelWasAskedByTheRules() {
    assertThat(line.fake().violations()).isEmpty();
    line.fake().forget();
  }

  private static Participant joined() {
    var participant = line.enrolInto("onboarding");
    line.awaitTurn(participant, 1);
    line.fake().forget();
    return participant;
  }

  private static Scripted write(String field, String value) {
    return call("write_data", "{\"field_name\":\"%s\",\"value\":%s}".formatted(field, value));
  }

  private static Scripted export() {
    return call("export_data", "{\"confirmation_message\":\"Yes, finalize the onboarding\"}");
  }

  private static Scripted call(String tool, String arguments) {
    return Scripted.calls(new Call("call_1", tool, arguments));
  }

  /** Someone who has said all that is required. */
  private static Participant complete() {
    var ada = joined();
    line.fake()
        .then(
            write("employee_name", "\"Ada Example\""),
            write("employee_id", "\"EMP-123\""),
            write("starter_kit", "\"Keyboard\""),
            Scripted.say("Noted. Is that right?"));
    line.answered(ada, "My name is Ada Example, ID is EMP-123, I want a keyboard");
    return ada;
  }

  private static Participant exported() {
    var ada = complete();
    line.fake().then(export(), Scripted.say(SUMMARY), Scripted.say("All done."));
    line.answered(ada, "Yes, finalize the onboarding");
    isPublished(ada);
    line.fake().forget();
    return ada;
  }

  /** The file gets its name after the commit that the reply waits for, so it may take a moment. */
  private static void isPublished(Participant participant) {
    await()
        .untilAsserted(() -> {
          assertThat(file(participant)).hasContent(stored(participant));
          assertThat(prepared(participant)).doesNotExist();
        });
  }

  /** The results that the model was told in the participant's last turn, in order. */
  private static List<JsonNode> told(Participant participant) {
    return line.iterations(participant, line.turns(participant)).iterations().stream()
        .flatMap(iteration -> iteration.toolCalls().stream())
        .map(call -> TurnJson.tree(Objects.requireNonNull(call.result()).toString()))
        .toList();
  }

  private static String profile(Participant participant) {
    return String.valueOf(line.bean(StateReader.class).state(participant, true).get("userProfile"));
  }

  private static Path file(Participant participant) {
    return line.home().resolve("exports").resolve(participant.id() + ".json");
  }

  /** The file that a turn has prepared, or where one would be. */
  private static Path prepared(Participant participant) {
    var exports = line.home().resolve("exports");
    var none = exports.resolve(participant.id() + "." + "0".repeat(64) + ".tmp");
    if (!Files.isDirectory(exports)) {
      return none;
    }
    try (var files = Files.newDirectoryStream(exports, participant.id() + ".*.tmp")) {
      for (var file : files) {
        return file;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return none;
  }

  private static String stored(Participant participant) {
    return line.bean(RecordReader.class).export(participant.id()).orElse("");
  }

  private static void nothingIsExported(Participant participant) {
    assertThat(stored(participant)).isEmpty();
    assertThat(file(participant)).doesNotExist();
    assertThat(prepared(participant)).doesNotExist();
  }

  @Test
  void whatOneTextSaysIsSavedInThreeCallsInARow() {
    var ada = complete();
    assertThat(told(ada))
        .extracting(JsonNode::toString)
        .containsExactly(
            "{\"status\":\"success\",\"field_name\":\"employee_name\",\"value\":\"Ada Example\"}",
            "{\"status\":\"success\",\"field_name\":\"employee_id\",\"value\":\"EMP-123\"}",
            "{\"status\":\"success\",\"field_name\":\"starter_kit\",\"value\":\"keyboard\"}");
    assertThat(profile(ada))
        .startsWith(
            "{\"employee_name\":\"Ada Example\",\"employee_id\":\"EMP-123\",\"starter_kit\":\"keyboard\"");
    var first = line.fake().asked().getFirst();
    assertThat(first.texts("system").getFirst()).contains("onboarding assistant");
    assertThat(first.body().path("parallel_tool_calls").booleanValue()).isFalse();
    assertThat(first.body().path("tools"))
        .extracting(tool -> tool.at("/function/name").asText())
        .containsExactly(
            "write_data", "read_data", "rag_search", "export_data", "opt_out", "flag_for_staff");
  }

  @Test
  void aLaptopIsNoStarterKitAndNothingChanges() {
    var ada = joined();
    line.fake()
        .then(
            write("starter_kit", "\"laptop\""),
            write("shoe_size", "\"44\""),
            Scripted.say("You can have a mouse, a keyboard or a backpack."));
    line.answered(ada, "I want a laptop");
    var told = told(ada);
    assertThat(told.getFirst().path("status").asText()).isEqualTo("error");
    assertThat(told.getFirst().path("message").asText()).isNotBlank();
    assertThat(told.getFirst().path("valid_values").toString())
        .isEqualTo("[\"mouse\",\"keyboard\",\"backpack\"]");
    assertThat(told.get(1).path("valid_values").toString())
        .isEqualTo(
            "[\"employee_name\",\"employee_id\",\"starter_kit\",\"dietary_restrictions\","
                + "\"meeting_scheduled\",\"conversation_summary\"]");
    assertThat(profile(ada)).isEqualTo("null");
  }

  @ParameterizedTest
  @CsvSource({"employee_name,255", "employee_id,50", "dietary_restrictions,500"})
  void aTextIsSavedUpToItsLengthAndNoFurther(String field, int longest) {
    var ada = joined();
    line.fake()
        .then(
            write(field, "\"" + "x".repeat(longest + 1) + "\""),
            write(field, "\" \""),
            write(field, "\"" + "x".repeat(longest) + "\""),
            Scripted.say("Noted."));
    line.answered(ada, "Here you are");
    var told = told(ada);
    assertThat(told.subList(0, 2))
        .allSatisfy(refused -> {
          assertThat(refused.path("status").asText()).isEqualTo("error");
          assertThat(refused.path("field").asText()).isEqualTo(field);
        });
    assertThat(told.getFirst().path("message").asText()).contains(String.valueOf(longest));
    assertThat(told.getLast().path("status").asText()).isEqualTo("success");
    assertThat(TurnJson.tree(profile(ada)).path(field).asText()).hasSize(longest);
  }

  @Test
  void everythingIsReadBackWithNullForWhatIsMissing() {
    var ada = complete();
    line.fake()
        .then(
            write("meeting_scheduled", "\"true\""),
            call("read_data", "{\"field_names\":null}"),
            call("read_data", "{\"field_names\":[\"employee_id\"]}"),
            Scripted.say("Is all of that right?"));
    line.answered(ada, "The meeting has a date");
    assertThat(told(ada).subList(1, 3))
        .extracting(JsonNode::toString)
        .containsExactly(
            "{\"status\":\"success\",\"employee_name\":\"Ada Example\",\"employee_id\":\"EMP-123\","
                + "\"starter_kit\":\"keyboard\",\"dietary_restrictions\":null,\"meeting_scheduled\":true,"
                + "\"conversation_summary\":null}",
            "{\"status\":\"success\",\"employee_id\":\"EMP-123\"}");
  }

  @Test
  void withoutWhatIsRequiredNothingIsExported() {
    var ada = joined();
    line.fake()
        .then(
            write("employee_name", "\"Ada Example\""),
            export(),
            Scripted.say("What is your employee id?"));
    line.answered(ada, "I'm Ada Example, finalize it");
    var refused = told(ada).getLast();
    assertThat(refused.properties())
        .extracting(entry -> entry.getKey())
        .containsExactly("status", "message", "missing_fields", "required_fields");
    assertThat(refused.path("status").asText()).isEqualTo("error");
    assertThat(refused.path("missing_fields").toString())
        .isEqualTo("[\"employee_id\",\"starter_kit\"]");
    assertThat(refused.path("required_fields").toString())
        .isEqualTo("[\"employee_name\",\"employee_id\",\"starter_kit\"]");
    nothingIsExported(ada);
  }

  @Test
  void aCompleteFormIsSummarizedStoredAndWrittenToAFile() {
    var ada = complete();
    line.fake()
        .then(
            export(),
            Scripted.say("Here is the summary:\n" + SUMMARY.replace("- ", "* ")),
            Scripted.say("Your onboarding is complete."));
    line.answered(ada, "Yes, finalize the onboarding");

    assertThat(told(ada).getLast())
        .isEqualTo(
            TurnJson.tree(
                """
                {"status":"success","message":"Onboarding data exported successfully",
                 "file_path":"exports/%s.json",
                 "summary":"- Ada Example (EMP-123) was onboarded.\\n- Starter kit: keyboard."}
                """
                    .formatted(ada.id())));
    isPublished(ada);
    assertThat(TurnJson.tree(stored(ada)).toString())
        .isEqualTo(
            """
            {"conversation_id":"%1$s","user_id":"%1$s","employee_name":"Ada Example",\
            "employee_id":"EMP-123","starter_kit":"keyboard","dietary_restrictions":null,\
            "meeting_scheduled":null,\
            "conversation_summary":"- Ada Example (EMP-123) was onboarded.\\n- Starter kit: keyboard.",\
            "exported_at":"2026-11-21T07:15:00Z"}\
            """
                .formatted(ada.id()));
    assertThat(stored(ada).lines().toList())
        .as("people can read it")
        .hasSize(11)
        .startsWith("{", "  \"conversation_id\" : \"" + ada.id() + "\",")
        .endsWith("}");
    assertThat(profile(ada)).contains("\"conversation_summary\":\"- Ada Example (EMP-123)");

    var summary = line.fake().asked().stream().filter(asked -> !asked.hasTools()).toList();
    assertThat(summary).hasSize(1);
    assertThat(summary.getFirst().texts("system").getFirst())
        .contains("You summarize the onboarding", "\"employee_id\":\"EMP-123\"");
    assertThat(summary.getFirst().lastUserText())
        .contains("Participant: My name is Ada Example, ID is EMP-123, I want a keyboard")
        .endsWith("Participant: Yes, finalize the onboarding");
  }

  @Test
  void exportingAgainReplacesTheExport() {
    var ada = exported();
    var first = stored(ada);
    line.fake()
        .then(
            write("starter_kit", "\"mouse\""),
            export(),
            Scripted.say("- Now a mouse.\n- The rest is as before."),
            Scripted.say("Changed."));
    line.answered(ada, "A mouse instead. Yes, finalize it again");
    assertThat(stored(ada)).isNotEqualTo(first).contains("mouse", "- Now a mouse.");
    isPublished(ada);
    assertThat(line.rows("SELECT * FROM record WHERE participant_id = ?", ada.id())).hasSize(1);
  }

  @Test
  void aSummaryHasTwoOrThreePoints() {
    var ada = complete();
    line.fake()
        .then(
            export(), Scripted.say("- One.\n- Two.\n- Three.\n- Four."), Scripted.say("All done."));
    line.answered(ada, "Yes, finalize the onboarding");
    assertThat(told(ada).getLast().path("summary").asText()).isEqualTo("- One.\n- Two.\n- Three.");

    line.fake()
        .then(
            export(),
            Scripted.say("Ada was onboarded."),
            Scripted.say("- Ada was onboarded.\n- A keyboard."),
            Scripted.say("All done."));
    line.answered(ada, "Once more, please");
    assertThat(told(ada).getLast().path("summary").asText())
        .isEqualTo("- Ada was onboarded.\n- A keyboard.");
  }

  @Test
  void aModelThatInsistsOnOnePointIsAskedOnceMoreOnly() {
    var ada = complete();
    line.fake()
        .then(
            export(),
            Scripted.say("- Ada was onboarded."),
            Scripted.say(" "),
            Scripted.say("All done."));
    line.answered(ada, "Yes, finalize the onboarding");
    assertThat(told(ada).getLast().path("summary").asText()).isEqualTo("- Ada was onboarded.");
    assertThat(line.phone(ada)).last().isEqualTo("All done.");
  }

  @Test
  void withoutASummaryNothingIsExported() {
    for (var failed :
        List.of(Scripted.status(401), Scripted.say("{\"summary\":1}"), Scripted.say(" "))) {
      var ada = complete();
      line.fake().then(export(), failed, Scripted.say("That did not work this time."));
      line.answered(ada, "Yes, finalize the onboarding");
      assertThat(told(ada).getLast().path("status").asText()).isEqualTo("error");
      assertThat(told(ada).getLast().path("message").asText()).contains("nothing was exported");
      nothingIsExported(ada);
      assertThat(profile(ada)).contains("EMP-123").doesNotContain("conversation_summary");
    }
  }

  @Test
  void aTurnThatIsResumedExportsOnceAndPaysForOneSummary() {
    var ada = complete();
    line.fake().forget();
    var latch = new CountDownLatch(1);
    line.fake()
        .then(export(), Scripted.say(SUMMARY), Scripted.say("nobody hears this").heldBy(latch));
    line.text(ada, "Yes, finalize the onboarding");
    await().pollInterval(Duration.ofMillis(5)).until(() -> line.fake().asked().size() == 3);
    assertThat(stored(ada)).as("nothing is stored before the turn commits").isEmpty();
    assertThat(file(ada)).doesNotExist();
    assertThat(prepared(ada)).exists();
    line.write("UPDATE lease SET owner = NULL, held_until = NULL");
    line.fake().then(Scripted.say("Your onboarding is complete."));
    line.bean(ConversationFlow.class).handle(ada.id());
    assertThat(line.awaitTurn(ada, 3)).containsEntry("attempts", 2);
    assertThat(line.fake().asked().stream().filter(asked -> !asked.hasTools())).hasSize(1);
    isPublished(ada);
    assertThat(stored(ada)).contains("EMP-123");
    latch.countDown();
  }

  @Test
  void aTurnThatCrashesTooOftenKeepsTheExportThatWasFinished() {
    var ada = complete();
    line.fake().forget();
    var latch = new CountDownLatch(1);
    line.fake()
        .then(
            Scripted.say("{\"noted\":true}"),
            Scripted.textAndCalls(
                "Great, noting that.",
                new Call(
                    "call_1",
                    "write_data",
                    "{\"field_name\":\"starter_kit\",\"value\":\"mouse\"}")),
            export(),
            Scripted.say(SUMMARY),
            // With this answer, the results before it are on disk.
            call("read_data", "{\"field_names\":null}"));
    for (var attempt = 1; attempt <= Claim.ATTEMPTS_AT_MOST; attempt++) {
      line.fake().then(Scripted.say("nobody hears this").heldBy(latch));
      if (attempt == 1) {
        line.text(ada, "A mouse. Yes, finalize the onboarding");
      } else {
        Thread.startVirtualThread(() -> line.bean(ConversationFlow.class).handle(ada.id()));
      }
      var asked = 5 + attempt;
      await().pollInterval(Duration.ofMillis(5)).until(() -> line.fake().asked().size() == asked);
      line.write("UPDATE lease SET owner = NULL, held_until = NULL");
    }
    line.bean(ConversationFlow.class).handle(ada.id());
    assertThat(line.awaitTurn(ada, 3)).containsEntry("outcome", "crashed");
    assertThat(stored(ada)).contains("mouse", "- Ada Example (EMP-123) was onboarded.");
    isPublished(ada);
    assertThat(line.fake().asked().stream().filter(asked -> !asked.hasTools())).hasSize(1);
    latch.countDown();
  }

  @Test
  void aFileThatWasNotRenamedAfterTheCommitIsFinishedAtTheNextStart() throws IOException {
    var ada = complete();
    // A folder with something in it cannot be replaced by the file.
    Files.createDirectories(file(ada).resolve("in the way"));
    line.fake().then(export(), Scripted.say(SUMMARY), Scripted.say("All done."));
    line.answered(ada, "Yes, finalize the onboarding");
    assertThat(told(ada).getLast().path("status").asText()).isEqualTo("success");
    assertThat(prepared(ada)).hasContent(stored(ada));
    await()
        .untilAsserted(() ->
            assertThat(line.bean(ExportFiles.class).warning())
                .hasValueSatisfying(
                    warning -> assertThat(warning).contains("exports").doesNotContain(ada.id())));

    Files.delete(file(ada).resolve("in the way"));
    Files.delete(file(ada));
    var next = line.second().build();
    next.bean(ExportCopies.class).atStart();
    next.stop();
    isPublished(ada);
    line.bean(ExportCopies.class).finish();
    assertThat(line.bean(ExportFiles.class).warning()).isEmpty();
  }

  @Test
  void whatATurnPreparedAndDidNotCommitIsDiscardedAnHourLater() throws IOException {
    var ada = exported();
    var bob = complete();
    Files.writeString(prepared(ada), "a later export");
    Files.delete(file(ada));
    Files.writeString(prepared(bob), "{\"cut of");
    Files.writeString(line.home().resolve("exports/notes.txt"), "not ours");

    line.bean(ExportCopies.class).finish();
    assertThat(prepared(ada)).as("it may be of a turn that is running").exists();
    assertThat(prepared(bob)).exists();

    var before = FileTime.from(line.system().instant().minus(Duration.ofMinutes(61)));
    Files.setLastModifiedTime(prepared(ada), before);
    Files.setLastModifiedTime(prepared(bob), before);
    line.bean(ExportCopies.class).finish();
    assertThat(prepared(ada)).doesNotExist();
    assertThat(file(ada)).as("the stored export counts").hasContent(stored(ada));
    nothingIsExported(bob);
    assertThat(line.home().resolve("exports/notes.txt")).exists();
  }

  @Test
  void aFolderThatCannotBeWrittenIsAnErrorAndNothingIsLost() throws IOException {
    try (var other = RunningLine.in(OnboardingFlowTest.class).start()) {
      var ada = other.enrolInto("onboarding");
      other.awaitTurn(ada, 1);
      Files.writeString(other.home().resolve("exports"), "a file where the folder should be");
      other
          .fake()
          .then(
              write("employee_name", "\"Ada Example\""),
              write("employee_id", "\"EMP-123\""),
              write("starter_kit", "\"keyboard\""),
              export(),
              Scripted.say(SUMMARY),
              Scripted.say("That did not work this time."));
      other.answered(ada, "Ada Example, EMP-123, a keyboard, finalize it");
      assertThat(other.transcript(ada).getLast())
          .isEqualTo("assistant: That did not work this time.");
      var results =
          other.iterations(ada, 2).iterations().stream()
              .flatMap(iteration -> iteration.toolCalls().stream())
              .map(call -> String.valueOf(call.result()))
              .toList();
      assertThat(results.getLast()).contains("error", "could not be written on the server");
      assertThat(other.bean(RecordReader.class).export(ada.id())).isEmpty();
      assertThat(String.valueOf(other.bean(StateReader.class).state(ada, true).get("userProfile")))
          .contains("EMP-123");
      assertThat(other.bean(ExportFiles.class).warning()).isPresent();

      Files.delete(other.home().resolve("exports"));
      other.fake().then(export(), Scripted.say(SUMMARY), Scripted.say("All done."));
      other.answered(ada, "Please try again");
      assertThat(other.bean(RecordReader.class).export(ada.id())).isPresent();
      assertThat(other.bean(ExportFiles.class).warning()).isEmpty();
    }
  }

  @Test
  void anErasureDeletesTheFilesToo() {
    var ada = exported();
    var bob = exported();
    RunningLine.write(prepared(ada), "left over");
    erase(ada);
    nothingIsExported(ada);
    assertThat(file(bob)).hasContent(stored(bob));

    // On another node, or if the process ended at that moment, the files are found later.
    RunningLine.write(file(ada), "left over");
    RunningLine.write(prepared(ada), "left over");
    line.bean(ExportCopies.class).finish();
    nothingIsExported(ada);
    assertThat(file(bob)).hasContent(stored(bob));
  }

  @Test
  void anErasureIsNotFinishedWhileAFileIsLeft() throws IOException {
    var ada = exported();
    Files.delete(file(ada));
    Files.createDirectories(file(ada).resolve("in the way"));
    erase(ada);
    var space = line.bean(ErasedSpace.class);
    await().until(() -> space.unfinished() == 1);
    assertThat(space.finish()).isFalse();
    assertThat(space.told()).startsWith("the export files of 1 erased participants");
    assertThat(space.unfinished()).isEqualTo(1);

    Files.delete(file(ada).resolve("in the way"));
    await().until(space::finish);
    nothingIsExported(ada);
  }

  private static void erase(Participant participant) {
    var participants = line.bean(Participants.class);
    // A participant who opted out gets no last message, so the erasure does not wait for one.
    participants.optOut(participant.id(), OptOutSource.KEYWORD);
    participants.leave(participant.id(), false);
  }

  @Test
  void questionsAreAnsweredFromThePackagedDocuments() {
    var ada = joined();
    line.fake()
        .then(call("rag_search", "{\"query\":\"days of paid leave\"}"), Scripted.say("28 days."));
    line.answered(ada, "How many days off do I get?");
    assertThat(told(ada).getLast().path("passages"))
        .extracting(passage -> passage.path("source").asText())
        .contains("benefits.md, Benefits > Holidays and leave");
  }

  @Test
  void onlyTheUserOfTheServiceCanReadTheFile() {
    var ada = exported();
    assertThat(permissions(file(ada))).isEqualTo("rw-------");
  }

  private static String permissions(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
