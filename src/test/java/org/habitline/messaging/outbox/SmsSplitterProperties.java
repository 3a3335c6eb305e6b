package org.habitline.messaging.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.habitline.Seeds;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.messaging.twilio.SegmentCount;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.Test;

/** For any text; 300 cases each, whose seeds are printed when one fails. */
final class SmsSplitterProperties {

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
    return SmsSplitter.of(ChannelKind.WHATSAPP, text).stream()
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

  private static String joined(List<SmsSplitter.Part> parts) {
    return String.join(" ", parts.stream().map(SmsSplitter.Part::body).toList());
  }

  @Test
  void foldingNeverCostsMoreAndChangesNothingUnlessItSaves() {
    Seeds.each(
        CASES,
        seed -> {
          var text = anyText(seed);
          var parts = SmsSplitter.of(ChannelKind.SMS, text);
          var segments = SmsSplitter.segments(ChannelKind.SMS, text);
          assertThat(segments).isLessThanOrEqualTo(asItIs(text));
          if (segments == asItIs(text)) {
            assertThat(parts.stream().map(SmsSplitter.Part::body).toList())
                .isEqualTo(
                    SmsSplitter.of(ChannelKind.WHATSAPP, text).stream()
                        .map(SmsSplitter.Part::body)
                        .toList());
          }
        });
  }

  @Test
  void thePartsTogetherHaveEveryWord() {
    Seeds.each(
        CASES,
        seed -> {
          var text = anyText(seed);
          assertThat(letters(joined(SmsSplitter.of(ChannelKind.SMS, text))))
              .isEqualTo(letters(text));
          assertThat(letters(joined(SmsSplitter.of(ChannelKind.WHATSAPP, text))))
              .isEqualTo(letters(text));
        });
  }

  @Test
  void everyPartIsTakenWholeAndChargedAsTwilioCounts() {
    Seeds.each(
        CASES,
        seed -> {
          assertThat(SmsSplitter.of(ChannelKind.SMS, anyText(seed)))
              .isNotEmpty()
              .allSatisfy(part -> {
                assertThat(part.body()).isNotBlank().hasSizeLessThanOrEqualTo(SmsSplitter.LONGEST);
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
          assertThat(SmsSplitter.of(ChannelKind.SMS, anyText(seed)))
              .allSatisfy(part ->
                  assertThat(
                          SmsSplitter.of(ChannelKind.SMS, part.body()).stream()
                              .mapToInt(SmsSplitter.Part::segments)
                              .sum())
                      .isLessThanOrEqualTo(part.segments()));
        });
  }
}
