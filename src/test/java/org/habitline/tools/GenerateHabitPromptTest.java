package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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

  private final GenerateHabitPrompt tool = new GenerateHabitPrompt();

  private static ToolRun run(Profile profile, NestedModel model) {
    return Habit.run(
        Habit.flow(), new WorkingCopy("INTAKE", null, profile, null), Habit.NOW, model);
  }

  private ToolOutcome answered(String text) {
    return tool.call(run(Habit.complete(), Habit.saying(text)), Habit.json(NOW));
  }

  @Test
  void theModelIsShownPromptBackgroundProfileToneAndNotesInThisOrder() {
    var model = new Habit.Listening(new ModelReply.Says("After coffee, stretch.", Habit.RECEIPT));
    var tone = ToneLearning.explicit(Tone.unknown(), EnumSet.of(ToneTag.NO_EMOJIS), 1, Habit.NOW);
    var known = Habit.complete();
    var profile = new Profile(known.fields(), 2, 5, tone, known.createdAt(), known.updatedAt());
    tool.call(
        run(profile, model),
        Habit.json("{\"delivery_mode\":\"immediate\",\"personalization_notes\":\"likes tea\"}"));

    var request = model.asked().getFirst();
    assertThat(request.tools()).isEmpty();
    assertThat(request.model()).isEqualTo("a-model");
    assertThat(request.temperature()).isEqualTo(0.3);
    assertThat(request.maxTokens()).isEqualTo(200);
    assertThat(request.messages())
        .containsExactly(
            new ModelMessage.SystemText("Write one sentence."),
            new ModelMessage.SystemText("Name: Robin Example\nBackground: Works from home"),
            new ModelMessage.SystemText(
                "Profile: {\"prompt_anchor\":\"while the coffee brews\",\"preferred_time\":\"8:15\","
                    + "\"intensity\":\"normal\",\"success_count\":2,\"total_prompts\":5}"),
            new ModelMessage.SystemText(TonePolicy.message(tone).orElseThrow()),
            new ModelMessage.UserText("<write the prompt now>\nPersonalization notes: likes tea"));
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
        new ModelReply.Failed("no answer", Habit.RECEIPT));
  }

  @ParameterizedTest
  @MethodSource("unusable")
  void anythingButOneSentenceStoresNothingAndSaysSo(ModelReply reply) {
    var outcome = tool.call(run(Habit.complete(), (request, file, sha) -> reply), Habit.json(NOW));
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
    var outcome =
        tool.call(
            run(Habit.complete(), Habit.saying("unasked")),
            Habit.json("{\"delivery_mode\":\"scheduled\"}"));
    assertThat(outcome.result().path("field").asText()).isEqualTo("delivery_mode");
    assertThat(outcome.result().path("valid_values"))
        .extracting(value -> value.asText())
        .containsExactly("immediate");
  }

  @Test
  void aFlowWithoutAGeneratorWritesNoPrompts() {
    var run =
        Habit.run(
            Habit.flow(null),
            new WorkingCopy("INTAKE", null, Habit.complete(), null),
            Habit.NOW,
            Habit.saying("unasked"));
    assertThat(tool.call(run, Habit.json(NOW)).failed()).isTrue();
  }
}
