package org.habitline.flows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The prompt files speak only of what there is, and promise only what the line can do. */
class HabitPromptsTest {

  private static final Path PROMPTS = Path.of("prompts");
  private static final Flow FLOW =
      new FlowCatalog(
              Path.of("").toAbsolutePath(), "habit", FlowHome.ANY, Optional.empty(), text -> false)
          .defaultFlow();
  private static final Pattern NAMED = Pattern.compile("`([^`]*)`");

  /** Named in the prompts of both modules, whatever the flow lists. */
  private static final String SCHEDULER = "scheduler";

  /** What the tools take beside the fields of the flow. */
  private static final Set<String> ARGUMENTS =
      Set.of(
          "target_state",
          "delay_minutes",
          "action",
          "type",
          "fixed_time",
          "random_start_time",
          "random_end_time",
          "timezone",
          "timezone_from",
          "schedule_id",
          "delivery_mode",
          "personalization_notes",
          "tone_tags",
          "tone_update_source",
          "tone_confidence",
          "clear_fields");

  /** What the status message calls what it shows. */
  private static final List<String> LABELS =
      List.of(
          "\"Module\"",
          "\"Local time\"",
          "\"Profile\"",
          "\"Missing for a habit prompt\"",
          "\"Active schedules\"",
          "\"Last habit prompt\"",
          "\"Daily prompt\"");

  static Stream<Path> everyModulesFile() {
    return FLOW.modules().values().stream().map(module -> PROMPTS.resolve(module.prompt()));
  }

  static Stream<Path> everyFile() throws IOException {
    try (var files = Files.list(PROMPTS)) {
      // FlowLanguagesTest reads those of other languages.
      return files.filter(Files::isRegularFile).sorted().toList().stream();
    }
  }

  /** The text without its line breaks, which say nothing. */
  private static String text(Path file) throws IOException {
    return Files.readString(file).replaceAll("\\s+", " ");
  }

  private static Set<String> known() {
    var known = new HashSet<>(FlowHome.TOOLS.names());
    known.add(SCHEDULER);
    known.addAll(ARGUMENTS);
    FLOW.profile().forEach(field -> known.add(field.name()));
    return known;
  }

  @ParameterizedTest
  @MethodSource("everyFile")
  void namesOnlyToolsAndFieldsThatExist(Path file) throws IOException {
    assertThat(NAMED.matcher(text(file)).results().map((MatchResult found) -> found.group(1)))
        .isSubsetOf(known());
  }

  @ParameterizedTest
  @MethodSource("everyFile")
  void promisesNoTextInItsOwnWords(Path file) throws IOException {
    assertThat(text(file).toLowerCase(Locale.ROOT))
        .doesNotContain("i will text you", "i'll text you", "i will remind", "i'll remind");
  }

  @ParameterizedTest
  @MethodSource("everyModulesFile")
  void saysHowATimeBecomesADailyPrompt(Path file) throws IOException {
    assertThat(text(file))
        .contains(
            "`scheduler`",
            "`action` create",
            "`type` fixed with `fixed_time`",
            "`type` random with `random_start_time` and `random_end_time`",
            "\"8-9am\" is \"08:00\" and \"09:00\"",
            "Pass `timezone` as an IANA name",
            "`action` delete");
  }

  @ParameterizedTest
  @MethodSource("everyModulesFile")
  void claimsNoScheduleThatFailed(Path file) throws IOException {
    assertThat(text(file))
        .contains(
            "Confirm only the local time that the tool returned.",
            "Never say that a text will come at a time unless the tool answered \"success\"",
            "If the tool answers with an error, nothing was set up.",
            "ask for another time");
  }

  @ParameterizedTest
  @MethodSource("everyModulesFile")
  void saysWhatToDoWithTheRepliesToADailyPrompt(Path file) throws IOException {
    assertThat(text(file))
        .contains(
            "\"{{daily_prompt.done}}\"",
            "\"{{daily_prompt.not_done}}\"",
            "the question how intense it should be",
            "`intensity`");
  }

  @ParameterizedTest
  @MethodSource("everyModulesFile")
  void knowsTheHintsThatAskForACheckIn(Path file) throws IOException {
    assertThat(text(file))
        .contains(
            "The participant was sent a habit prompt and has not replied; ask once, in one"
                + " sentence, how it went.",
            "has still not replied; ask once more, gently, in one sentence.");
  }

  @Test
  void theIntakeSchedulesAtTheUsualTimeWhenNoneIsTold() throws IOException {
    assertThat(text(PROMPTS.resolve("intake_bot_system.txt")))
        .contains("fixed at {{daily_prompt.at}}, the usual time");
  }

  @ParameterizedTest
  @MethodSource("everyFile")
  void namesNoTimeThatTheFlowOrTheSettingsMayChange(Path file) throws IOException {
    assertThat(text(file)).doesNotContain("11:15", "\"Done\"", "Next time", "\"normal\"");
  }

