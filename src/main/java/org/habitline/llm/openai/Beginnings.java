package org.habitline.llm.openai;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Remembers how each model's replies begin. Some chat templates open the reasoning block
 * themselves, so that the reply begins inside it and only the closing mark arrives. Until that
 * mark, reasoning looks like text for the participant. Safe for any number of threads.
 */
final class Beginnings {

  private final ConcurrentMap<String, Beginning> models = new ConcurrentHashMap<>();

  /** How the replies of a model begin. */
  enum Beginning {

    /** No reply has shown it yet, so nothing is passed on before the reply is complete. */
    UNKNOWN,

    /** With text for the participant, or with a mark that says otherwise. */
    WORDS,

    /** Inside reasoning that only its closing mark reveals. */
    REASONING,

    /**
     * Sometimes with text and sometimes inside reasoning, so nothing is passed on before the reply
     * is complete.
     */
    EITHER
  }

  Beginning of(String model) {
    return models.getOrDefault(model, Beginning.UNKNOWN);
  }

  /** Records how a reply of the model began; {@code UNKNOWN} changes nothing. */
  void shown(String model, Beginning shown) {
    if (shown != Beginning.UNKNOWN) {
      models.merge(model, shown, Beginnings::both);
    }
  }

  /**
   * Combines two observations. A model that did both, or was replaced under its name, is not
   * trusted to do either.
   */
  private static Beginning both(Beginning before, Beginning shown) {
    return before == shown ? shown : Beginning.EITHER;
  }
}
