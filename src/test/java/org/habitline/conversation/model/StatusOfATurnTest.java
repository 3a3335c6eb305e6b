package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a model is shown of a participant's situation. */
final class StatusOfATurnTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(StatusOfATurnTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  /** The status section of the newest request. */
  private static String shown() {
    var system = day.fake().asked().getLast().messages().getFirst().path("content").asText();
    return system.substring(system.indexOf("# Status"));
  }

  @Test
  void theTurnThatHoldsTheReplyToAPromptWaitsForNone() {
    var robin = day.prompted();
    day.line().answered(robin, "Done");
    assertThat(shown())
        .contains("Daily prompt: sent " + day.today() + " 09:30, answered, done\n")
        .doesNotContain("waiting for a reply");
  }

  @Test
  void theModelKnowsWhenTheLastMessagesWere() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.at("08:40");
    day.line().answered(robin, "hello");
    assertThat(shown())
        .contains("Last messages before now: theirs none, yours " + day.today() + " 08:15\n");
    day.at("10:05");
    day.line().answered(robin, "and again");
    assertThat(shown())
        .contains(
            "Last messages before now: theirs %s 08:40, yours %s 08:40\n"
                .formatted(day.today(), day.today()));
  }

  @Test
  void onlyTheWindowOfARandomTimeIsShown() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(
        robin,
        PromptDay.scheduler(
            "{\"action\":\"create\",\"random_start_time\":\"10:00\",\"random_end_time\":\"11:00\"}"));
    day.line().answered(robin, "when?");
    assertThat(shown())
        .contains("random 10:00-11:00, next " + day.today() + " between 10:00 and 11:00\n");
  }

  @Test
  void aScheduleThatDiffersFromTheProfileIsNamed() {
    var robin = day.scheduled("20:00");
    day.line().answered(robin, "hello");
    assertThat(shown())
        .contains("preferred_time in the profile and the schedule differ: ask which one they want");
    day.answered(robin, PromptDay.fixed("9:30"));
    day.line().answered(robin, "thanks");
    assertThat(shown()).doesNotContain("differ");
  }

  @Test
  void theLengthOfAnSmsIsToldOnlyWhereItCosts() {
    var robin = day.greeted(ChannelKind.SMS);
    day.line().answered(robin, "hello");
    assertThat(shown()).contains("Length: this is SMS; keep within 160 characters");
    var casey = day.greeted(ChannelKind.SIMULATOR);
    day.line().answered(casey, "hello");
    assertThat(shown()).doesNotContain("Length:");
  }

  @Test
  void aPlannedMoveIsShownUntilItIsMade() {
    var robin = day.scheduled("09:30");
    day.answered(
        robin,
        Scripted.call(
            "scheduler",
            "{\"action\":\"create\",\"timezone\":\"America/New_York\",\"timezone_from\":\"%s\"}"
                .formatted(day.tomorrow())));
    day.line().answered(robin, "thanks");
    assertThat(shown())
        .contains(
            ", Europe/Berlin\nPlanned move: from " + day.tomorrow() + " on in America/New_York\n");
    day.turnAt(robin, "09:30");
    day.line().answered(robin, "Done");
    assertThat(shown()).contains("next " + day.tomorrow() + " 09:30 (America/New_York)\n");
  }

  @Test
  void aSavedTimeWithoutAScheduleIsNamed() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.line().answered(robin, "hello");
    assertThat(shown()).contains("Active schedules: none\n").doesNotContain("planned yet");
    day.answered(robin, PromptDay.profile());
    day.line().answered(robin, "and now?");
    assertThat(shown()).contains("Active schedules: none\nNo daily prompt is planned yet");
    day.answered(robin, PromptDay.fixed("9:30"));
    day.line().answered(robin, "thanks");
    assertThat(shown()).doesNotContain("planned yet");
  }
}
