package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.habitline.safety.rules.Token.Pause;

/**
 * Splits a message into tokens that no longer depend on case, accents, apostrophes, kind of
 * quotation marks, styled letters or invisible characters. A token may still contain signs that
 * stand for letters, such as {@code k!ll}; {@link Spelling} resolves those. Its time is linear in
 * the length of the message.
 */
final class Tokenizer {

  private static final int FIRST_SKIN_TONE = 0x1F3FB;
  private static final int LAST_SKIN_TONE = 0x1F3FF;

  private static final String APOSTROPHES = "'’‘ʼ´`′";
  private static final String OPENING_OR_CLOSING = "\"“”„‟«»";

  /** Signs that may stand for a letter inside a word. */
  private static final String LETTER_LIKE = "@$!*";

  private static final String ENDS_CLAUSE = ",;:()[]{}…–—|";

  /** Cyrillic letters that look like Latin ones. */
  private static final Map<Integer, Character> LOOK_ALIKE =
      Map.ofEntries(
          Map.entry((int) 'а', 'a'),
          Map.entry((int) 'е', 'e'),
          Map.entry((int) 'і', 'i'),
          Map.entry((int) 'о', 'o'),
          Map.entry((int) 'р', 'p'),
          Map.entry((int) 'с', 'c'),
          Map.entry((int) 'ѕ', 's'),
          Map.entry((int) 'у', 'y'),
          Map.entry((int) 'х', 'x'),
          Map.entry((int) 'ı', 'i'));

  private final int[] text;
  private final List<Token> tokens = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private Pause pause = Pause.SENTENCE;
  private int quote;
  private int quotes;

  private Tokenizer(String message) {
    this.text = plain(message).codePoints().toArray();
  }

  /** Returns the tokens of a message. */
  static List<Token> tokens(String message) {
    return new Tokenizer(message).read();
  }

  /** Returns a text in lower case, without accents and invisible characters. */
  static String plain(String text) {
    return FoldedText.of(text, sign -> sign >= FIRST_SKIN_TONE && sign <= LAST_SKIN_TONE);
  }

  private List<Token> read() {
    for (int at = 0; at < text.length; at++) {
      var sign = text[at];
      if (Character.isLetterOrDigit(sign)) {
        var alike = LOOK_ALIKE.get(sign);
        word.appendCodePoint(alike == null ? sign : alike);
      } else if (isOneOf(LETTER_LIKE, sign) && isInsideWord(at)) {
        word.appendCodePoint(sign);
      } else if ((sign == '.' || sign == ',') && isDigit(at - 1) && isDigit(at + 1)) {
        word.append('.');
      } else if (!isOneOf(APOSTROPHES, sign)) {
        endWord();
        other(sign, at);
      }
    }
    endWord();
    return tokens;
  }

  private void other(int sign, int at) {
    if (isOneOf(OPENING_OR_CLOSING, sign)) {
      quotation();
    } else if (sign == '!' || sign == '?') {
      pause(Pause.SENTENCE);
    } else if (sign == '\n') {
      pause(pause == Pause.LINE ? Pause.SENTENCE : Pause.LINE);
    } else if (sign == '.') {
      pause(isDot(at - 1) || isDot(at + 1) ? Pause.CLAUSE : Pause.SENTENCE);
    } else if (isOneOf(ENDS_CLAUSE, sign) || (sign == '-' && isBlank(at - 1) && isBlank(at + 1))) {
      pause(Pause.CLAUSE);
    } else if (Character.getType(sign) == Character.OTHER_SYMBOL) {
      pause(Pause.CLAUSE);
      word.appendCodePoint(sign);
      endWord();
      pause(Pause.CLAUSE);
    }
  }

  private void pause(Pause least) {
    if (least.compareTo(pause) > 0) {
      pause = least;
    }
  }

  private void quotation() {
    if (quote == 0) {
      quotes++;
      quote = quotes;
    } else {
      quote = 0;
    }
  }

  private void endWord() {
    if (!word.isEmpty()) {
      tokens.add(new Token(word.toString(), pause, quote));
      word.setLength(0);
      pause = Pause.NONE;
    }
  }

  private boolean isInsideWord(int at) {
    var starts = isOneOf("@$", text[at]) || (at > 0 && isWordSign(at - 1));
    return starts && isWordSign(at + 1);
  }

  private boolean isWordSign(int at) {
    return at >= 0
        && at < text.length
        && (Character.isLetterOrDigit(text[at]) || text[at] == '*' || text[at] == '$');
  }

  private boolean isDigit(int at) {
    return at >= 0 && at < text.length && Character.isDigit(text[at]);
  }

  private boolean isDot(int at) {
    return at >= 0 && at < text.length && text[at] == '.';
  }

  private boolean isBlank(int at) {
    return at < 0 || at >= text.length || Character.isWhitespace(text[at]);
  }

  private static boolean isOneOf(String signs, int sign) {
    return signs.indexOf(sign) >= 0;
  }
}
