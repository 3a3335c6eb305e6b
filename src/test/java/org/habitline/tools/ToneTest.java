package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ToneTest {

  private static Tone on(Map<String, Double> scores, String... tags) {
    return new Tone(new TreeSet<>(Set.of(tags)), scores, 1, Habit.NOW, ToneLearning.IMPLICIT);
  }

  @Test
  void aPatternSeenSevenTimesIsStillOffAndTheEighthTimeItIsOn() {
    var tone = Tone.unknown();
    for (var times = 1; times <= 7; times++) {
      tone = ToneLearning.implicit(tone, EnumSet.of(ToneTag.CONCISE), 1, Habit.NOW);
    }
    assertThat(tone.tags()).isEmpty();
    tone = ToneLearning.implicit(tone, EnumSet.of(ToneTag.CONCISE), 1, Habit.NOW);
    assertThat(tone.tags()).containsExactly("concise");
  }

  @Test
  void aTagThatIsNoLongerSeenStaysOnUntilTheLowerThreshold() {
    var tone = on(Map.of("casual", 0.7), "casual");
    for (var times = 1; times <= 3; times++) {
      tone = ToneLearning.implicit(tone, EnumSet.of(ToneTag.CONCISE), 1, Habit.NOW);
      assertThat(tone.tags()).containsExactly("casual");
    }
    tone = ToneLearning.implicit(tone, EnumSet.of(ToneTag.CONCISE), 1, Habit.NOW);
    assertThat(tone.tags()).isEmpty();
  }

  @Test
  void theLowerOfTwoExclusiveTagsDrops() {
    var tone =
        ToneLearning.implicit(
            on(Map.of("concise", 0.95, "detailed", 0.9), "concise"),
            EnumSet.of(ToneTag.CONCISE, ToneTag.DETAILED),
            1,
            Habit.NOW);
    assertThat(tone.tags()).containsExactly("concise");
    assertThat(tone.scores().get("detailed")).isEqualTo(0.39);
  }

  @Test
  void noEmojisBeatsAHigherScoreOfEmojisOk() {
    var tone =
        ToneLearning.implicit(
            on(Map.of("no_emojis", 0.9, "emojis_ok", 0.99), "emojis_ok"),
            EnumSet.of(ToneTag.NO_EMOJIS, ToneTag.EMOJIS_OK),
            1,
            Habit.NOW);
    assertThat(tone.tags()).containsExactly("no_emojis");
    assertThat(tone.scores().get("emojis_ok")).isEqualTo(0.39);
  }

  @Test
  void askingForTheOppositeReplacesWhatWasAskedForBefore() {
    var concise = ToneLearning.explicit(Tone.unknown(), EnumSet.of(ToneTag.CONCISE), 1, Habit.NOW);
    var detailed = ToneLearning.explicit(concise, EnumSet.of(ToneTag.DETAILED), 1, Habit.NOW);
    assertThat(detailed.tags()).containsExactly("detailed");
    assertThat(detailed.scores()).containsEntry("concise", 0.39).containsEntry("detailed", 1.0);
  }

  @Test
  void whatWasAskedForWithLittleConfidenceIsOnAllTheSame() {
    var tone = ToneLearning.explicit(Tone.unknown(), EnumSet.of(ToneTag.FORMAL), 0.1, Habit.NOW);
    assertThat(tone.tags()).containsExactly("formal");
    assertThat(tone.updateSource()).isEqualTo("explicit");
    assertThat(tone.lastUpdatedAt()).isEqualTo(Habit.NOW);
  }

  @Test
  void implicitUpdatesComeAtMostEveryThreeMinutes() {
    assertThat(ToneLearning.tooSoon(Tone.unknown(), Habit.NOW)).isFalse();
    var tone = on(Map.of("concise", 0.15));
    assertThat(ToneLearning.tooSoon(tone, Habit.NOW.plus(Duration.ofSeconds(179)))).isTrue();
    assertThat(ToneLearning.tooSoon(tone, Habit.NOW.plus(Duration.ofMinutes(3)))).isFalse();
  }

  @Test
  void thereIsNoPolicyWhileNoTagIsOn() {
    assertThat(TonePolicy.message(Tone.unknown())).isEmpty();
    assertThat(TonePolicy.message(on(Map.of("concise", 0.3)))).isEmpty();
    assertThat(TonePolicy.message(on(Map.of(), "a_tag_of_another_time"))).isEmpty();
  }

  @Test
  void thePolicyOfEveryTagForbidsHostilitySarcasmAndUnsafeLanguage() {
    for (var tag : ToneTag.values()) {
      assertThat(TonePolicy.message(on(Map.of(), tag.word())).orElseThrow())
          .contains(tag.instruction())
          .containsIgnoringCase("never mirror hostility, sarcasm or unsafe language");
    }
  }
}
