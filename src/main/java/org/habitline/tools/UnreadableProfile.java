package org.habitline.tools;

/** Thrown when a stored profile cannot be read. The message has the key, never its value. */
public final class UnreadableProfile extends RuntimeException {

  UnreadableProfile(String message) {
    super(message);
  }
}
