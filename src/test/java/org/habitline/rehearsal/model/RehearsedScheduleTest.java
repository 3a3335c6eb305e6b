package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.LocalTime;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the scheduler is offered, the times that are told become daily prompts. */
class RehearsedScheduleTest {

  private static final String PROMPT = "After lunch, try fifty steps.";
  private static final String DAILY = PROMPT + " Did you do it? Done / Next time";
  private static final String HOW_HARD = "How's the intensity? low / normal / high";

  private final RehearsedLine line = new RehearsedLine().withSchedules();

  @BeforeEach
  void join() {
    line.prompt += "\n- If they leave it to you, take 10:45, the\n  usual time.";
    line.join();
  }

  private List<String> tools() {
    return line.turn.stream().map(RehearsedLine.Called::tool).toList();
  }

  private ObjectNode scheduled() {
    return line.turn.stream()
        .filter(call -> call.tool().equals(Act.SCHEDULE))
        .map(RehearsedLine.Called::arguments)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no schedule in " + tools() + ": " + line.last()));
  }

  /** As the status message writes it. */
  private static String time(ObjectNode arguments) {
    return arguments.path("type").asText().equals("fixed")
        ? arguments.path("fixed_time").asText()
        : arguments.path("random_start_time").asText()
            + "-"
            + arguments.path("random_end_time").asText();
  }

  private void askedForTheTime() {
    line.text("after lunch");
    assertThat(line.text("more energy")).endsWith(Cue.TIME.text());
  }

  private void inFeedback(String newest) {
    line.module = "FEEDBACK";
    line.profile.put("prompt_anchor", "after lunch");
    line.profile.put("preferred_time", "8:15");
    line.schedules.put("sch_ab12", "sch_ab12 fixed 08:15, next 2026-11-22 08:15");
    line.lastPrompt = PROMPT;
    line.sent(newest);
  }

  private void afterTheDailyPrompt() {
    line.dailyPrompt = "sent 2026-11-21 08:15, answered";
    inFeedback(DAILY);
  }

  // --- intake ---

  @Test
  void theFirstMessageStillSaysThatThisIsARehearsal() {
    assertThat(line.last()).startsWith(Lines.REHEARSAL);
    assertThat(line.calls).isEmpty();
  }

  @Test
  void aTimeThatIsToldIsSavedThenScheduledThenConfirmedAsTheToolSaidIt() {
    askedForTheTime();
    var reply = line.text("8-9am");
    assertThat(tools()).containsExactly(Act.SAVE, Act.SCHEDULE);
    assertThat(scheduled().toString())
        .isEqualTo(
            "{\"action\":\"create\",\"type\":\"random\",\"fixed_time\":null,"
                + "\"random_start_time\":\"08:00\",\"random_end_time\":\"09:00\","
                + "\"timezone\":null,\"schedule_id\":null}");
    assertThat(reply)
        .isEqualTo(
            "Noted. Your habit prompt comes every day between 08:00 and 09:00 (Berlin time), next"
                + " on Sunday, 22 November. "
                + Cue.MORE.text());
  }

  @Test
  void aFixedTimeIsScheduledAsOne() {
    askedForTheTime();
    var reply = line.text("8:15");
    assertThat(scheduled().toString())
        .isEqualTo(
            "{\"action\":\"create\",\"type\":\"fixed\",\"fixed_time\":\"08:15\","
                + "\"random_start_time\":null,\"random_end_time\":null,"
                + "\"timezone\":null,\"schedule_id\":null}");
    assertThat(reply).contains("every day at 08:15 (Berlin time)");
  }

  @Test
  void atTheEndOfTheIntakeItIsNotScheduledAgain() {
    askedForTheTime();
    line.text("8:15");
    line.text("no, that's all");
    assertThat(line.text("yes")).isEqualTo(line.lastPrompt);
    assertThat(tools()).containsExactly(Act.WRITE, Act.MOVE);
    assertThat(line.module).isEqualTo("FEEDBACK");
    assertThat(line.schedules).hasSize(1);
  }

