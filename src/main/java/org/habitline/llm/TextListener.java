package org.habitline.llm;

/**
 * Receives a reply's text while the model is still writing it. Called in order by the thread that
 * asks the model, so a slow listener delays the reply. It must not throw.
 */
public interface TextListener {

  /** Receives the next piece of the text, verbatim and never empty. */
  void text(String piece);

  /** Discards all pieces since the last reset: they are not part of the reply. */
  void reset();
}
