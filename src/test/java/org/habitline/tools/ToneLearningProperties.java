package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.habitline.Seeds;
import org.junit.jupiter.api.Test;

class ToneLearningProperties {

  private static final ToneTag[] TAGS = ToneTag.values();

  private static Tone learnt(Random random, int steps) {
    var tone = Tone.unknown();
    for (var step = 0; step < steps; step++) {
      tone = step(tone, random);
    }
    return tone;
  }

  private static Tone step(Tone tone, Random random) {
    var tags = someTags(random);
    // Out of range on purpose: what a model writes is clamped.
    var confidence = random.nextDouble() * 1.4 - 0.2;
    // Repeated observations, or implicit learning would never reach the thresholds.
    if (random.nextInt(4) > 0) {
      for (var times = random.nextInt(12); times >= 0; times--) {
        tone = ToneLearning.implicit(tone, tags, confidence, Habit.NOW);
      }
      return tone;
    }
    return ToneLearning.explicit(tone, tags, confidence, Habit.NOW);
  }

  private static EnumSet<ToneTag> someTags(Random random) {
    var tags = EnumSet.noneOf(ToneTag.class);
    for (var n = random.nextInt(5); n > 0; n--) {
      tags.add(TAGS[random.nextInt(TAGS.length)]);
    }
    return tags;
  }

  @Test
  void scoresStayWithinZeroAndOneAndTagsAreKnown() {
    Seeds.each(
        200,
        seed -> {
          var random = new Random(seed);
          var tone = Tone.unknown();
          for (var step = 0; step < 30; step++) {
            tone = step(tone, random);
            assertThat(tone.scores().values()).allMatch(score -> score >= 0 && score <= 1);
            assertThat(ToneTag.words())
                .containsAll(tone.tags())
                .containsAll(tone.scores().keySet());
          }
        });
  }

  @Test
  void neverBothOfAnExclusivePairAreOn() {
    Seeds.each(
        200,
        seed -> {
          var random = new Random(seed);
          var tone = Tone.unknown();
          for (var step = 0; step < 30; step++) {
            tone = step(tone, random);
            for (var pair : ToneTag.EXCLUSIVE) {
              assertThat(
                      tone.tags().containsAll(List.of(pair.first().word(), pair.second().word())))
                  .as("both of %s are on in %s", pair, tone)
                  .isFalse();
            }
          }
        });
  }

  @Test
  void aTagIsOnFromTheUpperThresholdAndOffUpToTheLowerAndElseAsItWas() {
    Seeds.each(
        200,
        seed -> {
          var random = new Random(seed);
          var before = learnt(random, 15);
          var after = step(before, random);
          for (var tag : TAGS) {
            var score = after.scores().getOrDefault(tag.word(), 0.0);
            var on = after.tags().contains(tag.word());
            if (score >= ToneLearning.ON) {
              assertThat(on).isTrue();
            } else if (score <= ToneLearning.OFF) {
              assertThat(on).isFalse();
            }
          }
          var observed = someTags(random);
          var next = ToneLearning.implicit(after, observed, 1, Habit.NOW);
          for (var tag : TAGS) {
            var score = next.scores().getOrDefault(tag.word(), 0.0);
            if (score > ToneLearning.OFF && score < ToneLearning.ON) {
              assertThat(next.tags().contains(tag.word()))
                  .isEqualTo(after.tags().contains(tag.word()));
            }
          }
        });
  }

  @Test
  void anImplicitObservationMovesEveryScoreByTheSameWeight() {
    Seeds.each(
        200,
        seed -> {
          var random = new Random(seed);
          var before = learnt(random, 10);
          var observed = someTags(random);
          var strength = random.nextDouble();
          var after = ToneLearning.implicit(before, observed, strength, Habit.NOW);
          for (var tag : TAGS) {
            var expected =
                0.85 * before.scores().getOrDefault(tag.word(), 0.0)
                    + (observed.contains(tag) ? 0.15 * strength : 0);
            var score = after.scores().getOrDefault(tag.word(), 0.0);
            if (score != ToneLearning.DROPPED) {
              assertThat(score).isCloseTo(expected, within(1e-12));
            }
          }
        });
  }

  @Test
  void whatWasAskedForIsOnAtOnceAndAskingTwiceChangesNothing() {
    Seeds.each(
        200,
        seed -> {
          var random = new Random(seed);
          var before = learnt(random, 10);
          var tags = someTags(random);
          var confidence = random.nextDouble();
          var once = ToneLearning.explicit(before, tags, confidence, Habit.NOW);
          var later = Instant.parse("2026-11-22T00:00:00Z");
          assertThat(ToneLearning.explicit(once, tags, confidence, later)).isSameAs(once);
          for (var tag : tags) {
            var opposed =
                ToneTag.EXCLUSIVE.stream()
                    .anyMatch(pair ->
                        (pair.first() == tag && tags.contains(pair.second()))
                            || (pair.second() == tag && tags.contains(pair.first())));
            if (!opposed) {
              assertThat(once.tags()).contains(tag.word());
            }
          }
        });
  }

  @Test
  void everyChangeRaisesTheVersionByOne() {
    Seeds.each(
        100,
        seed -> {
          var random = new Random(seed);
          var before = learnt(random, 5);
          var after =
              ToneLearning.explicit(before, someTags(random), random.nextDouble(), Habit.NOW);
          assertThat(after.version())
              .isEqualTo(after.equals(before) ? before.version() : before.version() + 1);
        });
  }
}
