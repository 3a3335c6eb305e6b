package org.habitline.llm;

import java.util.List;

/**
 * A model that turns texts into vectors, so that texts with a similar meaning have similar vectors.
 * Implementations are safe for any number of threads, block the calling (virtual) thread until the
 * outcome is known or the deadline has passed, never repeat a request, and never throw for
 * something a server or a model did.
 */
public interface Embeddings {

  /** The most texts of one call; some servers accept no more than 100. */
  int MOST_TEXTS = 64;

  /**
   * Returns one vector for each text, in the same order.
   *
   * @param texts 1 to {@value #MOST_TEXTS} texts, none of them blank
   * @throws IllegalArgumentException for more texts, none, or a blank one
   */
  Outcome embed(List<String> texts, Deadline deadline);

  /** The outcome of one call. */
  sealed interface Outcome {

    /**
     * One vector for each text. All have the same size and the length 1, so that their dot product
     * is the cosine of their angle.
     */
    record Embedded(List<float[]> vectors) implements Outcome {}

    /**
     * There are no vectors.
     *
     * @param failure the kind of failure
     * @param reason a short sentence for staff, without key or text
     */
    record Failed(ModelFailure failure, String reason) implements Outcome {}

    /** The waiting thread was interrupted; it stays interrupted. */
    record Interrupted() implements Outcome {}
  }
}
