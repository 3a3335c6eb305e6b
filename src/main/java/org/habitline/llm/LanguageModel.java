package org.habitline.llm;

/**
 * A model that answers questions. Implementations are safe for any number of threads, block the
 * calling (virtual) thread until the outcome is known or the deadline passed, and never throw for
 * something a server or a model did.
 */
public interface LanguageModel {

  ModelReply answer(ModelRequest request, Deadline deadline);

  /** Whether this is the built-in script and not a model: pages and the banner say so. */
  boolean rehearsal();

  /** One line for staff: which server and model answer, without any key. */
  String describe();
}
