package org.habitline.conversation.stored;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a model's context cannot be built and trying again will not help. The message is for
 * staff and names only ids and files.
 */
public final class NoContext extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NoContext(@Nullable String message) {
    super(message);
  }

  /** Returns the reason to record for the turn. */
  public String sentence() {
    return "the context could not be built: " + getMessage();
  }
}
