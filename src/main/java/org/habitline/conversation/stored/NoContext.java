package org.habitline.conversation.stored;

import org.jspecify.annotations.Nullable;

/**
 * What a model would have to be shown cannot be put together, and trying again will not help. The
 * message is for staff and names ids and files only.
 */
public final class NoContext extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NoContext(@Nullable String message) {
    super(message);
  }

  /** Returns why a turn that hit this ended as it did. */
  public String sentence() {
    return "the context could not be built: " + getMessage();
  }
}
