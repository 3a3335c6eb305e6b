package org.habitline.safety.rules;

/**
 * A word, number or emoji of a message.
 *
 * @param word the word in lower case, without accents and apostrophes
 * @param pause what separates it from the token before
 * @param quote the number of the quotation that it belongs to, or 0 outside quotation marks
 */
record Token(String word, Pause pause, int quote) {

  /** What is between two tokens. */
  enum Pause {
    NONE,
    /** A comma, a bracket, an ellipsis or an emoji. */
    CLAUSE,
    /** A line break; people also press return within a sentence. */
    LINE,
    /** The end of a sentence, an empty line, or the beginning of the message. */
    SENTENCE
  }

  Token as(String other) {
    return new Token(other, pause, quote);
  }

  /** Returns a token that follows this one without a pause. */
  Token next(String other) {
    return new Token(other, Pause.NONE, quote);
  }

  boolean isNumber() {
    return Character.isDigit(word.charAt(0));
  }
}
