package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SaveUserProfileTest {

  private final SaveUserProfile tool = new SaveUserProfile();

  private ToolOutcome save(Profile profile, String arguments) {
    return tool.call(Habit.run(profile), Habit.json(arguments));
  }

  private static Profile saved(ToolOutcome outcome) {
    assertThat(outcome.effects()).hasSize(1);
    return ((Effect.SaveProfile) outcome.effects().getFirst()).profile();
  }

  private static String status(ToolOutcome outcome) {
    return outcome.result().path("status").asText();
  }

  private static List<String> texts(ToolOutcome outcome, String key) {
    return StreamSupport.stream(outcome.result().path(key).spliterator(), false)
        .map(value -> value.asText())
        .toList();
  }

  @Test
  void onlyWhatIsGivenAndDifferentIsChanged() {
    var outcome =
        save(
            Habit.complete(),
            """
            {"prompt_anchor":"before a meeting","preferred_time":"8:15","habit_domain":null}\
            """);
    assertThat(status(outcome)).isEqualTo("success");
    assertThat(texts(outcome, "changed")).containsExactly("prompt_anchor");
    assertThat(saved(outcome).fields())
        .isEqualTo(
            Habit.values(Map.of("prompt_anchor", "before a meeting", "preferred_time", "8:15")));
    var change = ((Effect.SaveProfile) outcome.effects().getFirst()).changes().getFirst();
    assertThat(change.before().asText()).isEqualTo("while the coffee brews");
    assertThat(change.after().asText()).isEqualTo("before a meeting");
  }

  @Test
  void aNewFieldComesFromNothing() {
    var outcome = save(Habit.profile(Map.of()), "{\"habit_domain\":\"movement\"}");
    var change = ((Effect.SaveProfile) outcome.effects().getFirst()).changes().getFirst();
    assertThat(change.before().isNull()).isTrue();
    assertThat(texts(outcome, "missing_for_prompt"))
        .containsExactly("prompt_anchor", "preferred_time");
  }

  @Test
  void whatIsSavedAlreadyIsNoChange() {
    var outcome = save(Habit.complete(), "{\"preferred_time\":\" 8:15 \"}");
    assertThat(status(outcome)).isEqualTo("noop");
    assertThat(outcome.effects()).isEmpty();
  }

  @Test
  void theDefaultOfAFieldIsWhatItSaysBeforeAnyoneSetIt() {
    var chosen = save(Habit.complete(), "{\"intensity\":\"normal\"}");
    assertThat(texts(chosen, "changed")).containsExactly("intensity");
    assertThat(saved(chosen).fields()).containsEntry("intensity", TextNode.valueOf("normal"));
    assertThat(status(save(saved(chosen), "{\"intensity\":\"normal\"}"))).isEqualTo("noop");
    var outcome = save(Habit.complete(), "{\"intensity\":\"HIGH\"}");
    assertThat(saved(outcome).fields()).containsEntry("intensity", TextNode.valueOf("high"));
    var change = ((Effect.SaveProfile) outcome.effects().getFirst()).changes().getFirst();
    assertThat(change.before().asText()).isEqualTo("normal");
  }

  @Test
  void anAliasIsTheField() {
    var outcome = save(Habit.profile(Map.of()), "{\"last_blocker\":\"no time\"}");
    assertThat(saved(outcome).fields()).isEqualTo(Habit.values(Map.of("last_barrier", "no time")));
    assertThat(
            tool.spec(Habit.flow(), Habit.module()).schema().path("properties").has("last_blocker"))
        .isFalse();
    assertThat(
            status(save(Habit.complete(), "{\"last_blocker\":\"one\",\"last_barrier\":\"other\"}")))
        .isEqualTo("error");
  }

  @Test
  void blankTextsAreNotGivenAndTheModelIsToldHowToEmpty() {
    var outcome = save(Habit.complete(), "{\"prompt_anchor\":\"  \\n\"}");
    assertThat(status(outcome)).isEqualTo("noop");
    assertThat(texts(outcome, "notes").getFirst()).contains("prompt_anchor", "clear_fields");
  }

  @Test
  void namedFieldsAreEmptied() {
    var outcome = save(Habit.complete(), "{\"clear_fields\":[\"prompt_anchor\",\"last_blocker\"]}");
    assertThat(texts(outcome, "changed")).containsExactly("prompt_anchor");
    assertThat(saved(outcome).fields()).isEqualTo(Habit.values(Map.of("preferred_time", "8:15")));
  }

  @Test
  void controlCharactersAreDroppedAndLinesJoined() {
    var outcome = save(Habit.profile(Map.of()), "{\"habit_domain\":\"a\\u0000 walk\\nat\\tnoon\"}");
    assertThat(saved(outcome).fields())
        .isEqualTo(Habit.values(Map.of("habit_domain", "a walk at noon")));
  }

  @Test
  void theLengthIsCountedInCharactersNotInHalves() {
    var emoji = "😀".repeat(60);
    assertThat(status(save(Habit.profile(Map.of()), "{\"preferred_time\":\"" + emoji + "\"}")))
        .isEqualTo("success");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"habbit_domain":"movement"}                         | habbit_domain   | no argument of this name
          {"success_count":99}                                 | success_count   | no argument of this name
          {"intensity":"extreme"}                              | intensity       | valid values
          {"prompt_anchor":7}                                  | prompt_anchor   | A text is expected, not a number
          {"tone_tags":"concise"}                              | tone_tags       | A list of words is expected, not a text
          {"tone_tags":[1]}                                    | tone_tags       | only words
          {"tone_confidence":"very"}                           | tone_confidence | A number is expected
          {"tone_update_source":"guessed"}                     | tone_update_source | valid values
          {"clear_fields":["success_count"]}                   | clear_fields    | no field success_count
          {"prompt_anchor":"x","clear_fields":["prompt_anchor"]} | clear_fields  | both set and emptied
          {"tone_tags":["formal"],"clear_fields":["tone_tags"]} | clear_fields   | both set and emptied
          """)
  void aBadArgumentIsRefusedByNameAndNothingElseIsSaved(
      String arguments, String field, String message) {
    var given = Habit.json(arguments);
    given.put("preferred_time", "noon");
    var outcome = tool.call(Habit.run(Habit.complete()), given);
    assertThat(status(outcome)).isEqualTo("error");
    assertThat(outcome.effects()).isEmpty();
    assertThat(outcome.result().path("field").asText()).isEqualTo(field);
    assertThat(outcome.result().path("message").asText()).contains(message);
  }

  @Test
  void aTextThatIsTooLongIsRefusedWithTheBound() {
    var outcome = save(Habit.complete(), "{\"preferred_time\":\"" + "x".repeat(61) + "\"}");
    assertThat(outcome.result().path("field").asText()).isEqualTo("preferred_time");
    assertThat(outcome.result().path("message").asText()).contains("61", "at most 60");
    assertThat(outcome.result().toString()).doesNotContain("xxx");
  }

  @Test
  void theRefusalOfAChoiceListsTheValidValues() {
    var outcome = save(Habit.complete(), "{\"intensity\":\"extreme\"}");
    assertThat(texts(outcome, "valid_values")).containsExactly("low", "normal", "high");
  }

  @Test
  void whatWasAskedForSetsTheToneAtOnce() {
    var outcome =
        save(
            Habit.complete(),
            """
            {"tone_tags":["concise","pirate"],"tone_update_source":"explicit","tone_confidence":7}\
            """);
    assertThat(saved(outcome).tone().tags()).containsExactly("concise");
    assertThat(saved(outcome).tone().scores()).isEqualTo(Map.of("concise", 1.0));
    assertThat(texts(outcome, "changed")).containsExactly("tone");
    assertThat(texts(outcome, "notes").getFirst()).contains("pirate");
  }

  @Test
  void aToneWithoutASourceIsOnlyAnObservation() {
    var outcome = save(Habit.complete(), "{\"tone_tags\":[\"concise\"]}");
    assertThat(saved(outcome).tone().tags()).isEmpty();
    assertThat(saved(outcome).tone().scores()).isEqualTo(Map.of("concise", 0.15));
    assertThat(saved(outcome).tone().updateSource()).isEqualTo("implicit");
  }

  @Test
  void anObservationTooSoonAfterTheLastIsLeftOutWithTheReasonAndTheRestIsSaved() {
    var observed = saved(save(Habit.complete(), "{\"tone_tags\":[\"concise\"]}"));
    var soon = Habit.run(observed, Habit.NOW.plus(Duration.ofMinutes(2)));
    var arguments = Habit.json("{\"tone_tags\":[\"concise\"],\"habit_domain\":\"movement\"}");
    var outcome = tool.call(soon, arguments);
    assertThat(texts(outcome, "changed")).containsExactly("habit_domain");
    assertThat(saved(outcome).tone()).isEqualTo(observed.tone());
    assertThat(texts(outcome, "notes").getFirst()).contains("every 3 minutes");

    arguments.remove("habit_domain");
    var alone = tool.call(soon, arguments);
    assertThat(status(alone)).isEqualTo("noop");
    assertThat(texts(alone, "notes").getFirst()).contains("every 3 minutes");

    var later = Habit.run(observed, Habit.NOW.plus(Duration.ofMinutes(3)));
    assertThat(saved(tool.call(later, arguments)).tone().version()).isEqualTo(2);
  }

  @Test
  void theToneCanBeForgotten() {
    var formal =
        saved(
            save(
                Habit.complete(),
                "{\"tone_tags\":[\"formal\"],\"tone_update_source\":\"explicit\"}"));
    var outcome = save(formal, "{\"clear_fields\":[\"tone_tags\"]}");
    assertThat(saved(outcome).tone().tags()).isEmpty();
    assertThat(saved(outcome).tone().scores()).isEmpty();
  }

  @Test
  void fieldsOfAnEarlierVersionOfTheFlowAreKept() {
    var outcome =
        save(Habit.profile(Map.of("motto", "small wins")), "{\"habit_domain\":\"movement\"}");
    assertThat(saved(outcome).fields()).containsEntry("motto", TextNode.valueOf("small wins"));
  }
}
