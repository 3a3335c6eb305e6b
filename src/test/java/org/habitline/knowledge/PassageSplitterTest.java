package org.habitline.knowledge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.habitline.Seeds;
import org.junit.jupiter.api.Test;

/** How a text becomes passages. */
final class PassageSplitterTest {

  private static String sentences(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> "This is the sentence with the number " + i + ".")
        .collect(Collectors.joining(" "));
  }

  @Test
  void aShortTextIsOnePassage() {
    assertThat(PassageSplitter.split("  One.\n\nTwo.\n")).containsExactly("One.\n\nTwo.");
    assertThat(PassageSplitter.split(" \n ")).isEmpty();
  }

  @Test
  void aLongTextEndsAtSentencesAndRepeatsTheLastOnes() {
    var passages = PassageSplitter.split(sentences(0, 60));
    assertThat(passages).hasSizeGreaterThan(2);
    assertThat(passages)
        .allSatisfy(passage ->
            assertThat(passage)
                .startsWith("This is")
                .endsWith(".")
                .hasSizeLessThanOrEqualTo(1_000));
    for (int i = 1; i < passages.size(); i++) {
      var first = passages.get(i).substring(0, passages.get(i).indexOf('.') + 1);
      assertThat(passages.get(i - 1)).contains(first);
    }
  }

  @Test
  void aParagraphIsABetterEndThanASentence() {
    var passages = PassageSplitter.split(sentences(0, 15) + "\n\n" + sentences(15, 40));
    assertThat(passages.getFirst()).isEqualTo(sentences(0, 15));
  }

  @Test
  void aLineBreakIsNoEndOfASentence() {
    var text = sentences(0, 60).replace(" with ", "\nwith ");
    assertThat(PassageSplitter.split(text))
        .allSatisfy(passage -> assertThat(passage).startsWith("This is").endsWith("."));
  }

  @Test
  void aVeryLongSentenceEndsBetweenWordsAndAVeryLongWordBetweenCharacters() {
    assertThat(PassageSplitter.split("word ".repeat(500)))
        .hasSize(3)
        .allSatisfy(passage -> assertThat(passage).matches("(word ?)+").hasSizeBetween(1, 1_000));
    var faces = "🙂".repeat(1_500);
    assertThat(String.join("", PassageSplitter.split("a" + faces))).isEqualTo("a" + faces);
    assertThat(PassageSplitter.split("a" + faces))
        .noneMatch(passage -> Character.isLowSurrogate(passage.charAt(0)));
  }

  @Test
  void nothingIsLostAndNoPassageIsTooLong() {
    Seeds.each(
        300,
        seed -> {
          var random = new SplittableRandom(seed);
          var text = new StringBuilder();
          for (int i = random.nextInt(600); i >= 0; i--) {
            text.append("w").append(i).append("x".repeat(random.nextInt(20)));
            text.append(
                switch (random.nextInt(12)) {
                  case 0 -> ". ";
                  case 1 -> "\n\n";
                  case 2 -> ".\n";
                  case 3 -> "! ";
                  default -> " ";
                });
          }
          var passages = PassageSplitter.split(text.toString());
          assertThat(passages).allSatisfy(it -> assertThat(it).hasSizeBetween(1, 1_000));
          var place = 0;
          for (var word : text.toString().strip().split("\\s+", -1)) {
            while (!passages.get(place).contains(word)) {
              place++;
              assertThat(place).as(word).isLessThan(passages.size());
            }
          }
        });
  }
}
