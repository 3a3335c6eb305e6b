package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import java.util.Map;
import org.habitline.Patience;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;
import org.junit.jupiter.api.Test;

class HabitSentenceTest {

  private static ModelReply ask(Map<String, String> profile) {
    var line = new JsonMapper().valueToTree(profile).toString();
    var messages =
        List.<ModelMessage>of(
            new ModelMessage.SystemText("You write the habit prompt."),
            Section.STATUS.holding("Profile: " + line));
    return new RehearsalModel()
        .answer(
            new ModelRequest(null, null, null, messages, List.of(), false, null),
            Deadline.in(Patience.LONG));
  }

  private static String sentence(String moment, String habit, String reason) {
    var profile =
        Map.of("prompt_anchor", moment, "habit_domain", habit, "motivational_frame", reason);
    return ((ModelReply.Says) ask(profile)).text();
  }

  @Test
  void theSentenceIsMadeOfTheirMomentHabitAndReason() {
    assertThat(sentence("after lunch", "stretching", "more energy"))
        .isEqualTo(
            "After lunch, try stretching your arms and back for one minute — it helps you get more energy.");
    assertThat(sentence("while the coffee brews", "water", "a small win"))
        .isEqualTo(
            "While the coffee brews, try drinking a glass of water — it helps you start with a small win.");
    assertThat(sentence("before a meeting", "breathing", "I am stressed"))
        .isEqualTo(
            "Before a meeting, try breathing slowly in and out for one minute — it helps you feel calmer.");
  }

  @Test
  void aBareMomentBecomesAfterIt() {
    assertThat(sentence("my morning coffee", "", "")).startsWith("After your morning coffee, try");
    assertThat(sentence("brushing my teeth.", "", "")).startsWith("After brushing your teeth, try");
    assertThat(sentence("when I'm home", "", "")).startsWith("When you're home, try");
  }

  @Test
  void whatItDoesNotKnowIsTakenInTheirWords() {
    assertThat(sentence("after lunch", "ukulele", "because my kids like it"))
        .isEqualTo(
            "After lunch, try one minute of ukulele — it helps you with what matters to you: your kids like it.");
  }

  @Test
  void withoutAProfileItIsAboutFiftySteps() {
    assertThat(((ModelReply.Says) ask(Map.of())).text())
        .isEqualTo(
            "When your phone buzzes, try taking about fifty steps, on the spot or around the room — it helps you start with a small win.");
  }

  @Test
  void intensityMakesItMoreOrLess() {
    var low = ask(Map.of("prompt_anchor", "after lunch", "intensity", "low"));
    assertThat(((ModelReply.Says) low).text()).contains("twenty easy steps");
  }

  @Test
  void theReceiptSaysRehearsal() {
    var receipt = ask(Map.of()).receipt();
    assertThat(receipt.modelAsked()).isEqualTo("rehearsal");
    assertThat(receipt.modelReturned()).isEqualTo("rehearsal");
    assertThat(receipt.requestId()).isNull();
    assertThat(receipt.finishReason()).isEqualTo("stop");
    assertThat(receipt.promptTokens() + receipt.completionTokens()).isZero();
    assertThat(receipt.attempts()).isEqualTo(1);
  }
}
