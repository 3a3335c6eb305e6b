package org.habitline.messaging.outbox;

import java.util.Map;
import java.util.Optional;

/**
 * The alphabet of SMS: the default alphabet of 3GPP TS 23.038 (6.2.1) with its extension table
 * (6.2.1.1), without national tables, as Twilio and the carriers count it.
 */
final class Gsm7 {

  private static final String BASIC =
      "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
          + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

  /** The extension table; each of these is preceded by an escape. */
  private static final String EXTENSION = "\f^{}\\[~]|€";

  /**
   * Replacements for typographic characters. Letters are never replaced, as that would change
   * words, nor are the joiners inside an emoji.
   */
  private static final Map<String, String> FOLDS =
      Map.of(
          "'", "\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u02b9\u02bb\u02bc\u02c8\u00b4`",
          "\"", "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u301d\u301e",
          "-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u2022\u2023\ufe58\ufe63\uff0d",
          "...", "\u2026",
          "..", "\u2025",
          " ",
              "\t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
          "\n", "\u0085\u2028\u2029",
          "", "\u00ad\u200b\u2060\ufeff");

  private Gsm7() {}

  static boolean has(int character) {
    return BASIC.indexOf(character) >= 0 || EXTENSION.indexOf(character) >= 0;
  }

  /** Returns how many septets a character of the alphabet takes. */
  static int septets(int character) {
    return EXTENSION.indexOf(character) >= 0 ? 2 : 1;
  }

  /**
   * Returns the text in this alphabet only, with typographic quotes, dashes, ellipses, bullets and
   * blanks replaced by plain ones, or empty if it holds anything else.
   */
  static Optional<String> folded(String text) {
    var folded = new StringBuilder(text.length());
    for (int character : text.codePoints().toArray()) {
      if (has(character)) {
        folded.appendCodePoint(character);
      } else {
        var plain = plain(character);
        if (plain.isEmpty()) {
          return Optional.empty();
        }
        folded.append(plain.get());
      }
    }
    return Optional.of(folded.toString());
  }

  private static Optional<String> plain(int character) {
    return FOLDS.entrySet().stream()
        .filter(fold -> fold.getValue().indexOf(character) >= 0)
        .map(Map.Entry::getKey)
        .findFirst();
  }
}
