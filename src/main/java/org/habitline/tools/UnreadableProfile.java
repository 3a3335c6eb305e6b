package org.habitline.tools;

/** A stored profile that is not one. The message names the key, never what it holds. */
public final class UnreadableProfile extends RuntimeException {

  UnreadableProfile(String message) {
    super(message);
  }
}