  @Test
  void aTimeKnownFromBeforeIsScheduledBeforeTheMove() {
    line.profile.put("prompt_anchor", "after lunch");
    line.profile.put("preferred_time", "evenings");
    line.sent(Cue.OFFER.text());
    assertThat(line.text("yes")).isEqualTo(line.lastPrompt);
    assertThat(tools()).containsExactly(Act.SCHEDULE, Act.WRITE, Act.MOVE);
    assertThat(time(scheduled())).isEqualTo("18:00-20:00");
  }

  @Test
  void theOfferDeclinedStillLeavesADailyPrompt() {
    line.profile.put("prompt_anchor", "after lunch");
    line.profile.put("preferred_time", "8:15");
    line.sent(Cue.OFFER.text());
    assertThat(line.text("no thanks"))
        .startsWith(Lines.NOT_NOW)
        .contains("every day at 08:15 (Berlin time)");
    assertThat(tools()).containsExactly(Act.SCHEDULE, Act.MOVE);
    assertThat(line.module).isEqualTo("FEEDBACK");
  }

  @Test
  void aPromptFileThatNamesNoUsualTimeLeavesItToTheTool() {
    line.prompt = "You coach.";
    line.text("now please");
    assertThat(time(scheduled())).isEqualTo("null");
    assertThat(scheduled().path("type").asText()).isEqualTo("fixed");
  }

  @Test
  void nowIsScheduledAtTheUsualTimeAndSaidSo() {
    var reply = line.text("now please, I like stretching");
    assertThat(tools()).containsExactly(Act.SAVE, Act.SCHEDULE, Act.MOVE);
    assertThat(time(scheduled())).isEqualTo("10:45");
    assertThat(reply)
        .contains("stretching", Lines.TELL_ME)
        .endsWith("every day at 10:45 (Berlin time), next on Sunday, 22 November.");
    assertThat(line.module).isEqualTo("FEEDBACK");
  }

  @Test
  void nowWithATimeIsScheduledAtThatTime() {
    line.text("let's try it now, and evenings please");
    assertThat(tools()).containsExactly(Act.SAVE, Act.SCHEDULE, Act.MOVE);
    assertThat(time(scheduled())).isEqualTo("18:00-20:00");
  }

  @Test
  void nowGoesOnThoughTheUsualTimeIsNotAllowedAndAnotherIsAskedFor() {
    line.opens = LocalTime.of(14, 0);
    assertThat(line.text("now"))
        .contains(Lines.TELL_ME)
        .endsWith(
            "Your habit prompt can only come between 14:00 and 21:00. " + Cue.OTHER_TIME.text());
    assertThat(line.module).isEqualTo("FEEDBACK");
    assertThat(line.text("3")).contains("every day at 15:00");
    assertThat(line.profile).containsEntry("preferred_time", "3");
  }

