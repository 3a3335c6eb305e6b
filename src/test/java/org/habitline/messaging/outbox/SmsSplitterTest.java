package org.habitline.messaging.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** As how many texts a text is charged, and in which characters it goes out. */
final class SmsSplitterTest {

  private static SmsSplitter.Part only(String text) {
    return SmsSplitter.of(ChannelKind.SMS, text).stream()
        .reduce((a, b) -> {
          throw new AssertionError("more than one part");
        })
        .orElseThrow();
  }

  static Stream<Arguments> texts() {
    return Stream.of(
        arguments("one letter", "a", Encoding.GSM_7, 1),
        arguments("160 letters", "a".repeat(160), Encoding.GSM_7, 1),
        arguments("161 letters", "a".repeat(161), Encoding.GSM_7, 2),
        arguments("twice 153", "a".repeat(2 * 153), Encoding.GSM_7, 2),
        arguments("twice 153 and one", "a".repeat(2 * 153 + 1), Encoding.GSM_7, 3),
        arguments("ten times 153", "a".repeat(10 * 153), Encoding.GSM_7, 10),
        arguments("ten times 153 and one", "a".repeat(10 * 153 + 1), Encoding.GSM_7, 11),
        arguments("letters of the alphabet", "é Ü ß Ω Ñ å Ç ¿ @ £ ¥ §\r\n", Encoding.GSM_7, 1),
        arguments("80 signs of two", "€".repeat(80), Encoding.GSM_7, 1),
        arguments("81 signs of two", "€".repeat(81), Encoding.GSM_7, 2),
        arguments("all signs of two", "|^€{}[]~\\\f".repeat(8), Encoding.GSM_7, 1),
        arguments("and one more", "|^€{}[]~\\\f".repeat(8) + "a", Encoding.GSM_7, 2),
        arguments("159 and a sign of two", "a".repeat(159) + "€", Encoding.GSM_7, 2),
        arguments("158 and a sign of two", "a".repeat(158) + "€", Encoding.GSM_7, 1),
        arguments(
            "a sign of two that would be torn",
            "a".repeat(152) + "€" + "a".repeat(152),
            Encoding.GSM_7,
            3),
        arguments(
            "a sign of two that just fits",
            "a".repeat(151) + "€" + "a".repeat(153),
            Encoding.GSM_7,
            2),
        arguments("70 letters of another alphabet", "я".repeat(70), Encoding.UCS_2, 1),
        arguments("71", "я".repeat(71), Encoding.UCS_2, 2),
        arguments("twice 67", "я".repeat(2 * 67), Encoding.UCS_2, 2),
        arguments("twice 67 and one", "я".repeat(2 * 67 + 1), Encoding.UCS_2, 3),
        arguments("35 emoji", "😀".repeat(35), Encoding.UCS_2, 1),
        arguments("36 emoji", "😀".repeat(36), Encoding.UCS_2, 2),
        arguments(
            "an emoji that would be torn",
            "я".repeat(66) + "😀" + "я".repeat(66),
            Encoding.UCS_2,
            3),
        arguments(
            "an emoji that just fits", "я".repeat(65) + "😀" + "я".repeat(67), Encoding.UCS_2, 2),
        arguments("70 with an emoji", "a".repeat(68) + "😀", Encoding.UCS_2, 1),
        arguments("71 with an emoji", "a".repeat(69) + "😀", Encoding.UCS_2, 2),
        arguments("a letter that is not in the alphabet", "ê", Encoding.UCS_2, 1),
        arguments("a small c with a cedilla, of which only the large is", "ç", Encoding.UCS_2, 1));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("texts")
  void segmentsAreCountedAsCarriersDo(String what, String text, Encoding encoding, int segments) {
    assertThat(only(text)).as(what).isEqualTo(new SmsSplitter.Part(text, segments, encoding));
  }

  @ParameterizedTest
  @EnumSource(Encoding.class)
  void theRoomOfSoManySegmentsIsFilledByThatManyCharacters(Encoding encoding) {
    var letter = encoding == Encoding.GSM_7 ? "a" : "я";
    for (int segments = 1; segments <= 6; segments++) {
      var full = letter.repeat(encoding.room(segments));
      assertThat(encoding.segments(full)).isEqualTo(segments);
      assertThat(encoding.segments(full + letter)).isEqualTo(segments + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u2018", "\u2019", "\u201a", "\u201b", "\u2032", "`", "\u00b4", "\u201c", "\u201d",
        "\u201e", "\u00ab", "\u00bb", "\u2010", "\u2011", "\u2013", "\u2014", "\u2212", "\u2026",
        "\u00a0", "\u202f", "\u2009", "\u3000", "\t", "\u2028", "\u00ad", "\u200b", "\ufeff",
        "\u2022"
      })
  void typographyIsFoldedWhereThatSavesSegments(String character) {
    var text = "a".repeat(40) + character + "a".repeat(40);
    var sent = only(text);
    assertThat(sent.encoding()).isEqualTo(Encoding.GSM_7);
    assertThat(sent.segments()).isEqualTo(1);
    assertThat(sent.body()).startsWith("a".repeat(40)).endsWith("a".repeat(40)).isNotEqualTo(text);
  }

  @Test
  void foldedTextsReadAsBefore() {
    assertThat(
            only("“Don’t rush” — it’s one minute… Ready\u00a0when you are – after the ‘coffee’ break.")
                .body())
        .isEqualTo(
            "\"Don't rush\" - it's one minute... Ready when you are - after the 'coffee' break.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "It’s one minute.",
        "“Done” — or “Next time”?",
        "Today’s minute is here 🎉 — after the coffee brews, try one minute of stretching. It’s yours.",
        "L’été, c’est l’heure – ça commence par une minute d’étirements, après le café, d’accord ?"
      })
  void whatCostsTheSameIsSentAsItWasSaid(String text) {
    assertThat(only(text).body()).isEqualTo(text);
  }

  @Test
  void anEllipsisIsNotFoldedIntoOneSegmentMore() {
    var fits = "a".repeat(69) + "…";
    assertThat(only(fits)).isEqualTo(new SmsSplitter.Part(fits, 1, Encoding.UCS_2));
    assertThat(only("a".repeat(158) + "…").segments()).as("three as it is").isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(
      value = ChannelKind.class,
      names = {"WHATSAPP", "SIMULATOR"})
  void whatIsNotChargedByItsLengthIsSentAsItWasSaid(ChannelKind channel) {
    var text = "It’s one minute — ".repeat(20).strip();
    assertThat(SmsSplitter.of(channel, text)).containsExactly(new SmsSplitter.Part(text, 1, null));
  }

  @Test
  void aTextThatIsTooLongIsCutAfterASentenceAndEachPartCounted() {
    var sentence = "Walk to the window — it’s only a minute… and look out. ";
    var parts = SmsSplitter.of(ChannelKind.SMS, sentence.repeat(40).strip());
    assertThat(parts)
        .hasSizeGreaterThan(1)
        .allSatisfy(part -> {
          assertThat(part.body()).endsWith(".").hasSizeLessThanOrEqualTo(SmsSplitter.LONGEST);
          assertThat(part.encoding()).isEqualTo(Encoding.GSM_7);
          assertThat(part.segments()).isEqualTo(Encoding.GSM_7.segments(part.body()));
        });
    assertThat(String.join(" ", parts.stream().map(SmsSplitter.Part::body).toList()))
        .isEqualTo("Walk to the window - it's only a minute... and look out. ".repeat(40).strip());
  }

  @Test
  void anEllipsisThatMakesATextTooLongMovesTheCut() {
    var text = "a".repeat(99) + " " + "and so on… ".repeat(136).strip();
    assertThat(text.length()).isLessThanOrEqualTo(SmsSplitter.LONGEST);
    assertThat(SmsSplitter.of(ChannelKind.SMS, text))
        .hasSize(2)
        .allSatisfy(part -> assertThat(part.encoding()).isEqualTo(Encoding.GSM_7));
  }

  @Test
  void eachPartIsFoldedForItself() {
    var plain = "It’s one minute. ".repeat(120).strip();
    var withEmoji = "It’s one minute 🎉. ".repeat(60).strip();
    assertThat(
            SmsSplitter.of(ChannelKind.SMS, plain + " " + withEmoji).stream()
                .map(SmsSplitter.Part::encoding))
        .startsWith(Encoding.GSM_7)
        .endsWith(Encoding.UCS_2);
  }

  @Test
  void aTextOfNothingVisibleIsNotFoldedAway() {
    var text = "\u200b".repeat(71);
    assertThat(SmsSplitter.of(ChannelKind.SMS, text).stream().map(SmsSplitter.Part::body).toList())
        .isEqualTo(List.of(text));
  }
}
