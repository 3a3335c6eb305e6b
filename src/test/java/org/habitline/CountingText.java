package org.habitline;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A text that counts how often its characters are read, and ends the reading at a bound: the cost
 * of a pattern that depends neither on the machine nor on what else it does.
 */
public final class CountingText implements CharSequence {

  /** The kinds of characters of which hostile texts consist. */
  public static final NavigableMap<String, String> KINDS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("blank", " "),
              Map.entry("tab", "\t"),
              Map.entry("newline", "\n"),
              Map.entry("no-break space", "\u00A0"),
              Map.entry("letter", "a"),
              Map.entry("digit", "1"),
              Map.entry("dot", "."),
              Map.entry("comma", ","),
              Map.entry("dash", "-"),
              Map.entry("quote", "\""),
              Map.entry("emoji", "🙂"),
              Map.entry("combining mark", "\u0301")));

  /** Thrown when the bound is reached. */
  public static final class TooOften extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private TooOften() {
      super(null, null, false, false);
    }
  }

  private final String text;
  private final long most;
  private long reads;

  public CountingText(String text, long most) {
    this.text = text;
    this.most = most;
  }

  /** Returns how often characters were read. */
  public long reads() {
    return reads;
  }

  @Override
  public char charAt(int index) {
    if (++reads > most) {
      throw new TooOften();
    }
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int from, int to) {
    return text.substring(from, to);
  }

  @Override
  public String toString() {
    return text;
  }
}
