package org.habitline.llm;

/**
 * Hears a text while a model is still saying it. Called by the thread that asks, in order; what it
 * takes there the answer waits for. It must not throw.
 */
public interface TextListener {

  /** More of the text, as it was written; never empty. */
  void text(String piece);

  /** What was heard since the last time is taken back: it is no part of the answer. */
  void reset();
}