  @Test
  void aTimeOutsideTheAllowedHoursIsToldAndAnotherAskedFor() {
    askedForTheTime();
    assertThat(line.text("6:30"))
        .isEqualTo(
            "Noted. Your habit prompt can only come between 08:00 and 21:00. "
                + Cue.OTHER_TIME.text());
    assertThat(line.schedules).isEmpty();
    assertThat(line.text("9"))
        .startsWith("Noted. Your habit prompt comes every day at 09:00")
        .endsWith(Cue.MORE.text());
    assertThat(line.profile).containsEntry("preferred_time", "9");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%s is outside the allowed hours %s-%s.",
        "fixed_time: %s does not lie between %s and %s.",
        "Prompts go out from %2$s to %3$s only, and %1$s is not in that.",
        "`random_start_time`: allowed is %2$s–%3$s, not %1$s"
      })
  void theAllowedHoursAreFoundHoweverTheRefusalPutsThem(String refusal) {
    line.refusal = refusal;
    for (var told : List.of("6:30", "6-7am", "22:00", "from 9 to 11pm")) {
      line.profile.clear();
      line.profile.put("prompt_anchor", "after lunch");
      line.sent(Cue.TIME.text());
      assertThat(line.text(told))
          .isEqualTo(
              "Noted. Your habit prompt can only come between 08:00 and 21:00. "
                  + Cue.OTHER_TIME.text());
    }
  }

  @Test
  void aRefusalWrittenForTheModelIsNotPassedOn() {
    line.opens = LocalTime.of(12, 0);
    line.refusal = "fixed_time: one of {\"a\", \"b\"}";
    askedForTheTime();
    assertThat(line.text("9"))
        .isEqualTo("Noted. " + Lines.COULD_NOT_SCHEDULE + " " + Cue.OTHER_TIME.followUp());
  }

  @Test
  void whoeverNamesNoOtherTimeIsNotAskedForItForEver() {
    askedForTheTime();
    line.text("6:30");
    assertThat(line.text("no")).isEqualTo(Cue.MORE.text());
    assertThat(line.text("no")).isEqualTo(Cue.OFFER.text());
    assertThat(line.text("yes")).isEqualTo(line.lastPrompt);
    assertThat(line.schedules).isEmpty();
    assertThat(line.module).isEqualTo("FEEDBACK");
  }

  @Test
  void whatFailedForNoReasonThatAPersonCouldUseIsToldWithoutIt() {
    line.failing.add(Act.SCHEDULE);
    askedForTheTime();
    assertThat(line.text("8:15"))
        .isEqualTo(
            "Noted. I could not set up your habit prompt: It did not work. "
                + Cue.OTHER_TIME.text());
  }

  @Test
  void aTimeThatIsNoneOnTheClockIsAskedForOnce() {
    askedForTheTime();
    assertThat(line.text("before the kids wake up")).isEqualTo("Noted. " + Cue.CLOCK.text());
    assertThat(tools()).containsExactly(Act.SAVE);
    assertThat(line.text("half past eight"))
        .contains("every day at 08:30")
        .endsWith(Cue.MORE.text());
  }

  @Test
  void whoeverKnowsNoTimeGetsTheUsualOneAndHearsIt() {
    askedForTheTime();
    line.text("before the kids wake up");
    assertThat(line.text("dunno")).contains("every day at 10:45").endsWith(Cue.MORE.text());
    assertThat(line.profile).containsEntry("preferred_time", "before the kids wake up");
  }

  @Test
  void aVagueTimeIsTheUsualOne() {
    askedForTheTime();
    line.text("idk");
    assertThat(line.text("any time"))
        .startsWith("Then let's begin with \"any time of day\"")
        .contains("every day at 10:45")
        .endsWith(Cue.MORE.text());
  }

  @Test
  void aCorrectedTimeReplacesTheSchedule() {
    askedForTheTime();
    line.text("mornings");
    assertThat(line.text("actually, make it evenings"))
        .startsWith(Lines.CHANGED)
        .contains("between 18:00 and 20:00")
        .endsWith(Cue.OFFER.text());
    assertThat(line.schedules).hasSize(1);
  }

  @Test
  void theZoneOfThePlaceTheyAreInIsPassedOn() {
    askedForTheTime();
    var reply = line.text("8-9am, I'm in New York");
    assertThat(scheduled().path("timezone").asText()).isEqualTo("America/New_York");
    assertThat(time(scheduled())).isEqualTo("08:00-09:00");
    assertThat(reply).contains("(New York time)");
    assertThat(line.profile).containsEntry("preferred_time", "8-9am");
  }

  @Test
  void thePlaceMayBeToldBeforeTheTime() {
    line.text("after lunch");
    assertThat(line.text("I'm in London by the way")).endsWith(Cue.REASON.text());
    assertThat(line.profile).doesNotContainKey("motivational_frame");
    line.text("more energy");
    line.text("at 9");
    assertThat(scheduled().path("timezone").asText()).isEqualTo("Europe/London");
  }

  @Test
  void aPlaceIsNoVagueTime() {
    askedForTheTime();
    line.text("dunno");
    assertThat(line.text("I'm in New York")).isEqualTo(Cue.TIME.followUp());
    assertThat(line.turn).isEmpty();
    line.text("mornings");
    assertThat(scheduled().path("timezone").asText()).isEqualTo("America/New_York");
  }

  @Test
  void thePlaceToldAfterwardsMovesTheScheduleThere() {
    askedForTheTime();
    line.text("8:15");
    assertThat(line.text("oh, that's London time")).contains("every day at 08:15 (London time)");
    assertThat(scheduled().path("timezone").asText()).isEqualTo("Europe/London");
    assertThat(line.schedules).hasSize(1);
  }

  @Test
  void whoeverWantsNoRemindersInTheIntakeGetsNone() {
    askedForTheTime();
    line.text("8:15");
    assertThat(line.text("no more reminders please")).isEqualTo(Lines.PROMPTS_OFF);
    assertThat(line.schedules).isEmpty();
    line.text("that's all");
    line.text("yes");
    assertThat(line.module).isEqualTo("FEEDBACK");
    assertThat(line.schedules).isEmpty();
  }

  @Test
  void whoeverWantsNoneFromTheStartGetsNone() {
    assertThat(line.text("I don't want any reminders")).isEqualTo(Lines.NO_DAILY);
    line.text("now");
    assertThat(tools()).containsExactly(Act.MOVE);
  }

  @Test
  void withoutTheSchedulerNothingIsScheduledAndNothingIsPromised() {
    line.offered = Set.of(Act.SAVE, Act.MOVE, Act.WRITE);
    askedForTheTime();
    assertThat(line.text("8:15")).isEqualTo("Noted. " + Cue.MORE.text());
    assertThat(line.text("can you remind me?")).startsWith(Lines.REMINDER);
    assertThat(line.text("no more reminders")).doesNotContain(Lines.PROMPTS_OFF, Lines.NO_DAILY);
    assertThat(line.calls).noneMatch(call -> call.tool().equals(Act.SCHEDULE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          8-9am | 08:00-09:00
          8:15 | 08:15
          8 | 08:00
          8-9 | 08:00-09:00
          9 o'clock | 09:00
          at eight | 08:00
          at seven thirty pm | 19:30
          half past eight | 08:30
          quarter to nine | 08:45
          8 in the morning | 08:00
          7 in the evening | 19:00
          around 7pm | 19:00
          mornings | 08:00-10:00
          mornings around 8 | 08:00
          mornings between 8 and 9 | 08:00-09:00
          in the morning please | 08:00-10:00
          late morning | 10:00-12:00
          noon | 12:00
          at lunch | 12:00-13:00
          lunchtime works for me | 12:00-13:00
          before lunch | 11:00-12:00
          after lunch would be great | 13:00-14:00
          afternoon | 14:00-16:00
          in the late afternoon | 16:00-18:00
          after work | 17:00-19:00
          evenings | 18:00-20:00
          evenings please | 18:00-20:00
          at dinner | 18:00-19:00
          before bed | 20:00-21:00
          before 9 | 08:00-09:00
          after 6pm | 18:00-19:00
          from 5 to 6 | 17:00-18:00
          I think 18:30 | 18:30
          maybe 10am? | 10:00
          between 12 and 1 | 12:00-13:00
          every day at 9:30 | 09:30
          weekday mornings | 08:00-10:00
          mornings or evenings | 08:00-10:00
          any time between 9 and 11 | 09:00-11:00
          """)
  void manyWaysToTellATimeAreScheduled(String told, String time) {
    askedForTheTime();
    line.text(told);
    assertThat(tools()).containsExactly(Act.SAVE, Act.SCHEDULE);
    assertThat(time(scheduled())).isEqualTo(time);
    assertThat(line.last()).contains(Daily.time(time), "(Berlin time)");
  }

  // --- feedback: another time, another place, no more ---

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          make it 9:30 | 09:30
          actually, make it 9:30 please | 09:30
          can you make it 9:30? | 09:30
          could we do 9:30 instead | 09:30
          evenings please | 18:00-20:00
          8-9am | 08:00-09:00
          change it to 10am | 10:00
          move it to the afternoon | 14:00-16:00
          I'd prefer mornings | 08:00-10:00
          send it at 7pm | 19:00
          text me at 9:30 from now on | 09:30
          please remind me at noon | 12:00
          can you remind me at 8pm? | 20:00
          I want it in the evening | 18:00-20:00
          lunchtime would be better | 12:00-13:00
          make it at lunch | 12:00-13:00
          mornings around 9 please | 09:00
          how about 10:30? | 10:30
          between 5 and 6 works better | 17:00-18:00
          """)
  void anotherTimeIsSavedAndScheduled(String told, String time) {
    afterTheDailyPrompt();
    var reply = line.text(told);
    assertThat(tools()).containsExactly(Act.SAVE, Act.SCHEDULE);
    assertThat(time(scheduled())).isEqualTo(time);
    assertThat(reply)
        .contains("every day " + Daily.time(time) + " (Berlin time)")
        .endsWith(Cue.NEW_PROMPT.text());
    assertThat(line.profile.get("preferred_time")).isNotEqualTo("8:15");
    assertThat(line.module).isEqualTo("FEEDBACK");
    assertThat(line.schedules).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"make it 9:30", "evenings please", "8-9am", "send it at 7pm instead"})
  void anotherTimeIsHeardWhateverWasAsked(String told) {
    for (var asked :
        List.of(Cue.TRIED, Cue.WORKED, Cue.TWEAK, Cue.NEW_PROMPT, Cue.CLOSED, Cue.CHECK_IN)) {
      inFeedback(asked.text());
      line.text(told);
      assertThat(tools()).as(asked.text()).containsExactly(Act.SAVE, Act.SCHEDULE);
      line.profile.clear();
      line.schedules.clear();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "I did it at 9 in the end",
        "yes, after lunch",
        "no, I had a meeting from 8 to 9",
        "I forgot, the evening was long"
      })
  void aTimeInAStoryChangesNothing(String told) {
    inFeedback(Cue.TRIED.text());
    line.text(told);
    assertThat(tools()).doesNotContain(Act.SCHEDULE);
    assertThat(line.profile).containsEntry("preferred_time", "8:15");
  }

  @Test
  void theTimeItHasAlreadyIsNotScheduledAgain() {
    afterTheDailyPrompt();
    assertThat(line.text("make it 8:15")).isEqualTo(Lines.ALREADY + " " + Cue.NEW_PROMPT.text());
    assertThat(line.turn).isEmpty();
  }

  @Test
  void theSameTimeAtAnotherPlaceIsScheduledAnew() {
    afterTheDailyPrompt();
    line.text("make it 8:15 New York time");
    assertThat(scheduled().path("timezone").asText()).isEqualTo("America/New_York");
  }

  @Test
  void aMoveAloneKeepsTheTimeAndTakesTheZone() {
    afterTheDailyPrompt();
    assertThat(line.text("I'm in Tokyo now"))
        .startsWith("Your habit prompt comes every day at 08:15 (Tokyo time)");
    assertThat(tools()).containsExactly(Act.SCHEDULE);
    assertThat(scheduled().path("timezone").asText()).isEqualTo("Asia/Tokyo");
  }

  @Test
  void toBeInAPlaceIsNoYesToANewPrompt() {
    afterTheDailyPrompt();
    assertThat(line.text("make it 9:30")).endsWith(Cue.NEW_PROMPT.text());
    assertThat(line.text("I'm in London now"))
        .startsWith("Your habit prompt comes every day at 09:30 (London time)")
        .endsWith(Cue.NEW_PROMPT.text());
    assertThat(tools()).containsExactly(Act.SCHEDULE);
    assertThat(line.text("I'm in!")).isEqualTo(line.lastPrompt);
  }

  @Test
  void whoeverSaysWhereTheyAreAnywayIsNotScheduledAgain() {
    afterTheDailyPrompt();
    line.text("I'm in Berlin");
    assertThat(line.turn).isEmpty();
  }

  @Test
  void aRefusedTimeInFeedbackIsToldAndTheNextOneTaken() {
    afterTheDailyPrompt();
    assertThat(line.text("make it 23:00"))
        .endsWith(
            "Your habit prompt can only come between 08:00 and 21:00. " + Cue.OTHER_TIME.text());
    assertThat(line.schedules.values().toString()).contains("08:15");
    assertThat(line.text("8")).contains("every day at 08:00");
    assertThat(line.profile).containsEntry("preferred_time", "8");
  }

  @Test
  void whoeverWantsNoOtherTimeAfterARefusalKeepsTheOld() {
    afterTheDailyPrompt();
    line.text("make it 23:00");
    assertThat(line.text("never mind, no")).isEqualTo(Cue.CLOSED.texts().get(2));
    assertThat(line.schedules.values().toString()).contains("08:15");
  }

  @Test
  void whatWasNotSavedIsNotScheduled() {
    afterTheDailyPrompt();
    line.failing.add(Act.SAVE);
    assertThat(line.text("make it 9:30")).startsWith(Lines.COULD_NOT_NOTE);
    assertThat(tools()).containsExactly(Act.SAVE);
  }

  @Test
  void aModelThatMustSpeakPromisesNoTime() {
    afterTheDailyPrompt();
    line.maxIterations = 2;
    assertThat(line.text("make it 9:30"))
        .isEqualTo(
            Lines.CHANGED + " " + Lines.COULD_NOT_SCHEDULE + " " + Cue.OTHER_TIME.followUp());
    assertThat(tools()).containsExactly(Act.SAVE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stop the daily prompts",
        "no more reminders",
        "No more reminders please!",
        "please stop sending me reminders",
        "cancel the reminder",
        "can you turn off the prompts?",
        "turn the reminders off",
        "I don't want any daily prompts any more",
        "I want to stop the nudges",
        "delete my schedule",
        "stop the 8:15 reminders",
        "I don't need the prompts"
      })
  void theDailyPromptsEndWhenSomeoneAsksForIt(String told) {
    afterTheDailyPrompt();
    assertThat(line.text(told)).isEqualTo(Lines.PROMPTS_OFF);
    assertThat(tools()).containsExactly(Act.SCHEDULE);
    assertThat(scheduled().toString())
        .isEqualTo(
            "{\"action\":\"delete\",\"type\":null,\"fixed_time\":null,"
                + "\"random_start_time\":null,\"random_end_time\":null,"
                + "\"timezone\":null,\"schedule_id\":\"sch_ab12\"}");
    assertThat(line.schedules).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "don't stop the reminders",
        "never stop the prompts",
        "I missed the end of the prompt",
        "I don't like this prompt",
        "without reminders I forget",
        "no more coffee"
      })
  void otherTextsEndNothing(String told) {
    afterTheDailyPrompt();
    line.text(told);
    assertThat(line.schedules).hasSize(1);
  }

  @Test
  void severalSchedulesAreAllDeleted() {
    afterTheDailyPrompt();
    line.schedules.put("sch_cd34", "sch_cd34 random 18:00-20:00, next 2026-11-22 18:37");
    assertThat(line.text("stop the daily prompts")).isEqualTo(Lines.PROMPTS_OFF);
    assertThat(tools()).containsExactly(Act.SCHEDULE, Act.SCHEDULE);
    assertThat(line.schedules).isEmpty();
  }

  @Test
  void promptsThatCouldNotBeSwitchedOffAreNotSaidToBe() {
    afterTheDailyPrompt();
    line.failing.add(Act.SCHEDULE);
    assertThat(line.text("no more reminders")).isEqualTo(Lines.COULD_NOT_STOP);
  }

  @Test
  void whereThereIsNoneNothingIsSwitchedOff() {
    afterTheDailyPrompt();
    line.schedules.clear();
    assertThat(line.text("no more reminders")).isEqualTo(Lines.NO_DAILY);
    assertThat(line.turn).isEmpty();
  }

  @Test
  void anotherTimeInsteadOfTheOldRemindersIsAChange() {
    afterTheDailyPrompt();
    line.text("no more morning reminders, evenings instead");
    assertThat(tools()).containsExactly(Act.SAVE, Act.SCHEDULE);
    assertThat(time(scheduled())).isEqualTo("18:00-20:00");
  }

  @Test
  void namingATimeAfterwardsBringsThemBack() {
    afterTheDailyPrompt();
    line.text("no more reminders");
    assertThat(line.text("9:30 again")).contains("every day at 09:30");
  }

  @Test
  void whetherThereAreRemindersIsAnsweredByWhatThereIs() {
    assertThat(line.text("can you remind me?")).startsWith(Lines.CAN_REMIND);
    afterTheDailyPrompt();
    assertThat(line.text("will you text me?"))
        .startsWith("You get one habit prompt a day, at 08:15.");
  }

  // --- what a daily prompt asks ---

  @ParameterizedTest
  @ValueSource(strings = {"Done", "done!", "✅", "yes", "did it"})
  void doneIsAskedWhatMadeItWork(String reply) {
    afterTheDailyPrompt();
    assertThat(line.text(reply)).isEqualTo(Lines.GLAD + " " + Cue.WORKED.text());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Next time", "next time!", "not today, next time"})
  void nextTimeIsAskedWhatGotInTheWay(String reply) {
    afterTheDailyPrompt();
    assertThat(line.text(reply)).isEqualTo(Lines.NO_MATTER + " " + Cue.BARRIER.text());
  }

  @Test
  void doneToADailyPromptThatCameDuringTheIntakeLeadsToFeedback() {
    askedForTheTime();
    line.text("8:15");
    line.dailyPrompt = "sent 2026-11-21 08:15, answered";
    line.sent(DAILY);
    assertThat(line.text("Done")).isEqualTo(Lines.GLAD + " " + Cue.WORKED.text());
    assertThat(tools()).containsExactly(Act.MOVE);
    assertThat(line.module).isEqualTo("FEEDBACK");
    assertThat(line.text("it was short")).endsWith(Cue.TWEAK.text());
  }

  @ParameterizedTest
  @CsvSource({"low, Low it is.", "High!, High it is.", "NORMAL, Normal it is."})
  void theIntensityIsAcknowledgedAndSaved(String reply, String acknowledged) {
    afterTheDailyPrompt();
    line.sent(HOW_HARD);
    assertThat(line.text(reply)).isEqualTo(acknowledged + " " + Cue.TRIED.text());
    if (!reply.equals("NORMAL")) {
      assertThat(line.profile)
          .containsEntry("intensity", reply.replace("!", "").toLowerCase(Locale.ROOT));
    }
  }

  @Test
  void anIntensityThatTheLineSavedItselfIsAcknowledgedToo() {
    afterTheDailyPrompt();
    line.profile.put("intensity", "low");
    line.sent(HOW_HARD);
    assertThat(line.text("low")).isEqualTo("Low it is. " + Cue.TRIED.text());
    assertThat(line.turn).isEmpty();
  }

  @Test
  void doneAndAnIntensityAreBothHeard() {
    afterTheDailyPrompt();
    line.sent(HOW_HARD);
    assertThat(line.text("Done", "high"))
        .isEqualTo("High it is. " + Lines.GLAD + " " + Cue.WORKED.text());
    assertThat(line.profile).containsEntry("intensity", "high");
  }

  @Test
  void anIntensityToldLateIsNoAnswerToWhatIsAskedNow() {
    afterTheDailyPrompt();
    line.sent(HOW_HARD);
    line.text("Done");
    assertThat(line.text("low")).isEqualTo("Low it is. " + Cue.WORKED.text());
    assertThat(line.profile).doesNotContainKey("last_motivator");
  }

  // --- hints ---

  @ParameterizedTest
  @ValueSource(strings = {"INTAKE", "FEEDBACK"})
  void aCheckInIsOneShortQuestionAndItsAnswerIsHeard(String module) {
    inFeedback(PROMPT);
    line.module = module;
    var first = line.hinted(RehearsedLine.CHECK_IN);
    assertThat(first).isEqualTo("How did your minute go?");
    assertThat(line.turn).isEmpty();
    var second = line.hinted(RehearsedLine.CHECK_IN_AGAIN);
    assertThat(second).isEqualTo("No pressure at all: did your minute work out?");
    assertThat(line.turn).isEmpty();
    assertThat(line.text("yes")).isEqualTo(Lines.GLAD + " " + Cue.WORKED.text());
    assertThat(line.module).isEqualTo("FEEDBACK");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          good | What made it work
          really well! | What made it work
          it was fun | What made it work
          done | What made it work
          it didn't | What got in the way
          no | What got in the way
          didn't get to it | What got in the way
          """)
  void howItWentIsUnderstoodAfterACheckIn(String reply, String asked) {
    inFeedback(PROMPT);
    line.hinted(RehearsedLine.CHECK_IN);
    assertThat(line.text(reply)).contains(asked);
  }
}
