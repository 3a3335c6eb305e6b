package org.habitline.llm;

import java.util.Optional;

/**
 * A model that answers questions. Implementations are safe for any number of threads, block the
 * calling (virtual) thread until the outcome is known or the deadline passed, and never throw for
 * something a server or a model did.
 */
public interface LanguageModel {

  ModelReply answer(ModelRequest request, Deadline deadline);

  /**
   * The same, heard while it is said: if the outcome is {@link ModelReply.Says}, what was heard
   * since the last reset is its text, unless that is data and not words, and otherwise all of it
   * was taken back.
   */
  ModelReply answer(ModelRequest request, Deadline deadline, TextListener listener);

  /** Whether this is the built-in script and not a model: pages and the banner say so. */
  boolean rehearsal();

  /** One line for staff: which server and model answer, without any key. */
  String describe();

  /**
   * One line for staff: what requests leave out because the server does not take it, if anything.
   */
  Optional<String> adapted();
}
