package org.habitline.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.habitline.Seeds;
import org.habitline.messaging.twilio.SegmentCount;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.Test;

/** For any text; 300 cases each, whose seeds are printed when one fails. */
final class PartsProperties {

  private static final int CASES = 300;

  private static final List<String> PLAIN =
      List.of(
          "walk", " one", " minute.", " After", " coffee,", " why?\n", " €5", " [x]", " Straße");
  private static final List<String> TYPOGRAPHIC =
      List.of(" don’t", " “yes”", " —", "…", "\u00a0now", " so\u00adcial", "\u2028", " • one");
  private static final List<String> OTHER =
      List.of(" 😀", " 👩‍⚕️", " привет", " naïve", " ça", " 好的。", "🎉🎉🎉");

  private static final Map<String, String> FOLDED =
      Map.of("’", "'", "“", "\"", "”", "\"", "—", "-", "•", "-", "…", "...", "\u00ad", "");

  /**
   * Mostly plain words, with more or less of what makes texts dear, none to some thousand letters
   * long.
   */
  private static String anyText(long seed) {
    var random = new Random(seed);
    var typography = random.nextInt(4) * 4;
    var others = random.nextInt(3) == 0 ? random.nextInt(6) : 0;
    var length = random.nextBoolean() ? random.nextInt(400) : random.nextInt(5_000);
    var text = new StringBuilder();
    while (text.length() < length) {
      var kind = random.nextInt(100);
      var words = kind < others ? OTHER : kind < others + typography ? TYPOGRAPHIC : PLAIN;
      text.append(words.get(random.nextInt(words.size())));
    }
    return "Well" + text.toString().stripTrailing();
  }

  private static int asItIs(String text) {
    return Parts.of(ChannelKind.WHATSAPP, text).stream()
        .mapToInt(part -> SegmentCount.of(part.body()))
        .sum();
  }

  /** The letters and signs, plain and without the blanks between them. */
  private static String letters(String text) {
    var plain = text;
    for (var fold : FOLDED.entrySet()) {
      plain = plain.replace(fold.getKey(), fold.getValue());
    }
    return plain.replaceAll("[\\s\\u00a0\\u2028]+", "");
  }

  private static String joined(List<Parts.Part> parts) {
    return String.join(" ", parts.stream().map(Parts.Part::body).toList());
  }

  @Test
  void foldingNeverCostsMoreAndChangesNothingUnlessItSaves() {
    Seeds.each(
        CASES,
        seed -> {
          var text = anyText(seed);
          var parts = Parts.of(ChannelKind.SMS, text);
          var segments = Parts.segments(ChannelKind.SMS, text);
          assertThat(segments).isLessThanOrEqualTo(asItIs(text));
          if (segments == asItIs(text)) {
            assertThat(parts.stream().map(Parts.Part::body).toList())
                .isEqualTo(
                    Parts.of(ChannelKind.WHATSAPP, text).stream().map(Parts.Part::body).toList());
          }
        });
  }

  @Test
  void thePartsTogetherHaveEveryWord() {
    Seeds.each(
        CASES,
        seed -> {
          var text = anyText(seed);
          assertThat(letters(joined(Parts.of(ChannelKind.SMS, text)))).isEqualTo(letters(text));
          assertThat(letters(joined(Parts.of(ChannelKind.WHATSAPP, text))))
              .isEqualTo(letters(text));
        });
  }

  @Test
  void everyPartIsTakenWholeAndChargedAsTwilioCounts() {
    Seeds.each(
        CASES,
        seed -> {
          assertThat(Parts.of(ChannelKind.SMS, anyText(seed)))
              .isNotEmpty()
              .allSatisfy(part -> {
                assertThat(part.body()).isNotBlank().hasSizeLessThanOrEqualTo(Parts.LONGEST);
                assertThat(PlainText.storable(part.body())).as("no half").isEqualTo(part.body());
                assertThat(part.segments()).isEqualTo(SegmentCount.of(part.body()));
              });
        });
  }

  @Test
  void whatWasPlannedCostsNoMoreWhenItIsPlannedAgain() {
    Seeds.each(
        CASES,
        seed -> {
          assertThat(Parts.of(ChannelKind.SMS, anyText(seed)))
              .allSatisfy(part ->
                  assertThat(
                          Parts.of(ChannelKind.SMS, part.body()).stream()
                              .mapToInt(Parts.Part::segments)
                              .sum())
                      .isLessThanOrEqualTo(part.segments()));
        });
  }
}
