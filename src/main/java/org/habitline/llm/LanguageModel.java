package org.habitline.llm;

import java.util.List;
import java.util.Optional;

/**
 * A language model. Implementations are safe for any number of threads, block the calling (virtual)
 * thread until the outcome is known or the deadline has passed, and never throw for something a
 * server or a model did.
 */
public interface LanguageModel {

  ModelReply answer(ModelRequest request, Deadline deadline);

  /**
   * Returns the reply and passes its text to the listener while it arrives. If the outcome is
   * {@link ModelReply.Says}, the pieces since the last reset are its text, unless the text is data
   * and not words. For any other outcome, the listener has been reset.
   */
  ModelReply answer(ModelRequest request, Deadline deadline, TextListener listener);

  /** Returns whether this is the built-in script and not a model; pages and the banner say so. */
  boolean rehearsal();

  /** Returns one line for staff that names the server and the model, without any key. */
  String describe();

  /** Returns the models that are asked if a request names none; empty if none costs anything. */
  List<String> models();

  /**
   * Returns one line for staff that names what requests leave out because the server does not
   * accept it, or empty if they leave out nothing.
   */
  Optional<String> adapted();
}
