package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With the first prompt of a day the line asks for the intensity, and one word sets it. */
final class IntensityTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(IntensityTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private static String intensity(Participant robin) {
    return day.profile(robin).path("intensity").asText();
  }

  private static List<String> changes(Participant robin) {
    return day.line()
        .column(
            "SELECT concat(coalesce(old_value, 'nothing'), ' -> ', new_value) FROM profile_change"
                + " WHERE participant_id = ? AND field = 'intensity' ORDER BY seq",
            robin.id());
  }

  @Test
  void itIsAskedForOnceADay() {
    var robin = day.prompted();
    assertThat(day.texts(robin, "intensity")).containsExactly(PromptDay.INTENSITY);
    assertThat(day.state(robin)).containsEntry("lastIntensityPromptDate", day.today());
    day.line().answered(robin, "Done");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "intensity")).hasSize(2);
    assertThat(day.state(robin)).containsEntry("lastIntensityPromptDate", day.tomorrow());
  }

  @Test
  void whoWantsItNoMoreIsAskedNoMoreAndTheCoachMaySaySo() {
    var robin = day.prompted();
    day.fake()
        .then(
            Scripted.say("Sure, I won't ask again."),
            Scripted.call("save_user_profile", "{\"ask_intensity\":\"never\"}"),
            Scripted.say("Sure, I won't ask about that again."));
    day.line().answered(robin, "please stop asking how intense it should be");
    assertThat(day.profile(robin).path("ask_intensity").asText()).isEqualTo("never");
    assertThat(day.line().transcript(robin).getLast())
        .isEqualTo("assistant: Sure, I won't ask about that again.");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "prompt")).hasSize(2);
    assertThat(day.texts(robin, "intensity")).hasSize(1);
  }

  @Test
  void whoWantsItOnceAWeekIsNotAskedTheNextDay() {
    var robin = day.prompted();
    day.fake()
        .then(
            Scripted.call("save_user_profile", "{\"ask_intensity\":\"week\"}"),
            Scripted.say("Sure, I'll only ask once a week."));
    day.line().answered(robin, "not every day please");
    day.line().answered(robin, "Done");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "prompt")).hasSize(2);
    assertThat(day.texts(robin, "intensity")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"High, high", "low., low", "' HIGH!', high"})
  void oneWordSetsItAndTheChangeIsRecorded(String reply, String value) {
    var robin = day.prompted();
    assertThat(intensity(robin)).isEqualTo("normal");
    day.line().answered(robin, reply);
    assertThat(intensity(robin)).isEqualTo(value);
    assertThat(changes(robin)).containsExactly("nothing -> \"" + value + "\"");
    assertThat(day.fake().asked().getLast().lastUserText()).isEqualTo(reply);
    assertThat(day.state(robin)).containsKey("dailyPromptRespondedAt");
    assertThat(day.profile(robin).path("success_count").asInt()).isZero();
  }

  @Test
  void itIsAskedAndAnsweredInTheLanguageOfTheParticipant() {
    var robin = day.prompted();
    day.line().answered(robin, "Done");
    day.line().bean(Participants.class).update(robin.id(), ParticipantChange.ofLanguage("es"));
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "prompt"))
        .last()
        .asString()
        .contains("¿Lo hiciste? Responde Hecho o La próxima.");
    assertThat(day.texts(robin, "intensity"))
        .last()
        .isEqualTo(
            "¿Qué tal la intensidad? Ahora es normal; responde suave o intensa para cambiarla.");
    day.line().answered(robin, "Hecho");
    day.line().answered(robin, "Suave.");
    assertThat(intensity(robin)).isEqualTo("low");
    assertThat(day.profile(robin).path("success_count").asInt()).isEqualTo(2);
  }

  @Test
  void whatHoldsAlreadyIsNoChange() {
    var robin = day.prompted();
    day.line().answered(robin, "normal");
    assertThat(intensity(robin)).isEqualTo("normal");
    assertThat(changes(robin)).isEmpty();
  }

  @Test
  void theQuestionOffersWhatItCanBecome() {
    var robin = day.prompted();
    day.line().answered(robin, "high");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "intensity"))
        .last()
        .isEqualTo("How is the intensity? It is high now; reply low or normal to change it.");
    day.line().answered(robin, "normal");
    assertThat(intensity(robin)).isEqualTo("normal");
    assertThat(changes(robin)).containsExactly("nothing -> \"high\"", "\"high\" -> \"normal\"");
  }

  @Test
  void ofTwoWordsTheLastOneHolds() {
    var robin = day.prompted();
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "high");
          day.line().text(robin, "low");
        });
    day.line().awaitTurn(robin, 4);
    assertThat(intensity(robin)).isEqualTo("low");
  }

  @Test
  void doneAndAnIntensityTogetherAreBoth() {
    var robin = day.prompted();
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "Done");
          day.line().text(robin, "high");
        });
    day.line().awaitTurn(robin, 4);
    assertThat(intensity(robin)).isEqualTo("high");
    assertThat(day.profile(robin).path("success_count").asInt()).isEqualTo(1);
  }

  @Test
  void whoWasNotAskedSetsNothing() {
    var robin = day.scheduled("09:30");
    day.line().answered(robin, "high");
    assertThat(intensity(robin)).isEqualTo("normal");
    assertThat(changes(robin)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"my stress is high", "high five", "lower", "highs"})
  void aWordAmongOthersSetsNothing(String text) {
    var robin = day.prompted();
    day.line().answered(robin, text);
    assertThat(intensity(robin)).isEqualTo("normal");
  }

  @Test
  void aTextFromBeforeThePromptSetsNothing() {
    var robin = day.scheduled("09:30");
    day.busy(
        robin,
        () -> {
          day.ringsAt("09:30");
          day.line().text(robin, "high");
          day.at("09:31");
        });
    day.line().awaitTurn(robin, 4);
    assertThat(day.texts(robin, "intensity")).hasSize(1);
    assertThat(intensity(robin)).isEqualTo("normal");
  }

  @Test
  void aPromptThatComesAfterMidnightAsksAndIsAnsweredToo() {
    var robin = day.scheduled(ChannelKind.SIMULATOR, "23:59");
    day.turnAt(robin, "00:30");
    assertThat(day.texts(robin, "intensity")).hasSize(1);
    day.line().answered(robin, "high");
    assertThat(intensity(robin)).isEqualTo("high");
  }

  @Test
  void whatAFlagForbidsIsNotKept() {
    try (var other =
        PromptDay.of(
            IntensityTest.class,
            setup ->
                setup.flow(yaml ->
                    yaml.replace(
                        "\n# Writes the personal habit prompt",
                        "  heart_concern: {type: boolean, description: Heart., flag: {forbids:"
                            + " [intensity: {values: [high]}]}}\n\n"
                            + "# Writes the personal habit prompt")))) {
      var robin = other.prompted();
      other
          .fake()
          .then(
              Scripted.call("save_user_profile", "{\"heart_concern\":true}"),
              Scripted.say("Please take it easy."));
      other.line().answered(robin, "My heart is not well");
      assertThat(other.profile(robin).path("heart_concern").booleanValue()).isTrue();
      other.line().answered(robin, "High");
      assertThat(other.profile(robin).path("intensity").asText()).isEqualTo("normal");
      other.line().answered(robin, "Low");
      assertThat(other.profile(robin).path("intensity").asText()).isEqualTo("low");
    }
  }
}
