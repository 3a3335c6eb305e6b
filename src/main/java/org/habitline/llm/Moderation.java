package org.habitline.llm;

import java.util.List;
import java.util.Set;

/**
 * A server's moderation of texts. Implementations are safe for any number of threads, block the
 * calling (virtual) thread, and return every failure instead of throwing it.
 */
public interface Moderation {

  /** What a moderation finds in a text, as far as it concerns someone's safety. */
  enum Category {
    /** The writer means to harm themselves. */
    SELF_HARM_INTENT,
    /** Self-harm is described, or asked for. */
    SELF_HARM,
    /** Somebody is threatened, or violence is described. */
    VIOLENCE
  }

  /** The outcome of one request. */
  sealed interface Outcome {

    /** The categories of all texts together. */
    record Judged(Set<Category> found) implements Outcome {}

    /**
     * There is no usable answer.
     *
     * @param reason a short sentence for staff, without key or participant text
     */
    record Failed(ModelFailure failure, String reason) implements Outcome {}
  }

  /**
   * Judges texts, of which none is blank, with one request that is never repeated.
   *
   * @param model the moderation model
   */
  Outcome judge(List<String> texts, String model, Deadline deadline);
}
