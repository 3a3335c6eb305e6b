package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.habitline.Seeds;
import org.habitline.flows.FieldType;
import org.habitline.flows.ProfileField;
import org.habitline.messaging.inbox.PlainText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileJsonTest {

  private final ProfileJson json = new ProfileJson();

  @Test
  void aProfileIsStoredUnderTheKeysResearchersRead() {
    var tone =
        new Tone(
            new TreeSet<>(java.util.Set.of("concise")),
            Map.of("concise", 0.8),
            3,
            Habit.NOW,
            "explicit");
    var profile =
        new Profile(
            Map.of("preferred_time", TextNode.valueOf("8:15")),
            Map.of(),
            2,
            5,
            tone,
            Habit.NOW,
            Habit.NOW);
    assertThat(json.write(profile))
        .isEqualTo(
            """
            {"preferred_time":"8:15","success_count":2,"total_prompts":5,\
            "tone":{"tone_tags":["concise"],"tone_scores":{"concise":0.8},"tone_version":3,\
            "tone_last_updated_at":"2026-11-21T07:15:00Z","tone_update_source":"explicit"},\
            "created_at":"2026-11-21T07:15:00Z","updated_at":"2026-11-21T07:15:00Z"}\
            """);
  }

  @Test
  void whatWasWrittenIsReadBack() {
    Seeds.each(
        100,
        seed -> {
          var random = new Random(seed);
          var scores = some(random, Random::nextDouble);
          var tone =
              new Tone(
                  new TreeSet<>(scores.keySet()), scores, count(random), then(random), "implicit");
          var profile =
              new Profile(
                  some(random, ProfileJsonTest::value),
                  some(random, ProfileJsonTest::then),
                  some(random, it -> List.of(new Profile.Archived(value(it), then(it)))),
                  count(random),
                  count(random),
                  tone,
                  then(random),
                  then(random));
          assertThat(json.read(json.write(profile))).isEqualTo(profile);
        });
  }

  @Test
  void aValueThatWasSavedBeforeTheFieldHadItsTypeIsNotItsValue() {
    var types =
        Map.of(
            new FieldType.Text(0, 9), "\"text\"",
            new FieldType.Choice(List.of("a", "b")), "\"a\"",
            new FieldType.Truth(), "true",
            new FieldType.WholeNumber(1, 9), "4",
            new FieldType.Decimal(BigDecimal.ZERO, BigDecimal.TEN), "4.5",
            new FieldType.Date(null, null), "\"2026-11-21\"",
            new FieldType.Texts(3, 9), "[\"one\"]");
    types.forEach((type, own) ->
        types
            .values()
            .forEach(saved -> {
              var field = new ProfileField("f", type, null, true, false, "", List.of(), null);
              var profile =
                  json.read(
                      "{\"f\":%s,\"created_at\":\"%s\",\"updated_at\":\"%s\"}"
                          .formatted(saved, Habit.NOW, Habit.NOW));
              var wholeAsDecimal = type instanceof FieldType.Decimal && saved.equals("4");
              var bothTexts = own.startsWith("\"") && saved.startsWith("\"");
              assertThat(profile.value(field).isPresent())
                  .as("%s holds %s", type, saved)
                  .isEqualTo(own.equals(saved) || wholeAsDecimal || bothTexts);
              assertThat(json.write(profile)).as("what was saved is kept").contains(saved);
            }));
  }

  /** Returns a value of any type that a field can have. */
  private static JsonNode value(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> TextNode.valueOf(word(random));
      case 1 -> BooleanNode.valueOf(random.nextBoolean());
      case 2 -> IntNode.valueOf(random.nextInt());
      case 3 ->
          FieldType.Decimal.stored(
              BigDecimal.valueOf(random.nextInt(-99_999, 99_999), random.nextInt(4)));
      default -> JsonNodeFactory.instance.arrayNode().add(word(random)).add(word(random));
    };
  }

  private static <T> Map<String, T> some(Random random, Function<Random, T> value) {
    var some = new TreeMap<String, T>();
    for (var n = random.nextInt(7); n > 0; n--) {
      some.put(word(random), value.apply(random));
    }
    return some;
  }

  private static String word(Random random) {
    return PlainText.storable(
        random
            .ints(random.nextInt(1, 12), 0, 0x1FFFF)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString());
  }

  private static int count(Random random) {
    return random.nextInt(Integer.MAX_VALUE);
  }

  private static Instant then(Random random) {
    return Instant.EPOCH.plusSeconds(random.nextInt()).plusNanos(random.nextInt(1_000_000_000));
  }

  @Test
  void anEmptyProfileIsReadBack() {
    assertThat(json.read(json.write(json.empty(Habit.NOW)))).isEqualTo(json.empty(Habit.NOW));
  }

  @Test
  void researchersSeeDefaultsAndFieldsTheFlowNoLongerHas() {
    var shown = json.tree(Habit.flow(), Habit.profile(Map.of("motto", "small wins")));
    assertThat(shown.path("intensity").asText()).isEqualTo("normal");
    assertThat(shown.path("motto").asText()).isEqualTo("small wins");
    assertThat(json.read(shown.toString()).fields())
        .isEqualTo(Habit.values(Map.of("intensity", "normal", "motto", "small wins")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{secret",
        "{}",
        "{\"created_at\":\"secret\",\"updated_at\":\"secret\"}",
        "{\"success_count\":\"secret\"}"
      })
  void aProfileThatCannotBeReadSaysSoWithoutRepeatingIt(String stored) {
    assertThatThrownBy(() -> json.read(stored))
        .isInstanceOf(UnreadableProfile.class)
        .hasNoCause()
        .hasMessageNotContaining("secret");
  }

  @Test
  void theLineForAModelIsEmptyUntilSomethingIsKnown() {
    assertThat(ProfileStatus.line(Habit.flow(), json.empty(Habit.NOW))).isEqualTo("{}");
    assertThat(ProfileStatus.missing(Habit.flow(), json.empty(Habit.NOW)))
        .containsExactly("prompt_anchor", "preferred_time");
    assertThat(ProfileStatus.missing(Habit.flow(), Habit.complete())).isEmpty();
  }
}
