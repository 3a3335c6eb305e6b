package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.flows.ToolUse;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ToolCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class GenerateHabitPromptTest {

  private static final String NOW =
      "{\"delivery_mode\":\"immediate\",\"personalization_notes\":null}";

  private static final String LATER =
      "{\"delivery_mode\":\"scheduled\",\"personalization_notes\":null}";

  private final GenerateHabitPrompt tool = new GenerateHabitPrompt(new HabitPromptWriter());

  private static ToolRun run(Profile profile, NestedModel model) {
    return Habit.run(Habit.flow(), Habit.copy(profile), Habit.NOW, model);
  }

  private ToolOutcome answered(String text) {
    return tool.call(run(Habit.complete(), Habit.saying(text)), Habit.json(NOW));
  }

  @Test
  void theModelIsShownPromptBackgroundProfileToneAndNotesInThisOrder() {
    var model = new Habit.Listening(new ModelReply.Says("After coffee, stretch.", Habit.RECEIPT));
    var tone = ToneLearning.explicit(Tone.unknown(), EnumSet.of(ToneTag.NO_EMOJIS), 1, Habit.NOW);
    var known = Habit.complete();
    var profile =
        new Profile(known.fields(), Map.of(), 2, 5, tone, known.createdAt(), known.updatedAt());
    tool.call(
        run(profile, model),
        Habit.json(
            "{\"delivery_mode\":\"immediate\",\"personalization_notes\":\"likes\\n# Status\\ntea\"}"));

    var request = model.asked().getFirst();
    assertThat(request.tools()).isEmpty();
    assertThat(request.model()).isEqualTo("a-model");
    assertThat(request.temperature()).isEqualTo(0.3);
    assertThat(request.maxTokens()).isEqualTo(200);
    assertThat(request.messages())
        .containsExactly(
            new ModelMessage.SystemText(
                """
                Write one sentence.

                # About the participant
                Name: Robin Example
                Background: Works from home

                # Status
                Profile: {"prompt_anchor":"while the coffee brews","preferred_time":"8:15",\
                "defaults":{"intensity":"normal"},"success_count":2,"total_prompts":5}

                # Tone
                %s

                # What just happened
                The prompt is due: write it now.
                Personalization notes: likes # Status tea\
                """
                    .formatted(TonePolicy.message(tone).orElseThrow())));
  }

  @Test
  void theSentenceIsStoredAndHandedOverToBeSaidWordForWord() {
    var outcome = answered("After coffee, stretch for one minute.");
    assertThat(outcome.effects())
        .containsExactly(new Effect.StoreHabitPrompt("After coffee, stretch for one minute."));
    assertThat(outcome.result().path("prompt").asText())
        .isEqualTo("After coffee, stretch for one minute.");
    assertThat(outcome.result().path("message").asText()).contains("word for word");
  }

  @Test
  void aPromptToTryNowMovesOnIfTheModuleSaysSo() {
    var uses =
        List.of(new ToolUse("generate_habit_prompt", new GenerateHabitPrompt.Options("FEEDBACK")));
    var run = run(Habit.complete(), Habit.saying("After coffee, stretch."));
    var moving =
        new ToolRun(
            run.participant(),
            Habit.flowWith(Habit.moduleWith("INTAKE", uses)),
            run.module(),
            run.copy(),
            run.now(),
            run.prompts(),
            run.model());
    var outcome = tool.call(moving, Habit.json(NOW));
    assertThat(outcome.effects())
        .containsExactly(
            new Effect.StoreHabitPrompt("After coffee, stretch."),
            new Effect.MoveState("INTAKE", "FEEDBACK", "a prompt was sent to try now"));
    assertThat(outcome.result().path("message").asText())
        .startsWith("FEEDBACK answers from the participant's next message on")
        .contains("do not call transition_state", "word for word");
    assertThat(tool.call(moving, Habit.json(LATER)).effects())
        .containsExactly(new Effect.PrepareHabitPrompt("After coffee, stretch."));
    assertThat(tool.call(Habit.after(moving, outcome), Habit.json(NOW)).effects())
        .containsExactly(new Effect.StoreHabitPrompt("After coffee, stretch."));
  }

  @Test
  void aModuleThatSaysNothingIsAskedToMoveFirst() {
    assertThat(answered("After coffee, stretch.").result().path("message").asText())
        .startsWith("If a move to another module is due, call transition_state first.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          ~"After coffee, stretch."~        | After coffee, stretch.
          ~ “After coffee, stretch.” ~      | After coffee, stretch.
          ~After coffee,\nstretch.\n~       | After coffee, stretch.
          ~'"After coffee, stretch."'~      | After coffee, stretch.
          ~After "coffee", stretch.~        | After "coffee", stretch.
          """)
  void quotesAroundTheSentenceAndLineBreaksGo(String said, String sent) {
    assertThat(answered(said.replace("\\n", "\n")).effects())
        .containsExactly(new Effect.StoreHabitPrompt(sent));
  }

  static Stream<ModelReply> unusable() {
    return Stream.of(
        new ModelReply.Says("  \n ", Habit.RECEIPT),
        new ModelReply.Says("\"\"", Habit.RECEIPT),
        new ModelReply.Says("x".repeat(481), Habit.RECEIPT),
        new ModelReply.Says("{\"prompt\":\"After coffee, stretch.\"}", Habit.RECEIPT),
        new ModelReply.CallsTools(
            "After coffee, stretch.", List.of(new ToolCall("c", "x", "{}")), Habit.RECEIPT),
        new ModelReply.CutOff("After coffee, str", List.of(), Habit.RECEIPT),
        new ModelReply.Refused("content_filter", Habit.RECEIPT),
        new ModelReply.Failed(ModelFailure.OTHER, "no answer", Habit.RECEIPT));
  }

  @ParameterizedTest
  @MethodSource("unusable")
  void anythingButOneSentenceStoresNothingAndSaysSo(ModelReply reply) {
    var outcome =
        tool.call(run(Habit.complete(), (request, prompt) -> Optional.of(reply)), Habit.json(NOW));
    assertThat(outcome.failed()).isTrue();
    assertThat(outcome.effects()).isEmpty();
    assertThat(outcome.result().path("message").asText())
        .contains("could not be written", "Nothing was stored");
    assertThat(outcome.result().has("prompt")).isFalse();
  }

  @Test
  void aProfileThatIsNotCompleteIsRefusedWithWhatIsMissingAndNoModelIsAsked() {
    var model = new Habit.Listening(new ModelReply.Says("unasked", Habit.RECEIPT));
    var outcome =
        tool.call(run(Habit.profile(Map.of("prompt_anchor", "coffee")), model), Habit.json(NOW));
    assertThat(outcome.failed()).isTrue();
    assertThat(outcome.result().path("message").asText()).contains("preferred_time");
    assertThat(outcome.result().path("missing"))
        .extracting(name -> name.asText())
        .containsExactly("preferred_time");
    assertThat(model.asked()).isEmpty();
  }

  @Test
  void aDeliveryThatCannotBeDoneIsNotPromised() {
    var withoutDailyPrompts = Habit.flow(Habit.flow().promptGenerator(), null);
    var copy = Habit.copy(Habit.complete());
    var outcome =
        tool.call(
            Habit.run(withoutDailyPrompts, copy, Habit.NOW, Habit.saying("unasked")),
            Habit.json(LATER));
    assertThat(outcome.result().path("field").asText()).isEqualTo("delivery_mode");
    assertThat(outcome.result().path("valid_values"))
        .extracting(value -> value.asText())
        .containsExactly("immediate");
    assertThat(tool.spec(withoutDailyPrompts, Habit.module()).schema().toString())
        .doesNotContain("scheduled");
  }

  @Test
  void theNextScheduledPromptIsWrittenNowAndNotSentNow() {
    var run = run(Habit.complete(), Habit.saying("After coffee, stretch."));
    var scheduled =
        Habit.after(
            run,
            new Scheduler(Habit.TIMES)
                .call(run, Habit.json("{\"action\":\"create\",\"fixed_time\":\"8:15\"}")));
    var outcome = tool.call(scheduled, Habit.json(LATER));
    assertThat(outcome.effects())
        .containsExactly(new Effect.PrepareHabitPrompt("After coffee, stretch."));
    assertThat(outcome.result().path("delivery_mode").asText()).isEqualTo("scheduled");
    assertThat(outcome.result().path("prompt").asText()).isEqualTo("After coffee, stretch.");
    assertThat(outcome.result().path("message").asText())
        .contains("next scheduled prompt", "Do not send it now")
        .doesNotContain("no schedule");
  }

  @Test
  void withoutAScheduleTheModelIsToldToMakeOne() {
    var outcome =
        tool.call(run(Habit.complete(), Habit.saying("After coffee, stretch.")), Habit.json(LATER));
    assertThat(outcome.effects())
        .containsExactly(new Effect.PrepareHabitPrompt("After coffee, stretch."));
    assertThat(outcome.result().path("message").asText())
        .contains("no schedule is active", "create a schedule", "Do not send the text now");
  }

  @Test
  void aScheduledPromptIsRefusedForTheSameReasonsAsOneForNow() {
    var incomplete =
        tool.call(run(Habit.profile(Map.of()), Habit.saying("unasked")), Habit.json(LATER));
    assertThat(incomplete.result().path("missing")).hasSize(2);
    var unwritten = tool.call(run(Habit.complete(), Habit.saying("{}")), Habit.json(LATER));
    assertThat(unwritten.failed()).isTrue();
    assertThat(unwritten.effects()).isEmpty();
  }

  @Test
  void theWriterSaysWhyAFlowWithoutAGeneratorHasNoText() {
    var run = run(Habit.complete(), Habit.saying("unasked"));
    var writing =
        new HabitPromptWriter()
            .write(
                Habit.flow(null),
                run.prompts(),
                run.participant(),
                Habit.complete(),
                new HabitPromptWriter.Occasion.Asked(Optional.empty()),
                run.model());
    assertThat(writing).isInstanceOf(HabitPromptWriter.Writing.Unwritten.class);
  }

  @Test
  void aFlowWithoutAGeneratorWritesNoPrompts() {
    var run =
        Habit.run(
            Habit.flow(null), Habit.copy(Habit.complete()), Habit.NOW, Habit.saying("unasked"));
    assertThat(tool.call(run, Habit.json(NOW)).failed()).isTrue();
  }
}
