package org.habitline.conversation;

import org.jspecify.annotations.Nullable;

/**
 * What a model would have to be shown cannot be put together, and trying again will not help. The
 * message is for staff and names ids and files only.
 */
final class NoContext extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoContext(@Nullable String message) {
    super(message);
  }

  /** Returns why a turn that hit this ended as it did. */
  String sentence() {
    return "the context could not be built: " + getMessage();
  }
}
