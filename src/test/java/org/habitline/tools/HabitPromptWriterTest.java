package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.flows.DailyPrompt.Vary;
import org.habitline.flows.Flow;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.tools.HabitPromptWriter.Occasion;
import org.habitline.tools.HabitPromptWriter.Sent;
import org.habitline.tools.HabitPromptWriter.Writing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Daily prompts: what may change from one to the next, and what happens when one is repeated. */
class HabitPromptWriterTest {

  private static final String YESTERDAYS = "After coffee, stretch — it helps you wake up.";
  private static final Occasion.Daily WEDNESDAY =
      new Occasion.Daily(
          LocalDate.parse("2026-11-25"),
          5,
          List.of(new Sent(LocalDate.parse("2026-11-24"), YESTERDAYS, "done")));

  private final List<ModelRequest> asked = new ArrayList<>();

  private static Flow flow(Vary vary) {
    return Habit.flow(Habit.flow().promptGenerator(), Habit.daily(1, vary));
  }

  /** Writes with a model that gives these answers, one after the other. */
  private Writing write(Vary vary, Occasion occasion, String... answers) {
    NestedModel model =
        (request, prompt) -> {
          asked.add(request);
          return Optional.of(new ModelReply.Says(answers[asked.size() - 1], Habit.RECEIPT));
        };
    return new HabitPromptWriter()
        .write(flow(vary), Habit::prompt, Habit.participant(), Habit.complete(), occasion, model);
  }

  private static String system(ModelRequest request) {
    return String.valueOf(request.messages().getFirst().content());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CONSTANT | Repeat the newest daily prompt word for word
          WORDING  | Keep the moment and the action of the last daily prompts
          ACTION   | Keep the moment of the last daily prompts
          """)
  void theWriterIsToldWhatMayChange(Vary vary, String instruction) {
    write(vary, WEDNESDAY, "After coffee, reach up.");
    assertThat(asked).hasSize(1);
    assertThat(system(asked.getFirst()))
        .contains("Study day: 5\nToday: Wednesday, 2026-11-25\nLast daily prompts, newest first:")
        .contains("\n- Tuesday, 2026-11-24: " + YESTERDAYS + " (done)")
        .contains("The prompt is due: write it now.\n" + instruction);
  }

  @Test
  void withoutPromptsBeforeNothingIsSaidAboutThem() {
    write(
        Vary.WORDING,
        new Occasion.Daily(LocalDate.parse("2026-11-25"), 1, List.of()),
        "After coffee, reach up.");
    assertThat(system(asked.getFirst())).doesNotContain("Last daily prompts", "Keep the moment");
  }

  @ParameterizedTest
  @EnumSource(
      value = Vary.class,
      names = {"WORDING", "ACTION"})
  void aRepeatedPromptIsAskedForOnceMoreWithTheReason(Vary vary) {
    var repeated = "after COFFEE stretch - it helps you wake up";
    assertThat(write(vary, WEDNESDAY, repeated, "After coffee, reach."))
        .isEqualTo(new Writing.Written("After coffee, reach."));
    assertThat(asked).hasSize(2);
    var again = asked.getLast().messages();
    assertThat(again.getFirst()).isEqualTo(asked.getFirst().messages().getFirst());
    assertThat(again.get(1)).isEqualTo(new ModelMessage.AssistantText(repeated, List.of()));
    assertThat(again.getLast().content())
        .contains("This was the daily prompt of Tuesday, 2026-11-24 already. Write it once more.");
  }

  @Test
  void aPromptThatIsRepeatedTwiceIsAccepted() {
    assertThat(write(Vary.WORDING, WEDNESDAY, YESTERDAYS, YESTERDAYS))
        .isEqualTo(new Writing.Written(YESTERDAYS));
    assertThat(asked).hasSize(2);
  }

  @Test
  void aSecondAnswerThatCannotBeSentIsNoPrompt() {
    assertThat(write(Vary.WORDING, WEDNESDAY, YESTERDAYS, "{}"))
        .isInstanceOf(Writing.Unwritten.class);
  }

  @Test
  void whereRepeatingIsMeantNothingIsAskedAgain() {
    assertThat(write(Vary.CONSTANT, WEDNESDAY, YESTERDAYS))
        .isEqualTo(new Writing.Written(YESTERDAYS));
    assertThat(asked).hasSize(1);
  }
}
