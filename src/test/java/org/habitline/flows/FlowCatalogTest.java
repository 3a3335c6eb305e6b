package org.habitline.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlowCatalogTest {

  private static final Path REPOSITORY = Path.of("").toAbsolutePath();
  private static final Instant MONDAY = Instant.parse("2026-11-16T09:00:00Z");
  private static final Instant TUESDAY = Instant.parse("2026-11-17T09:00:00Z");

  @TempDir Path folder;

  private static FlowCatalog habit(Path home) {
    return new FlowCatalog(home, "habit", FlowHome.ANY, Optional.empty(), text -> false);
  }

  private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }

  @Test
  void theHabitFlowIsTheSameFromDiskAndFromTheProgram() {
    var fromDisk = habit(REPOSITORY);
    var fromProgram = habit(folder);

    assertThat(fromProgram.all()).isNotEmpty().containsExactlyElementsOf(fromDisk.all());
    for (var file : fromDisk.defaultFlow().promptFiles()) {
      var onDisk = fromDisk.prompt(fromDisk.defaultFlow(), file);
      var packaged = fromProgram.prompt(fromProgram.defaultFlow(), file);
      assertThat(onDisk.builtIn()).isFalse();
      assertThat(packaged.builtIn()).isTrue();
      assertThat(packaged.sha256()).isEqualTo(onDisk.sha256());
      assertThat(packaged.text()).isEqualTo(onDisk.text());
    }
  }

  @Test
  void theHabitFlowIsAsTheStudyDescribesIt() {
    var flow = habit(REPOSITORY).defaultFlow();

    assertThat(flow.initialState()).isEqualTo("INTAKE");
    assertThat(flow.modules().keySet()).containsExactly("INTAKE", "FEEDBACK");
    assertThat(flow.modules().values())
        .allSatisfy(module -> {
          assertThat(module.tools())
              .containsExactly(
                  "transition_state",
                  "save_user_profile",
                  "scheduler",
                  "generate_habit_prompt",
                  "record_outcome",
                  "set_language",
                  "opt_out",
                  "flag_for_staff");
          assertThat(module.loadLimit()).isEqualTo(50);
          assertThat(module.historyLimit()).isEqualTo(30);
          assertThat(module.maxIterations()).isEqualTo(10);
          assertThat(module.parallelToolCalls()).isFalse();
        });
    assertThat(flow.profile())
        .extracting(ProfileField::name)
        .containsExactly(
            "prompt_anchor",
            "preferred_time",
            "habit_domain",
            "motivational_frame",
            "additional_info",
            "coping_plan",
            "confidence",
            "last_successful_prompt",
            "last_barrier",
            "last_motivator",
            "last_tweak",
            "intensity",
            "ask_intensity");
    assertThat(flow.profile())
        .filteredOn(ProfileField::requiredForPrompt)
        .extracting(ProfileField::name)
        .containsExactly("prompt_anchor", "preferred_time");
    assertThat(flow.profile())
        .filteredOn(field -> field.type() instanceof FieldType.Choice)
        .satisfiesExactly(
            intensity -> {
              assertThat(intensity.values()).containsExactly("low", "normal", "high");
              assertThat(intensity.defaultValue()).isEqualTo(TextNode.valueOf("normal"));
            },
            asked -> {
              assertThat(asked.values()).containsExactly("day", "week", "never");
              assertThat(asked.defaultValue()).isNull();
            });
    assertThat(flow.profile())
        .flatExtracting(ProfileField::aliases)
        .containsExactly("last_blocker");
  }

  @Test
  void everyModuleOfTheFitnessFlowReadsTwentyMessagesAndShowsFifteen() {
    var modules = habit(REPOSITORY).flow("fitness").orElseThrow().modules();

    assertThat(modules.keySet())
        .containsExactly(
            "FITNESS_ASSESSMENT",
            "GOAL_SETTING",
            "WORKOUT_PLANNING",
            "DIET_PLANNING",
            "SCHEDULING");
    assertThat(modules.values())
        .allSatisfy(module -> {
          assertThat(module.loadLimit()).isEqualTo(20);
          assertThat(module.historyLimit()).isEqualTo(15);
        });
  }

  @Test
  void theFlowHabitCueIsTheHabitFlowWithAnotherDailyContact() {
    var catalog = habit(REPOSITORY);
    var usual = catalog.flow("habit").orElseThrow();
    var cue = catalog.flow("habit-cue").orElseThrow();

    assertThat(cue.modules()).isEqualTo(usual.modules());
    assertThat(cue.profile()).isEqualTo(usual.profile());
    assertThat(cue.texts()).isEqualTo(usual.texts());
    assertThat(catalog.prompt(cue, "feedback_tracker_system.txt").sha256())
        .isEqualTo(catalog.prompt(usual, "feedback_tracker_system.txt").sha256());
    var daily = Objects.requireNonNull(usual.dailyPrompt());
    assertThat(daily.askAfter()).isNull();
    assertThat(Objects.requireNonNull(daily.intensity()).every())
        .isEqualTo(DailyPrompt.Intensity.Every.DAY);
    var alone = Objects.requireNonNull(cue.dailyPrompt());
    assertThat(alone.askAfter()).isEqualTo(Duration.ofHours(3));
    assertThat(Objects.requireNonNull(alone.intensity()).every())
        .isEqualTo(DailyPrompt.Intensity.Every.WEEK);
  }

  @Test
  void theTasksFlowShowsTwentyMessagesAndHasRoomForManyCalls() {
    var modules = habit(REPOSITORY).flow("tasks").orElseThrow().modules();

    assertThat(modules.values())
        .singleElement()
        .satisfies(module -> {
          assertThat(module.loadLimit()).isEqualTo(20);
          assertThat(module.historyLimit()).isEqualTo(20);
          assertThat(module.maxIterations()).isEqualTo(30);
          assertThat(module.parallelToolCalls()).isTrue();
        });
  }

  @Test
  void theDailyPromptOfTheHabitFlowIsAsTheStudyDescribesIt() {
    var daily = Objects.requireNonNull(habit(REPOSITORY).defaultFlow().dailyPrompt());

    assertThat(daily.at()).isEqualTo(LocalTime.of(11, 15));
    assertThat(daily.most()).isEqualTo(1);
    assertThat(daily.done()).isEqualTo("Done");
    assertThat(daily.notDone()).isEqualTo("Next time");
    assertThat(daily.feedbackState()).isEqualTo("FEEDBACK");
    var intensity = Objects.requireNonNull(daily.intensity());
    assertThat(intensity.question("low")).contains("low", "normal or high").doesNotContain("{{");
    assertThat(intensity.question("normal")).contains("normal", "low or high");
    assertThat(intensity.question("high")).contains("high", "low or normal");
  }

  @Test
  void theDailyPromptIsReadAsWritten() throws IOException {
    var flow = FlowHome.in(folder).open().defaultFlow();

    assertThat(flow.dailyPrompt())
        .isEqualTo(
            new DailyPrompt(
                LocalTime.of(11, 15),
                2,
                null,
                "Did you?",
                "Done",
                "Next time",
                "LISTEN",
                null,
                "Remember.",
                "How is it?",
                "How was it?",
                DailyPrompt.Vary.WORDING,
                null));
  }

  @Test
  void whatTheDailyPromptLeavesOutIsTheDefault() throws IOException {
    var home = FlowHome.in(folder);
    home.flow(
        "small",
        FlowHome.YAML.replace("  most: 2\n", "").replace("  feedback_state: LISTEN\n", ""));

    var daily = Objects.requireNonNull(home.open().defaultFlow().dailyPrompt());

    assertThat(daily.most()).isEqualTo(1);
    assertThat(daily.feedbackState()).isNull();
  }

  @Test
  void theIntensityQuestionOffersWhatCanChange() throws IOException {
    var home = FlowHome.in(folder);
    home.flow(
        "small",
        FlowHome.YAML
            + "  intensity_field: strength\n"
            + "  intensity_question: It is {{value}}; {{others}}?\n");

    var daily = Objects.requireNonNull(home.open().defaultFlow().dailyPrompt());

    var intensity = Objects.requireNonNull(daily.intensity());
    assertThat(intensity.field().name()).isEqualTo("strength");
    assertThat(intensity.question("low")).isEqualTo("It is low; high?");
  }

  @Test
  void peopleTextOnRealChannelsAndCanOptOutOfEveryPackagedFlow() {
    assertThat(habit(REPOSITORY).all())
        .flatExtracting(flow -> flow.modules().values())
        .allSatisfy(module -> assertThat(module.tools()).contains("opt_out"));
    assertThat(habit(REPOSITORY).all())
        .allSatisfy(flow ->
            assertThat(flow.modules().values())
                .allMatch(module ->
                    module.tools().contains("set_language")
                        == (flow.languages().all().size() > 1)));
  }

  @Test
  void aFlowNeedsNoDailyPrompt() throws IOException {
    var home = FlowHome.in(folder);
    home.flow("small", FlowHome.YAML.substring(0, FlowHome.YAML.indexOf("daily_prompt:")));

    assertThat(home.open().defaultFlow().dailyPrompt()).isNull();
  }

  @Test
  void pagesCallAModuleByItsTitleOrByItsIdInWords() throws IOException {
    var home = FlowHome.in(folder);
    home.flow("small", FlowHome.YAML.replace("  TALK:\n", "  TALK:\n    title: First talk\n"));
    var flows = home.open();

    assertThat(flows.moduleTitle("small", "TALK")).isEqualTo("First talk");
    assertThat(flows.moduleTitle("TALK")).isEqualTo("First talk");
    assertThat(flows.moduleTitle("small", "LISTEN")).isEqualTo("Listen");
    assertThat(flows.moduleTitle("gone", "NO_SUCH_MODULE")).isEqualTo("No such module");
  }

  @Test
  void whatAModuleLeavesOutIsTheDefault() throws IOException {
    var module = FlowHome.in(folder).open().defaultFlow().module("LISTEN");

    assertThat(module)
        .contains(
            new FlowModule(
                "LISTEN",
                "conversation_system_3bot.txt",
                List.of(),
                50,
                30,
                10,
                null,
                new ModelSettings(null, null, null),
                StatusPart.usual(true, true, false, false),
                new Guidance(
                    "The profile is not complete: use transition_state to TALK when it is needed,"
                        + " and do not ask intake questions here.",
                    "The profile is complete: a habit prompt may be written.")));
  }

  @Test
  void theModelReadsTheResourcesAndTheHashNamesTheFile() throws Exception {
    var catalog = FlowHome.in(folder).open();

    var prompt = catalog.prompt(catalog.defaultFlow(), "talk.txt");

    assertThat(prompt.text()).isEqualTo("Talk. In a crisis: Call someone.");
    assertThat(prompt.content()).isEqualTo("Talk. In a crisis: {{resources}}\n");
    assertThat(prompt.sha256()).isEqualTo(sha256(folder.resolve("prompts/talk.txt")));
    assertThat(prompt.builtIn()).isFalse();
  }

  @Test
  void thePromptNamesTheTimeOfTheFlowUnlessTheLineHasOneOfItsOwn() throws Exception {
    var home = FlowHome.in(folder);
    home.prompt("talk.txt", "At {{daily_prompt.at}}, the usual time.");
    var flows = home.open();
    var line = home.open(LocalTime.of(9, 30));

    var ofTheFlow = flows.prompt(flows.defaultFlow(), "talk.txt");
    var ofTheLine = line.prompt(line.defaultFlow(), "talk.txt");

    assertThat(ofTheFlow.text()).isEqualTo("At 11:15, the usual time.");
    assertThat(ofTheLine.text()).isEqualTo("At 09:30, the usual time.");
    assertThat(Objects.requireNonNull(line.defaultFlow().dailyPrompt()).at())
        .isEqualTo(LocalTime.of(9, 30));
    assertThat(ofTheLine.sha256()).as("the file is the same").isEqualTo(ofTheFlow.sha256());
    assertThat(ofTheLine.renderedSha256())
        .as("what is read is not")
        .isNotEqualTo(ofTheFlow.renderedSha256())
        .isEqualTo(sha256(Files.writeString(folder.resolve("read.txt"), ofTheLine.text())));
  }

  @Test
  void everyPackagedFlowIsNamedByItsId() {
    assertThat(habit(folder).all()).allMatch(flow -> Shipped.isFlow(flow.id()));
    assertThat(Shipped.isFlow("small")).isFalse();
  }

  @Test
  void thePackagedFlowsStayBesideOnesOwn() throws IOException {
    var home = FlowHome.in(folder);
    var own = home.flow("tasks", FlowHome.YAML.replace("id: small", "id: tasks"));
    var catalog = new FlowCatalog(folder, "small", FlowHome.ANY, Optional.empty(), text -> false);

    assertThat(catalog.all())
        .extracting(Flow::id)
        .containsExactly("small", "tasks", "fitness", "habit-cue", "habit", "onboarding");
    assertThat(catalog.flow("tasks").orElseThrow().initialState())
        .as("one's own in place of the packaged one")
        .isEqualTo("TALK");
    var habit = catalog.flow("habit").orElseThrow();
    assertThat(catalog.prompt(habit, "intake_bot_system.txt").builtIn()).isTrue();
    assertThat(catalog.warnings()).isEmpty();

    Files.writeString(own, "id: [tasks");
    assertThatThrownBy(
            () -> new FlowCatalog(folder, "small", FlowHome.ANY, Optional.empty(), text -> false))
        .as("a mistake in one's own does not bring the packaged one back")
        .isInstanceOf(BrokenFlow.class);
  }

  @Test
  void aPackagedFlowBesideOnesOwnIsLeftOutIfSharedPromptsAreNotForIt() throws IOException {
    var home = FlowHome.in(folder);
    home.prompt("intake_bot_system.txt", "One of {{profile.strength.values}}.");
    var catalog = home.open();

    assertThat(catalog.flow("habit")).isEmpty();
    assertThat(catalog.defaultFlow().id()).isEqualTo("small");
    assertThatThrownBy(() -> habit(folder))
        .hasMessageStartingWith("habitline.flow: there is no flow 'habit'; expected one of ");
  }

  @Test
  void dailyPromptsOfPackagedFlowsBesideOnesOwnAreOfNoConcern() throws IOException {
    var home = FlowHome.in(folder);
    home.flow("small", FlowHome.YAML.substring(0, FlowHome.YAML.indexOf("daily_prompt:")));
    assertThat(home.open().sendDailyPrompts()).isFalse();
    assertThat(habit(folder).sendDailyPrompts()).as("new participants get them").isTrue();
  }

  @Test
  void aByteOrderMarkIsNotShownToTheModel() throws Exception {
    var home = FlowHome.in(folder);
    home.flow("small", "\uFEFF" + FlowHome.YAML);
    home.prompt("talk.txt", "\uFEFFTalk.");
    var catalog = home.open();

    var prompt = catalog.prompt(catalog.defaultFlow(), "talk.txt");

    assertThat(prompt.text()).isEqualTo("Talk.");
    assertThat(prompt.sha256()).isEqualTo(sha256(folder.resolve("prompts/talk.txt")));
  }

  @Test
  void anEditTakesEffectWithoutARestart() throws Exception {
    var home = FlowHome.in(folder);
    home.editPrompt("talk.txt", "Before.", MONDAY);
    var catalog = home.open();
    var before = catalog.prompt(catalog.defaultFlow(), "talk.txt");

    home.editPrompt("talk.txt", "After!!", TUESDAY);
    var after = catalog.prompt(catalog.defaultFlow(), "talk.txt");

    assertThat(before.text()).isEqualTo("Before.");
    assertThat(after.text()).isEqualTo("After!!");
    assertThat(after.sha256())
        .isNotEqualTo(before.sha256())
        .isEqualTo(sha256(folder.resolve("prompts/talk.txt")));
  }

  @Test
  void aFileSwappedForAnOlderOneIsSeen() throws Exception {
    var home = FlowHome.in(folder);
    home.editPrompt("talk.txt", "New.", TUESDAY);
    var catalog = home.open();

    home.editPrompt("talk.txt", "Old, and longer.", MONDAY);

    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt").text())
        .isEqualTo("Old, and longer.");
  }

  @Test
  void aFileThatDidNotChangeIsNotReadAgain() throws Exception {
    var home = FlowHome.in(folder);
    home.editPrompt("talk.txt", "Once.", MONDAY);
    var catalog = home.open();

    // Same time, same size, same file: only reading it would tell.
    home.editPrompt("talk.txt", "Twice", MONDAY);

    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt").text()).isEqualTo("Once.");
  }

  @Test
  void anEditThatCannotBeUsedLeavesTheTextBeforeItInForce() throws Exception {
    var home = FlowHome.in(folder);
    home.editPrompt("talk.txt", "Before.", MONDAY);
    var catalog = home.open();
    var before = catalog.prompt(catalog.defaultFlow(), "talk.txt");

    home.editPrompt("talk.txt", "{{nobody_knows}}", TUESDAY);
    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt")).isEqualTo(before);

    home.editPrompt("talk.txt", "Repaired.", TUESDAY);
    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt").text()).isEqualTo("Repaired.");
  }

  @Test
  void aMissingFileFallsBackToTheTextPackagedUnderItsName() throws Exception {
    var home = new FlowHome(folder);
    home.flow(
        "habit",
        Files.readString(REPOSITORY.resolve("config/flows/habit/flow.yaml"))
            .replaceFirst("resources: >-\\s[^#]*", "resources: Call someone.\n"));
    home.prompt("feedback_tracker_system.txt", "Listen.");
    home.prompt("prompt_generator_system.txt", "Write.");
    var catalog = habit(folder);

    var prompt = catalog.prompt(catalog.defaultFlow(), "intake_bot_system.txt");

    var original = REPOSITORY.resolve("prompts/intake_bot_system.txt");
    assertThat(prompt.builtIn()).isTrue();
    assertThat(prompt.content()).isEqualTo(Files.readString(original, StandardCharsets.UTF_8));
    assertThat(prompt.sha256()).isEqualTo(sha256(original));
    assertThat(prompt.text()).contains("Call someone.").doesNotContain("{{");
    assertThat(catalog.warnings())
        .containsExactly(
            "prompts/intake_bot_system.txt is missing; Habitline uses the text packaged with"
                + " the program");
  }

  @Test
  void aMissingFileWithoutAPackagedTextFallsBackToTheBasePrompt() throws Exception {
    var home = new FlowHome(folder);
    home.flow(
        "habit",
        Files.readString(REPOSITORY.resolve("config/flows/habit/flow.yaml"))
            .replaceAll("prompt: \\w+.txt", "prompt: talk.txt"));
    home.prompt("conversation_system_3bot.txt", "The study's own base.");
    var catalog = habit(folder);

    var prompt = catalog.prompt(catalog.defaultFlow(), "talk.txt");

    assertThat(prompt.file()).isEqualTo("talk.txt");
    assertThat(prompt.text()).isEqualTo("The study's own base.");
    assertThat(prompt.builtIn()).isFalse();
    assertThat(catalog.warnings())
        .containsExactly(
            "prompts/talk.txt is missing; Habitline uses the shared base prompt"
                + " conversation_system_3bot.txt");
  }

  @Test
  void aFileThatGoesAndComesBackIsWarnedOfOnlyWhileItIsGone() throws Exception {
    var home = FlowHome.in(folder);
    var catalog = home.open();
    assertThat(catalog.warnings()).isEmpty();

    Files.delete(folder.resolve("prompts/talk.txt"));
    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt").text())
        .as("nobody else's prompt")
        .isEqualTo("Talk. In a crisis: Call someone.");
    assertThat(catalog.warnings())
        .containsExactly(
            "prompts/talk.txt is missing; Habitline keeps using the text that it read before");

    home.prompt("talk.txt", "Back.");
    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt").text()).isEqualTo("Back.");
    assertThat(catalog.warnings()).isEmpty();
  }

  @Test
  void aFlowsOwnPromptComesBeforeTheSharedOneOfItsName() throws Exception {
    var home = FlowHome.in(folder);
    home.flow("other", FlowHome.YAML.replace("id: small", "id: other"));
    var own = home.ownPrompt("small", "talk.txt", "Mine.");
    var catalog = home.open();
    var other = catalog.flow("other").orElseThrow();

    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt").text()).isEqualTo("Mine.");
    assertThat(catalog.prompt(other, "talk.txt").text()).startsWith("Talk.");

    Files.delete(own);
    assertThat(catalog.prompt(catalog.defaultFlow(), "talk.txt").text())
        .as("not the shared file, which was not in use")
        .isEqualTo("Mine.");
    assertThat(catalog.warnings())
        .containsExactly(
            "config/flows/small/prompts/talk.txt is missing; Habitline keeps using the text that it"
                + " read before");
  }

  @Test
  void promptsAndMessagesAreFilledInFromTheFlow() throws IOException {
    var home = FlowHome.in(folder);
    home.flow(
        "small",
        FlowHome.YAML
            .replace("question: Did you?", "question: Reply {{daily_prompt.done}}?")
            .replace("help: Help.", "help: At {{daily_prompt.at}}. {{resources}}"));
    home.prompt(
        "talk.txt",
        "{{daily_prompt.question}} {{daily_prompt.not_done}}: {{profile.strength.values}}.");
    var catalog = home.open();
    var flow = catalog.defaultFlow();

    assertThat(flow.texts().help()).isEqualTo("At 11:15. Call someone.");
    assertThat(catalog.prompt(flow, "talk.txt").text())
        .isEqualTo("Reply Done? Next time: \"low\" or \"high\".");
  }

  @Test
  void everyTypeOfFieldIsReadWithItsBoundsOwnerAndDefault() throws IOException {
    var home = FlowHome.in(folder);
    home.flow(
        "small",
        FlowHome.YAML.replace(
            "prompt_generator:\n",
            """
              days:
                type: integer
                minimum: 1
                maximum: 7
                default: 3
                required: true
                module: LISTEN
                description: Days.
              weight:
                {type: number, minimum: 30, maximum: 250.5, description: Weight., default: 75.0}
              fit: {type: boolean, description: Fit., default: true}
              begins: {type: date, minimum: "2026-01-01", description: Begins.}
              limits: {type: list, max_items: 3, max_length: 40, description: Limits., default: []}
              id: {min_length: 1, max_length: 50, description: Id.}
            prompt_generator:
            """));
    var fields = home.open().defaultFlow().profile();

    assertThat(fields.subList(2, fields.size()))
        .extracting(ProfileField::type)
        .containsExactly(
            new FieldType.WholeNumber(1, 7),
            new FieldType.Decimal(BigDecimal.valueOf(30), new BigDecimal("250.5")),
            new FieldType.Truth(),
            new FieldType.Date(LocalDate.of(2026, 1, 1), null),
            new FieldType.Texts(3, 40),
            new FieldType.Text(1, 50));
    assertThat(fields.get(2))
        .satisfies(days -> {
          assertThat(days.module()).isEqualTo("LISTEN");
          assertThat(days.required()).isTrue();
        });
    assertThat(fields.subList(2, fields.size()))
        .extracting(field -> String.valueOf(field.defaultValue()))
        .containsExactly("3", "75", "true", "null", "[]", "null");
  }

  @Test
  void aFolderWithoutAFlowIsLeftOut() throws IOException {
    var home = FlowHome.in(folder);
    Files.createDirectories(folder.resolve("config/flows/backup/knowledge"));

    assertThat(home.open().all()).extracting(Flow::id).doesNotContain("backup");
  }

  @Test
  void anEmptyHomeIsNothingToWarnOf() {
    assertThat(habit(folder).warnings()).isEmpty();
  }

  @Test
  void aHomeWithFlowsButWithoutPromptsIsWarnedOf() throws IOException {
    new FlowHome(folder)
        .flow("habit", Files.readString(REPOSITORY.resolve("config/flows/habit/flow.yaml")));

    assertThat(habit(folder).warnings()).hasSize(3);
  }

  @Test
  void aFlowIsFoundByItsIdOnly() throws IOException {
    var home = FlowHome.in(folder);
    home.flow("another", FlowHome.YAML.replace("id: small", "id: another"));
    var catalog = home.open();

    assertThat(catalog.flow("another")).map(Flow::id).contains("another");
    assertThat(catalog.flow("nobody's")).isEmpty();
    assertThat(catalog.ids()).isEqualTo("another, habit, habit-cue, small");
    assertThat(catalog.defaultFlow().id()).isEqualTo("small");
  }
}