  @ParameterizedTest
  @MethodSource("everyFile")
  void hasTheSafetyLines(Path file) throws IOException {
    assertThat(text(file))
        .containsIgnoringCase("no medical advice")
        .containsIgnoringCase("no diagnosis")
        .containsIgnoringCase("crisis")
        .containsOnlyOnce("{{resources}}");
  }

  @Test
  void everyModulesPromptNamesEachOfItsTools() throws IOException {
    for (var module : FLOW.modules().values()) {
      assertThat(text(PROMPTS.resolve(module.prompt())))
          .contains(module.tools().stream().map(tool -> "`" + tool + "`").toList());
    }
  }

  @Test
  void theGuidanceNamesStepsThatThePromptFilesHave() throws IOException {
    for (var module : FLOW.modules().values()) {
      var guidance = module.guidance();
      var steps =
          Pattern.compile("step (\\d)")
              .matcher(guidance.incomplete() + guidance.complete())
              .results()
              .map((MatchResult found) -> "\n" + found.group(1) + ". ")
              .toList();
      assertThat(steps).isNotEmpty();
      for (var folder : List.of(PROMPTS, PROMPTS.resolve("es"))) {
        assertThat(Files.readString(folder.resolve(module.prompt()))).contains(steps);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("everyModulesFile")
  void saysThatNoDayHasATimeOfItsOwnAndHowTheIntensityQuestionStops(Path file) throws IOException {
    assertThat(text(file))
        .contains(
            "Another time on some days is not possible: say so, and ask which time suits all days.",
            "They want that question less often or not at all: save `ask_intensity`.");
  }

  @Test
  void everyFieldIsNamedInSomePrompt() throws IOException {
    var all = new StringBuilder();
    for (var file : everyFile().toList()) {
      all.append(text(file));
    }
    assertThat(all.toString())
        .contains(FLOW.profile().stream().map(field -> "`" + field.name() + "`").toList());
  }

  @Test
  void everyModuleNamedIsInTheFlow() throws IOException {
    for (var module : FLOW.modules().values()) {
      var targets = Pattern.compile("`target_state` ([A-Z_]+)");
      assertThat(
              targets
                  .matcher(text(PROMPTS.resolve(module.prompt())))
                  .results()
                  .map((MatchResult found) -> found.group(1)))
          .isNotEmpty()
          .isSubsetOf(FLOW.modules().keySet())
          .doesNotContain(module.id());
    }
  }

  @ParameterizedTest
  @MethodSource("everyModulesFile")
  void saysWhatNobodyChose(Path file) throws IOException {
    assertThat(text(file)).contains("nobody chose what is under \"defaults\"");
  }

  @Test
  void theFeedbackAsksWhatTheFlowAsksForAfterTheFirstSuccess() throws IOException {
    var asked = FLOW.profile().stream().filter(ProfileField::askAfterSuccess).toList();
    assertThat(asked).isNotEmpty();
    assertThat(text(PROMPTS.resolve("feedback_tracker_system.txt")))
        .contains(asked.stream().map(field -> "\"Ask now\" shows `" + field.name() + "`").toList());
  }

  @Test
  void theWriterIsToldWhatToMakeOfTheLastDailyPrompts() throws IOException {
    assertThat(text(PROMPTS.resolve("prompt_generator_system.txt")))
        .contains("\"Last daily prompts\"", "`last_barrier`", "`last_tweak`");
  }

  @Test
  void noModuleSpeaksOfAFieldThatItIsNotOffered() throws IOException {
    for (var module : FLOW.modules().values()) {
      assertThat(
              NAMED
                  .matcher(text(PROMPTS.resolve(module.prompt())))
                  .results()
                  .map((MatchResult found) -> found.group(1)))
          .noneMatch(named ->
              FLOW.profile().stream().anyMatch(field -> field.name().equals(named))
                  && !module.offers(named));
    }
  }

  @Test
  void everyPromptThatAnswersPeopleExplainsTheStatusMessage() throws IOException {
    for (var file : everyFile().toList()) {
      if (!file.endsWith("prompt_generator_system.txt")) {
        assertThat(text(file))
            .contains(LABELS)
            .contains("\"What just happened\"", "\"(continue)\"");
      }
    }
  }

  @Test
  void everyFileIsUsedByTheFlowOrIsTheBasePrompt() throws IOException {
    assertThat(everyFile().map(file -> String.valueOf(file.getFileName())))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(FLOW.promptFiles().stream(), Stream.of(PromptFiles.BASE)).toList());
  }

  @Test
  void noTextOfTheFlowSaysThatSomethingWasDone() {
    var texts = FLOW.texts();
    assertThat(
            Stream.of(
                texts.greetingFallback(),
                texts.errorFallback(),
                texts.help(),
                texts.deletionNotice(),
                texts.resources(),
                texts.paused(),
                texts.completed()))
        .allSatisfy(text ->
            assertThat(String.valueOf(text).toLowerCase(Locale.ROOT))
                .doesNotContain("saved", "scheduled", "deleted", "reminder", "i have", "i've"));
  }
}
