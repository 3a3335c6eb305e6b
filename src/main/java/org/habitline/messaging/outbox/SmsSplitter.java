package org.habitline.messaging.outbox;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.jspecify.annotations.Nullable;

/**
 * Splits a message into parts that its channel accepts, and counts the segments charged. A message
 * that is too long is cut after a sentence if possible, else after a word, else at the limit, but
 * never inside a character. In an SMS, typographic characters are replaced by plain ones only where
 * that saves segments.
 */
public final class SmsSplitter {

  /** The longest message that Twilio accepts, in UTF-16 code units (its error 21617 beyond). */
  static final int LONGEST = 1600;

  private SmsSplitter() {}

  /**
   * A part that is sent as one message.
   *
   * @param segments the number of segments that are charged
   * @param encoding of an SMS; the other channels do not charge by it
   */
  public record Part(String body, int segments, @Nullable Encoding encoding) {

    private static Part whole(String body) {
      return new Part(body, 1, null);
    }

    private static Part sms(String body) {
      var encoding = Encoding.of(body);
      return new Part(body, encoding.segments(body), encoding);
    }
  }

  /** Returns the parts of a message, in order. */
  public static List<Part> of(ChannelKind channel, String text) {
    return switch (channel) {
      case SMS -> sms(text);
      case WHATSAPP -> cut(text).stream().map(Part::whole).toList();
      case SIMULATOR -> List.of(Part.whole(text));
    };
  }

  /** Returns the number of segments charged for a message. */
  public static int segments(ChannelKind channel, String text) {
    return segments(of(channel, text));
  }

  private static int segments(List<Part> parts) {
    return parts.stream().mapToInt(Part::segments).sum();
  }

  /**
   * Splits an SMS. If the whole text can be folded, that is tried before cutting, because an
   * ellipsis becomes longer when it is folded.
   */
  private static List<Part> sms(String text) {
    var each = cut(text).stream().map(SmsSplitter::cheapest).toList();
    return folded(text)
        .map(folded -> cut(folded).stream().map(Part::sms).toList())
        .filter(folded -> segments(folded) < segments(each))
        .orElse(each);
  }

  private static Part cheapest(String body) {
    var plain = Part.sms(body);
    return folded(body)
        .filter(folded -> folded.length() <= LONGEST)
        .map(Part::sms)
        .filter(folded -> folded.segments() < plain.segments())
        .orElse(plain);
  }

  private static Optional<String> folded(String text) {
    return Gsm7.folded(text).filter(folded -> !folded.isBlank());
  }

  private static List<String> cut(String text) {
    var parts = new ArrayList<String>();
    var rest = text;
    while (rest.length() > LONGEST) {
      var end = end(rest);
      parts.add(rest.substring(0, end).strip());
      rest = rest.substring(end).strip();
    }
    parts.add(rest);
    return parts.stream().filter(part -> !part.isEmpty()).toList();
  }

  private static int end(String text) {
    for (var boundaries :
        List.of(
            BreakIterator.getSentenceInstance(Locale.ROOT),
            BreakIterator.getLineInstance(Locale.ROOT),
            BreakIterator.getCharacterInstance(Locale.ROOT))) {
      boundaries.setText(text);
      var end = boundaries.isBoundary(LONGEST) ? LONGEST : boundaries.preceding(LONGEST);
      if (end > 0) {
        return end;
      }
    }
    return LONGEST;
  }
}
