package org.habitline.knowledge;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Splits a section into passages. A passage ends at a paragraph if possible, otherwise at a
 * sentence, and in a very long sentence between words. It begins with the last sentences of the
 * passage before, so that an answer that lies on the border is whole in one of them.
 */
final class PassageSplitter {

  /** The most characters of a passage. */
  static final int LONGEST = 1_000;

  /** The most characters that a passage repeats of the one before. */
  private static final int OVERLAP = 200;

  /** A passage ends at a paragraph rather than a later sentence if it is at least this long. */
  private static final int LONG_ENOUGH = LONGEST / 2;

  private static final Pattern PARAGRAPH = Pattern.compile("\\n[ \\t]*\\n\\s*");

  private final String text;
  private final NavigableSet<Integer> paragraphs = new TreeSet<>();
  private final NavigableSet<Integer> sentences = new TreeSet<>();

  private PassageSplitter(String text) {
    this.text = text;
    var gap = PARAGRAPH.matcher(text);
    while (gap.find()) {
      paragraphs.add(gap.end());
    }
    paragraphs.add(text.length());
    sentences.addAll(paragraphs);
    var ends = BreakIterator.getSentenceInstance(Locale.ROOT);
    // A line break within a paragraph is no end of a sentence.
    ends.setText(text.replace('\n', ' '));
    for (int end = ends.first(); end != BreakIterator.DONE; end = ends.next()) {
      if (end > 0) {
        sentences.add(end);
      }
    }
  }

  /** Returns the passages in the order of the text; none for a blank text. */
  static List<String> split(String text) {
    return new PassageSplitter(text.strip()).passages();
  }

  private List<String> passages() {
    var passages = new ArrayList<String>();
    var from = 0;
    var to = 0;
    while (to < text.length()) {
      var end = end(from, to);
      if (end == null) {
        from = to;
        end = cut(from);
      }
      to = end;
      var passage = text.substring(from, to).strip();
      if (!passage.isEmpty()) {
        passages.add(passage);
      }
      from = overlap(from, to);
    }
    return passages;
  }

  /** Returns the end of the passage, after the end of the last, or {@code null} if none is near. */
  private @Nullable Integer end(int from, int last) {
    var furthest = from + LONGEST;
    var paragraph = paragraphs.floor(furthest);
    if (paragraph != null && paragraph > last && paragraph - from >= LONG_ENOUGH) {
      return paragraph;
    }
    var sentence = sentences.floor(furthest);
    return sentence != null && sentence > last ? sentence : null;
  }

  /** Returns an end between two words of a long sentence, or between two characters. */
  private int cut(int from) {
    var furthest = Math.min(text.length(), from + LONGEST);
    if (furthest == text.length()) {
      return furthest;
    }
    for (int at = furthest; at > from + LONG_ENOUGH; at--) {
      if (Character.isWhitespace(text.charAt(at))) {
        return at;
      }
    }
    return Character.isLowSurrogate(text.charAt(furthest)) ? furthest - 1 : furthest;
  }

  /** Returns where the next passage begins: at a sentence shortly before the end of the last. */
  private int overlap(int from, int to) {
    var sentence = sentences.ceiling(to - OVERLAP);
    return sentence != null && sentence > from && sentence < to ? sentence : to;
  }
}
