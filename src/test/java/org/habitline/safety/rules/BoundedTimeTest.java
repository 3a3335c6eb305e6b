package org.habitline.safety.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.habitline.CountingText;
import org.habitline.Seeds;
import org.habitline.safety.rules.Phrase.Steps;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message cannot make the rules slow; comparisons are counted, not milliseconds. */
final class BoundedTimeTest {

  private static final List<String> WORDS =
      List.of(
          "i", "me", "my", "want", "to", "die", "kill", "not", "no", "he", "hit", "the", "all",
          "took", "pills", "pain", "in", "chest", "que", "quiero", "morir", "se", "de", "la", "no",
          "puedo", "mas", "if", "you", "and", "gonna", "when", "it", "end", "30", "\"", ".", "😂");

  @TempDir Path home;

  private static long steps(CrisisRules rules, String message) {
    var steps = new Steps();
    rules.judge(message, steps);
    return steps.count();
  }

  @Test
  void comparisonsGrowNoFasterThanTheText() {
    var rules = CrisisRules.of(home);
    Seeds.each(
        20,
        seed -> {
          var random = new SplittableRandom(seed);
          var once = new StringBuilder();
          for (int i = 0; i < 200; i++) {
            once.append(WORDS.get(random.nextInt(WORDS.size()))).append(' ');
          }
          var twice = once.toString() + once;
          assertThat(steps(rules, twice)).isLessThan(2 * steps(rules, once.toString()) + 100_000);
        });
  }

  @Test
  void anOrdinaryMessageIsComparedWithFewPhrases() {
    var rules = CrisisRules.of(home);
    assertThat(steps(rules, "Can you remind me later at 8pm please")).isLessThan(2_000);
    assertThat(steps(rules, "I walked for 20 minutes this morning and it felt great"))
        .isLessThan(1_000);
  }

  @Test
  void theEndOfAHugeMessageIsReadToo() {
    var rules = CrisisRules.of(home);
    var padding = "good walk today. ".repeat(20_000 / 17);
    assertThat(rules.judge(padding).level()).isEqualTo(Level.NONE);
    assertThat(rules.judge(padding + "I want to die").level()).isEqualTo(Level.CRISIS);
    assertThat(rules.judge("I want to die. " + padding).level()).isEqualTo(Level.CRISIS);
  }

  @Test
  void aHugeMessageIsJudgedInBoundedTime() {
    var rules = CrisisRules.of(home);
    for (var part :
        List.of("i ", "no ", "me ", "a", "want to ", "..", "\"", "k ", "i want to die. ", "!1")) {
      var message = part.repeat(20_000 / part.length());
      assertThat(steps(rules, message)).as(part).isLessThan(10_000L * 20_000);
    }
  }

  @Test
  void aTextWithoutWordsIsComparedLessOftenThanItHasCharacters() {
    var rules = CrisisRules.of(home);
    CountingText.KINDS.forEach(
        (kind, sign) -> assertThat(steps(rules, sign.repeat(9_900))).as(kind).isLessThan(9_900));
    assertThat(steps(rules, " ".repeat(4_096))).isZero();
  }
}
