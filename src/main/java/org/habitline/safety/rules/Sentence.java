package org.habitline.safety.rules;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.habitline.safety.rules.Token.Pause;

/** The tokens of one message in the spelling of the rules, ready for searching. */
final class Sentence {

  private final List<Token> tokens;
  private final Set<String> words = new HashSet<>();
  private final boolean[] negator;

  Sentence(List<Token> tokens) {
    this.tokens = List.copyOf(tokens);
    this.negator = new boolean[tokens.size()];
    tokens.forEach(token -> words.add(token.word()));
  }

  int size() {
    return tokens.size();
  }

  Set<String> words() {
    return words;
  }

  String word(int at) {
    return tokens.get(at).word();
  }

  boolean isNumber(int at) {
    return tokens.get(at).isNumber();
  }

  /** Returns whether a sentence begins at this place; the end of the message counts as one. */
  boolean startsSentence(int at) {
    return at >= size() || tokens.get(at).pause() == Pause.SENTENCE;
  }

  /** Returns whether a sentence begins after the first of two places and not after the second. */
  boolean startsBetween(int from, int to) {
    for (int at = from + 1; at <= to; at++) {
      if (startsSentence(at)) {
        return true;
      }
    }
    return false;
  }

  /** Returns where the sentence with the first of two places ends, but at most the second. */
  int endOfSentence(int from, int atMost) {
    int end = from + 1;
    while (end < atMost && !startsSentence(end)) {
      end++;
    }
    return end;
  }

  /** Returns whether a sentence or line begins at this place, or the message ends. */
  boolean startsLine(int at) {
    return at >= size() || tokens.get(at).pause().compareTo(Pause.LINE) >= 0;
  }

  /** Returns whether a clause begins at this place. */
  boolean startsClause(int at) {
    return at >= size() || tokens.get(at).pause() != Pause.NONE;
  }

  void negate(int at) {
    negator[at] = true;
  }

  void affirm(int at) {
    negator[at] = false;
  }

  boolean isNegator(int at) {
    return negator[at];
  }

  /** Returns the end of the quotation that begins here, or -1 if none does. */
  int quotationFrom(int at) {
    if (at >= size() || tokens.get(at).quote() == 0) {
      return -1;
    }
    var quote = tokens.get(at).quote();
    if (at > 0 && tokens.get(at - 1).quote() == quote) {
      return -1;
    }
    var end = at;
    while (end < size() && tokens.get(end).quote() == quote) {
      end++;
    }
    return end;
  }
}
