package org.habitline.participants;

/** Hashes of phone numbers under a key that is not in the database. */
public interface NumberHash {

  /** Returns the hash of a number, in hexadecimal digits. */
  String of(PhoneNumber phone);

  /** Returns the hash of what a provider calls a sender besides a number. */
  String ofName(String sender);

  /** Returns what tells the key from others and nothing else about it. */
  String fingerprint();
}
