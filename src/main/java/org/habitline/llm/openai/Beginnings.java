package org.habitline.llm.openai;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Remembers of each model how its answers begin. Some chat templates open the block of reasoning
 * themselves, so that the answer begins inside it and only its closing mark arrives: until that
 * mark, reasoning looks like words for the participant. Safe for any number of threads.
 */
final class Beginnings {

  private final ConcurrentMap<String, Beginning> models = new ConcurrentHashMap<>();

  /** How the answers of a model begin. */
  enum Beginning {

    /** No answer has shown it yet: nothing is told before the answer is whole. */
    UNKNOWN,

    /** With words for the participant, or with a mark that says otherwise. */
    WORDS,

    /** Inside reasoning that only its closing mark tells apart. */
    REASONING,

    /** Now so, now so: nothing is told before the answer is whole. */
    EITHER
  }

  Beginning of(String model) {
    return models.getOrDefault(model, Beginning.UNKNOWN);
  }

  /** Takes note of what an answer showed; {@code UNKNOWN} if it showed nothing. */
  void shown(String model, Beginning shown) {
    if (shown != Beginning.UNKNOWN) {
      models.merge(model, shown, Beginnings::both);
    }
  }

  /** A model that did both, or was replaced under its name, is not trusted to do either. */
  private static Beginning both(Beginning before, Beginning shown) {
    return before == shown ? shown : Beginning.EITHER;
  }
}
