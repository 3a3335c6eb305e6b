package org.habitline.ops;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import org.apache.commons.codec.digest.DigestUtils;

/** Keys and tokens: made here, kept only as hashes. */
final class Secrets {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 32;

  private Secrets() {}

  /** Returns 256 random bits that fit into an address. */
  static String next() {
    var bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static String hash(String secret) {
    return HexFormat.of().formatHex(digest(secret));
  }

  /** Compares in a time that does not depend on where the two differ. */
  static boolean same(String one, String other) {
    return MessageDigest.isEqual(digest(one), digest(other));
  }

  private static byte[] digest(String text) {
    return DigestUtils.sha256(text);
  }
}
