package org.habitline.messaging;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A text in parts that a provider takes: cut after a sentence if there is one to end with, else
 * after a word, else where it must be, but never inside a character.
 */
final class Parts {

  /** The longest text that Twilio takes, in UTF-16 code units (its error 21617 beyond). */
  static final int LONGEST = 1600;

  private Parts() {}

  static List<String> of(String text) {
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
