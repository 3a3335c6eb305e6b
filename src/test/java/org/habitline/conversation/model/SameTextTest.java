package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.conversation.stored.StateReader;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever says the same again and again may be a machine that answers ours. */
final class SameTextTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(SameTextTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private static void answered(Participant robin, String text) {
    assertThat(day.line().answered(robin, text)).containsEntry("outcome", "replied");
  }

  private static Map<String, Object> braked(Participant robin, String text) {
    var asked = day.fake().asked().size();
    var heard = day.line().phone(robin).size();
    var turn = day.line().answered(robin, text);
    assertThat(turn).containsEntry("outcome", "braked").containsEntry("status", "done");
    assertThat(day.fake().asked()).as("no model is asked").hasSize(asked);
    assertThat(day.line().phone(robin)).as("nothing is sent").hasSize(heard);
    assertThat(day.line().transcript(robin)).last().isEqualTo("user: " + text);
    return turn;
  }

  private static Participant loop(String text) {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    for (int times = 1; times < SameText.TURNS_AT_MOST; times++) {
      answered(robin, text);
    }
    return robin;
  }

  private static List<String> events(Participant robin) {
    return day.line()
        .column(
            "SELECT payload FROM event WHERE participant_id = ? AND type = 'turn.braked' ORDER BY seq",
            robin.id());
  }

  @Test
  void theFifthTimeIsNotAnsweredUntilSomethingElseIsSaid() {
    var robin = loop("I am out of office.");
    assertThat(braked(robin, "I am out of office.").get("reason"))
        .asString()
        .startsWith("the same text 5 times in a row within 10 minutes");
    assertThat(braked(robin, "I am out of office.").get("reason"))
        .asString()
        .startsWith("the same text 6 times");
    assertThat(events(robin)).hasSize(2).first().asString().contains("\"turn\":6");
    answered(robin, "Here I am.");
    answered(robin, "I am out of office.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ok", "OK!", " Ok. ", "✅ ok", "“ok”"})
  void caseAndPunctuationMakeNoDifference(String text) {
    braked(loop("Ok"), text);
  }

  @Test
  void textsWithoutLettersAreComparedAsTheyAre() {
    var robin = loop("👍");
    answered(robin, "🎉");
    braked(loop("🎉"), "🎉 ");
  }

  @Test
  void whoTakesTheirTimeIsAnswered() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    for (int times = 0; times < 2 * SameText.TURNS_AT_MOST; times++) {
      answered(robin, "hello?");
      day.line().study().advance(Duration.ofSeconds(151));
    }
  }

  @Test
  void whoComesBackLaterIsAnswered() {
    var robin = loop("hello?");
    braked(robin, "hello?");
    day.line().study().advance(SameText.WITHIN.plusSeconds(1));
    answered(robin, "hello?");
  }

  @Test
  void aBurstOfTheSameIsAnsweredOnceLikeAnyOther() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.busy(
        robin,
        () -> {
          for (int times = 0; times < 8; times++) {
            day.line().text(robin, "[image received]");
          }
        });
    assertThat(day.line().awaitTurn(robin, 2)).containsEntry("outcome", "replied");
  }

  @Test
  void anotherTextAmongThemEndsTheLoop() {
    var robin = loop("hello?");
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "hello?");
          day.line().text(robin, "it is me");
        });
    assertThat(day.line().awaitTurn(robin, 6)).containsEntry("outcome", "replied");
  }

  @Test
  void keywordsWorkAsAlways() {
    var robin = loop("hello?");
    braked(robin, "hello?");
    var help = day.line().bean(FlowCatalog.class).defaultFlow().texts().help();
    day.line().answered(robin, "HELP");
    assertThat(day.line().phone(robin)).last().isEqualTo(help);
    day.line().answered(robin, "STOP");
    assertThat(day.now(robin).optedOut()).isTrue();
    day.line().answered(robin, "START");
    assertThat(day.now(robin).optedOut()).isFalse();
    answered(robin, "here I am");
  }

  @Test
  void helpIsGivenEveryTime() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    for (int times = 0; times < SameText.TURNS_AT_MOST + 1; times++) {
      assertThat(day.line().answered(robin, "HELP")).containsEntry("outcome", "not_for_the_coach");
    }
    assertThat(day.line().phone(robin)).hasSize(1 + SameText.TURNS_AT_MOST + 1);
  }

  @Test
  void theFirstReplyToAPromptIsAnsweredAndCounts() {
    var robin = day.scheduled("09:30");
    day.at("09:29");
    for (int times = 1; times < SameText.TURNS_AT_MOST; times++) {
      answered(robin, "Done");
    }
    braked(robin, "Done");
    day.turnAt(robin, "09:30");
    answered(robin, "Done");
    assertThat(day.profile(robin).path("success_count").asInt()).isEqualTo(1);
    assertThat(day.state(robin)).containsKey("dailyPromptRespondedAt");
    braked(robin, "Done");
    assertThat(day.profile(robin).path("success_count").asInt()).isEqualTo(1);
  }

  private static Optional<String> brake(Participant robin) {
    return Optional.ofNullable(
            day.line().bean(StateReader.class).standings(List.of(robin)).get(robin.id()))
        .map(StateReader.Standing::brake);
  }

  @Test
  void whatIsNotAnsweredIsToldToStaff() {
    var robin = loop("hello?");
    assertThat(brake(robin)).isEmpty();
    braked(robin, "hello?");
    assertThat(brake(robin))
        .hasValueSatisfying(why -> assertThat(why).startsWith("the same text 5 times in a row"));
    answered(robin, "here I am");
    assertThat(brake(robin)).isEmpty();
  }

  @Test
  void aModelThatIsShownNoHistoryIsProtectedToo() {
    try (var other =
        PromptDay.of(SameTextTest.class, setup -> setup.with("chat.history-limit", "0"))) {
      var robin = other.greeted(ChannelKind.SIMULATOR);
      other.fake().otherwise(asked -> Scripted.say("I see."));
      for (int times = 1; times < SameText.TURNS_AT_MOST; times++) {
        other.line().answered(robin, "hello?");
      }
      assertThat(other.fake().asked().getLast().texts("user")).containsExactly("hello?");
      assertThat(other.line().answered(robin, "hello?")).containsEntry("outcome", "braked");
    }
  }
}
