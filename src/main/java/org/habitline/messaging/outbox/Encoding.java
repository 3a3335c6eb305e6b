package org.habitline.messaging.outbox;

/**
 * The encoding of an SMS, which decides how many characters fit into one segment (3GPP TS 23.038
 * and 23.040). If a message has more than one segment, each carries a header that takes room.
 */
public enum Encoding {
  /** The default alphabet, counted in septets. */
  GSM_7("gsm-7", 160, 153),
  /** Everything else, counted in UTF-16 code units. */
  UCS_2("ucs-2", 70, 67);

  private final String word;
  private final int alone;
  private final int together;

  Encoding(String word, int alone, int together) {
    this.word = word;
    this.alone = alone;
    this.together = together;
  }

  /** Returns the encoding that a message needs. */
  static Encoding of(String text) {
    return text.codePoints().allMatch(Gsm7::has) ? GSM_7 : UCS_2;
  }

  public String word() {
    return word;
  }

  /** Returns how many characters fit into this many segments, if each takes one place. */
  public int room(int segments) {
    return segments == 1 ? alone : segments * together;
  }

  /** Returns the number of segments in this encoding; no character is split between two. */
  int segments(String text) {
    var characters = text.codePoints().map(this::places).toArray();
    var total = 0;
    var segments = 1;
    var used = 0;
    for (int places : characters) {
      total += places;
      used += places;
      if (used > together) {
        segments++;
        used = places;
      }
    }
    return total <= alone ? 1 : segments;
  }

  private int places(int character) {
    return switch (this) {
      case GSM_7 -> Gsm7.septets(character);
      case UCS_2 -> Character.charCount(character);
    };
  }
}
