package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RehearsalConversationTest {

  private final RehearsedLine line = new RehearsedLine();

  @BeforeEach
  void join() {
    line.join();
  }

  private List<String> tools() {
    return line.turn.stream().map(RehearsedLine.Called::tool).toList();
  }

  private void inFeedbackAfter(String prompt) {
    line.module = "FEEDBACK";
    line.profile.put("prompt_anchor", "after lunch");
    line.profile.put("preferred_time", "noon");
    line.lastPrompt = prompt;
    line.sent(prompt);
  }

  @Test
  void theFirstMessageSaysThatThisIsARehearsalAndShowsAnExample() {
    assertThat(line.last())
        .contains("rehearsal", "not an AI model", "about fifty steps", "phone buzzes")
        .endsWith(Cue.CHOICE.text());
    assertThat(line.turn).isEmpty();
  }

  @Test
  void eitherExampleIsShownToSomeone() {
    var shown = new HashSet<String>();
    for (int person = 0; person < 40; person++) {
      var other = new RehearsedLine();
      other.profile.put("intensity", "x".repeat(person));
      shown.add(other.join());
    }
    assertThat(shown).hasSize(2);
  }

  @Test
  void someoneWhoWritesFirstIsGreetedToo() {
    var other = new RehearsedLine();
    assertThat(other.text("hello?")).contains("rehearsal").endsWith(Cue.CHOICE.text());
  }

  @Test
  void intakeAsksOneQuestionAtATimeAndEndsWithThePrompt() {
    assertThat(line.text("Personal first please")).isEqualTo(Cue.MOMENT.text());
    assertThat(line.text("While the coffee brews")).endsWith(Cue.REASON.text());
    assertThat(line.text("more energy")).endsWith(Cue.TIME.text());
    assertThat(line.text("8:15")).endsWith(Cue.MORE.text());
    assertThat(line.text("I like music")).endsWith(Cue.OFFER.text());
    assertThat(line.profile)
        .containsEntry("prompt_anchor", "While the coffee brews")
        .containsEntry("motivational_frame", "more energy")
        .containsEntry("preferred_time", "8:15")
        .containsEntry("additional_info", "I like music");

    var prompt = line.text("yes!");

    assertThat(tools()).containsExactly(Act.WRITE, Act.MOVE);
    assertThat(prompt)
        .isEqualTo(line.lastPrompt)
        .isEqualTo(
            "While the coffee brews, try taking about fifty steps, on the spot or around the room — it helps"
                + " you get more energy.");
    assertThat(line.module).isEqualTo("FEEDBACK");
  }

  @Test
  void severalAnswersInOneTextAreAllKept() {
    var reply = line.text("I want to stretch after lunch, mornings around 8, gives me energy");
    assertThat(line.profile)
        .containsEntry("habit_domain", "stretching")
        .containsEntry("prompt_anchor", "after lunch")
        .containsEntry("preferred_time", "mornings around 8")
        .containsEntry("motivational_frame", "gives me energy");
    assertThat(tools()).containsExactly(Act.SAVE);
    assertThat(reply).endsWith(Cue.MORE.text());
  }

  @Test
  void severalTextsThatWaitedTogetherAreAnsweredTogether() {
    var reply = line.text("personal", "after lunch", "no wait", "before dinner", "around 8pm");
    assertThat(line.profile)
        .containsEntry("prompt_anchor", "before dinner")
        .containsEntry("preferred_time", "around 8pm");
    assertThat(reply).endsWith(Cue.REASON.text());
  }

  @Test
  void aCorrectionReplacesWhatWasToldAndTheQuestionIsAskedAgain() {
    line.text("after lunch");
    assertThat(line.text("no wait, before my first meeting"))
        .isEqualTo(Lines.CHANGED + " " + Cue.REASON.text());
    assertThat(line.profile).containsEntry("prompt_anchor", "before my first meeting");
    line.text("more control");
    line.text("mornings");
    assertThat(line.text("actually, make it evenings"))
        .isEqualTo(Lines.CHANGED + " " + Cue.OFFER.text());
    assertThat(line.profile)
        .containsEntry("preferred_time", "evenings")
        .doesNotContainKey("additional_info");
  }

  @Test
  void aVagueAnswerGetsOneFollowUpAndThenTheConversationGoesOn() {
    line.text("personal");
    assertThat(line.text("dunno")).isEqualTo(Cue.MOMENT.followUp());
    assertThat(line.text("whatever"))
        .startsWith("Then let's begin with")
        .endsWith(Cue.REASON.text());
    assertThat(line.text("maybe")).isEqualTo(Cue.REASON.followUp());
    assertThat(line.text("not sure")).isEqualTo(Cue.TIME.text());
    assertThat(line.text("idk")).isEqualTo(Cue.TIME.followUp());
    assertThat(line.text("any time")).endsWith(Cue.MORE.text());
    assertThat(line.text("hmm")).isEqualTo(Cue.OFFER.text());
    assertThat(line.missing()).isEmpty();
    assertThat(line.profile).doesNotContainKeys("motivational_frame", "additional_info");
  }

  @Test
  void nonsenseIsNeverKept() {
    line.text("personal");
    assertThat(line.text("asdfgh")).isEqualTo(Cue.MOMENT.followUp());
    assertThat(line.text("🍌🍌")).endsWith(Cue.REASON.text());
    assertThat(line.profile.values()).doesNotContain("asdfgh", "🍌🍌");
  }

  @Test
  void questionsAreAnsweredAndTheConversationGoesOnWhereItWas() {
    line.text("personal");
    assertThat(line.text("who are you?")).startsWith(Lines.ABOUT).endsWith(Cue.MOMENT.text());
    assertThat(line.text("what can you do?")).startsWith(Lines.ABILITY).endsWith(Cue.MOMENT.text());
    assertThat(line.text("is the earth flat?")).startsWith(Lines.CANNOT_ANSWER);
    assertThat(line.text("thanks")).startsWith(Lines.WELCOME).endsWith(Cue.MOMENT.text());
    assertThat(line.profile).isEmpty();
  }

  @Test
  void aMedicalQuestionGetsNoAdvice() {
    line.text("personal");
    assertThat(line.text("is it safe with my bad knee?"))
        .startsWith(Lines.HEALTH)
        .endsWith(Cue.MOMENT.text());
  }

  @Test
  void inACrisisOnlyTheFlowsResourcesAreGiven() {
    line.text("personal");
    assertThat(line.text("after lunch I want to die")).isEqualTo(RehearsedLine.RESOURCES);
    assertThat(line.turn).isEmpty();
    assertThat(line.profile).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"intake_bot_system.txt", "feedback_tracker_system.txt"})
  void theResourcesAreFoundInThePromptsOfTheHabitFlow(String file) throws IOException {
    var prompt = Files.readString(Path.of("prompts", file));
    line.prompt = prompt.replace("{{resources}}", "Please call someone. They can help.");
    assertThat(line.text("I want to die")).isEqualTo("Please call someone. They can help.");
  }

  @Test
  void whoeverWantsToBeLeftAloneIsTold() {
    line.text("personal");
    assertThat(line.text("leave me alone")).isEqualTo(Lines.FAIR_ENOUGH);
    assertThat(line.profile).isEmpty();
  }

  @Test
  void aLongStoryIsUnderstoodInItsParts() {
    line.text("I get up at 6:30 and then, while the kettle boils, I stand around. More energy!");
    assertThat(line.profile)
        .containsEntry("prompt_anchor", "while the kettle boils")
        .containsEntry("preferred_time", "6:30")
        .containsEntry("motivational_frame", "More energy");
  }

  @Test
  void nowKeepsWhatIsKnownAndGoesToFeedback() {
    var reply = line.text("now please, I like stretching");
    assertThat(tools()).containsExactly(Act.SAVE, Act.MOVE);
    assertThat(line.profile).containsEntry("habit_domain", "stretching");
    assertThat(line.module).isEqualTo("FEEDBACK");
    assertThat(reply).contains("stretching").endsWith(Lines.TELL_ME);
  }

  @Test
  void anUndecidedParticipantIsAskedOnceMoreAndThenLedOn() {
    assertThat(line.text("yes")).isEqualTo(Cue.CHOICE.followUp());
    assertThat(line.text("yes")).isEqualTo(Cue.MOMENT.text());
  }

  @Test
  void theOfferDeclinedLeadsToFeedbackWithoutAPrompt() {
    line.text("after lunch, at 12:30, for more energy");
    line.text("that's all");
    var reply = line.text("no thanks");
    assertThat(tools()).containsExactly(Act.MOVE);
    assertThat(reply).isEqualTo(Lines.NOT_NOW);
    assertThat(line.module).isEqualTo("FEEDBACK");
    assertThat(line.lastPrompt).isNull();
  }

  @Test
  void aTimeAskedForMayBeABareNumberOrAMoment() {
    line.text("after lunch");
    line.text("a small win");
    line.text("8");
    assertThat(line.profile).containsEntry("preferred_time", "8");

    var other = new RehearsedLine();
    other.join();
    other.text("after lunch");
    other.text("a small win");
    other.text("before the kids wake up");
    assertThat(other.profile)
        .containsEntry("prompt_anchor", "after lunch")
        .containsEntry("preferred_time", "before the kids wake up");
  }

  @Test
  void whoTriedIsAskedWhatWorkedAndWhatToChange() {
    inFeedbackAfter("After lunch, try fifty steps.");
    assertThat(line.text("done!")).endsWith(Cue.WORKED.text());
    assertThat(line.text("it was so short")).endsWith(Cue.TWEAK.text());
    assertThat(line.profile)
        .containsEntry("last_motivator", "it was so short")
        .containsEntry("last_successful_prompt", "After lunch, try fifty steps.");
    assertThat(line.text("nothing, it's good")).isEqualTo(Cue.CLOSED.text());
    assertThat(line.text("thanks")).startsWith("You're welcome");
    assertThat(line.module).isEqualTo("FEEDBACK");
  }

  @Test
  void whoDidNotTryIsAskedWhyWithOneFollowUp() {
    inFeedbackAfter("After lunch, try fifty steps.");
    assertThat(line.text("ok")).isEqualTo(Cue.TRIED.text());
    assertThat(line.text("no")).endsWith(Cue.BARRIER.text());
    assertThat(line.text("I was in a meeting when it came")).endsWith(Cue.BARRIER_MORE.text());
    assertThat(line.text("back to back calls")).endsWith(Cue.TWEAK.text());
    assertThat(line.profile)
        .containsEntry("last_barrier", "I was in a meeting when it came; back to back calls")
        .containsEntry("prompt_anchor", "after lunch");
  }

  @Test
  void aBarrierToldAtOnceIsKeptAtOnce() {
    inFeedbackAfter("After lunch, try fifty steps.");
    assertThat(line.text("no, I forgot")).endsWith(Cue.BARRIER_MORE.text());
    assertThat(line.profile).containsEntry("last_barrier", "I forgot");
  }

  @Test
  void aDailyPromptThatAsksMayBeAnsweredWithYes() {
    inFeedbackAfter("After lunch, try fifty steps. Did you do it? Done / Next time");
    assertThat(line.text("yes")).endsWith(Cue.WORKED.text());
    inFeedbackAfter("After lunch, try fifty steps. Did you do it? Done / Next time");
    assertThat(line.text("Next time")).endsWith(Cue.BARRIER.text());
  }

  @Test
  void aChangeIsKeptAndANewPromptWrittenOnRequest() {
    inFeedbackAfter("After lunch, try fifty steps.");
    assertThat(line.text("actually, make it before dinner")).endsWith(Cue.NEW_PROMPT.text());
    assertThat(line.profile).containsEntry("prompt_anchor", "before dinner");
    assertThat(line.text("yes please")).startsWith("Before dinner, try").isEqualTo(line.lastPrompt);
    assertThat(tools()).containsExactly(Act.WRITE);
    assertThat(line.module).isEqualTo("FEEDBACK");
  }

  @Test
  void aPromptWishedForInFeedbackWithoutAProfileLeadsBackToIntake() {
    line.text("now");
    assertThat(line.text("send me a new prompt")).isEqualTo(Cue.HANDOVER.text());
    assertThat(line.module).isEqualTo("INTAKE");
    assertThat(line.text("ok")).isEqualTo(Cue.MOMENT.text());
  }

  @Test
  void toneIsSavedAsExplicitInBothModules() {
    line.text("personal");
    assertThat(line.text("shorter please, and no emojis"))
        .isEqualTo(Lines.TONE_NOTED + " " + Cue.MOMENT.text());
    assertThat(line.tones).containsExactlyInAnyOrder("concise", "no_emojis");
    assertThat(line.turn.getFirst().arguments().path("tone_update_source").asText())
        .isEqualTo("explicit");
    inFeedbackAfter("After lunch, try fifty steps.");
    assertThat(line.text("please be more formal")).startsWith(Lines.TONE_NOTED);
    assertThat(line.tones).contains("formal");
  }

  @Test
  void whatCouldNotBeSavedIsSaidAndAskedAgain() {
    line.failing.add(Act.SAVE);
    line.text("personal");
    assertThat(line.text("after lunch")).isEqualTo(Lines.COULD_NOT_NOTE + " " + Cue.MOMENT.text());
    line.failing.clear();
    assertThat(line.text("after lunch")).startsWith(Lines.NOTED);
  }

  @Test
  void aPromptThatCouldNotBeWrittenIsNotClaimed() {
    line.text("after lunch, at 12:30, for more energy");
    line.text("that's all");
    line.failing.add(Act.WRITE);
    assertThat(line.text("yes")).startsWith(Lines.COULD_NOT_WRITE);
    assertThat(line.module).isEqualTo("INTAKE");
    line.failing.clear();
    assertThat(line.text("yes")).isEqualTo(line.lastPrompt);
    assertThat(line.module).isEqualTo("FEEDBACK");
  }

  @Test
  void aModelThatMustSpeakSpeaksAndClaimsNothing() {
    line.maxIterations = 1;
    assertThat(line.text("after lunch")).startsWith(Lines.COULD_NOT_NOTE);
    assertThat(line.turn).isEmpty();
  }

  @Test
  void withoutToolsTheConversationStillReachesAnEnd() {
    line.offered = Set.of();
    assertThat(line.text("after lunch")).startsWith(Lines.NOTHING_KEPT);
    for (var answer : List.of("more energy", "8:15", "no", "no", "yes", "thanks")) {
      assertThat(line.text(answer)).isNotBlank().doesNotContain(Lines.NOTED);
    }
    assertThat(line.calls).isEmpty();
  }

  @Test
  void aModuleItDoesNotKnowIsFilledInLikeAForm() {
    line.module = "GARDENING";
    assertThat(line.text("hi")).isEqualTo("Please tell me: prompt anchor.");
    line.text("after lunch");
    assertThat(line.profile).containsEntry("prompt_anchor", "after lunch");
  }

  @Test
  void noTextOfTheScriptIsPartOfAnother() {
    var texts = Arrays.stream(Cue.values()).flatMap(cue -> cue.texts().stream()).toList();
    for (var text : texts) {
      assertThat(texts.stream().filter(other -> other.contains(text))).containsExactly(text);
    }
  }
}
