package org.habitline.safety.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.habitline.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** However a message is typed, its verdict stays the same. */
final class SpellingProperties {

  private static final List<String> CRISES =
      List.of(
          "i want to kill myself",
          "been thinking about suicide",
          "he punched me in the face last night",
          "i took too many pills",
          "ya no quiero vivir",
          "me quiero suicidar",
          "me tome demasiadas pastillas",
          "mi marido me golpea");

  private static final List<String> ORDINARY =
      List.of(
          "done, did ten squats after lunch",
          "i would kill for a coffee",
          "me muero de risa",
          "can you move the reminder to seven");

  private static final List<BiFunction<String, SplittableRandom, String>> TYPINGS =
      List.of(
          (text, random) -> text.toUpperCase(Locale.ROOT),
          SpellingProperties::accented,
          (text, random) -> text.replace(" ", "  \u00a0"),
          (text, random) -> text.replaceFirst(" ", "\n"),
          SpellingProperties::stretched,
          (text, random) -> "\u200b" + text.replace("l", "l\u00ad"),
          (text, random) -> wide(text),
          (text, random) -> text + " 😭😭",
          (text, random) -> text + "...",
          (text, random) -> "hi coach. " + text);

  @TempDir Path home;

  @Test
  void theWayOfTypingDoesNotChangeTheVerdict() {
    var rules = CrisisRules.of(home);
    Seeds.each(
        400,
        seed -> {
          var random = new SplittableRandom(seed);
          same(rules, CRISES.get(random.nextInt(CRISES.size())), Level.CRISIS, random);
          same(rules, ORDINARY.get(random.nextInt(ORDINARY.size())), Level.NONE, random);
        });
  }

  private static void same(CrisisRules rules, String plain, Level level, SplittableRandom random) {
    var typed = plain;
    for (int i = random.nextInt(3); i >= 0; i--) {
      typed = TYPINGS.get(random.nextInt(TYPINGS.size())).apply(typed, random);
    }
    assertThat(rules.judge(typed).level()).as(typed).isEqualTo(level);
  }

  @Test
  void anyTextGetsTheSameVerdictTwiceAndNeverFails() {
    var rules = CrisisRules.of(home);
    Seeds.each(
        300,
        seed -> {
          var random = new SplittableRandom(seed);
          var text = new StringBuilder();
          for (int i = random.nextInt(300); i > 0; i--) {
            text.appendCodePoint(random.nextInt(random.nextBoolean() ? 0x80 : 0x1FFFF));
          }
          assertThat(rules.judge(text.toString())).isEqualTo(rules.judge(text.toString()));
        });
  }

  @Test
  void signsAndDigitsMayStandForLetters() {
    var rules = CrisisRules.of(home);
    for (var text :
        List.of(
            "su1cidal thoughts again",
            "thinking about su*cide",
            "wnat to die so bad",
            "k m s tonight",
            "wanttodie",
            "i want 2 die",
            "tengo pensamientos suisidas",
            "ya no kiero vivir")) {
      assertThat(rules.judge(text).level()).as(text).isEqualTo(Level.CRISIS);
    }
  }

  private static String stretched(String text, SplittableRandom random) {
    var letters =
        text.chars().filter(Character::isLetter).distinct().mapToObj(Character::toString).toList();
    var letter = letters.get(random.nextInt(letters.size()));
    return text.replaceFirst(letter + "(?= |$)", letter.repeat(3 + random.nextInt(4)));
  }

  private static String wide(String text) {
    var wide = new StringBuilder();
    text.chars()
        .forEach(
            sign -> wide.append((char) (sign >= 'a' && sign <= 'z' ? sign - 'a' + 0xFF41 : sign)));
    return wide.toString();
  }

  private static String accented(String text, SplittableRandom random) {
    var accented = new StringBuilder();
    text.chars()
        .forEach(sign -> {
          accented.append((char) sign);
          if ("aeiou".indexOf(sign) >= 0 && random.nextBoolean()) {
            accented.append('\u0301');
          }
        });
    return Normalizer.normalize(accented, Normalizer.Form.NFC);
  }
}
