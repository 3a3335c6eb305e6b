package org.habitline.participants;

/** Hashes phone numbers with a key that is not in the database. */
public interface NumberHash {

  /** Returns the hash of a number, in hexadecimal digits. */
  String of(PhoneNumber phone);

  /** Returns the hash of a name that a provider uses for a sender instead of a number. */
  String ofName(String sender);

  /** Returns a value that identifies the key without revealing it. */
  String fingerprint();
}
