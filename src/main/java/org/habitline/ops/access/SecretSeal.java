package org.habitline.ops.access;

/** Encrypts what must be read again, such as the secrets of second factors. */
public interface SecretSeal {

  /** Returns the secret encrypted, as text. */
  String seal(byte[] secret);

  /**
   * Returns the secret again.
   *
   * @throws IllegalStateException if it was sealed with another key
   */
  byte[] open(String sealed);
}
