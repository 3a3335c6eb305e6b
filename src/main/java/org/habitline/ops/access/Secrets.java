package org.habitline.ops.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.habitline.Hashes;

/** Generates and hashes keys and tokens; only the hashes are stored. */
final class Secrets {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 32;
  private static final int STEPS = 20_000;

  private Secrets() {}

  /** Returns 256 random bits as URL-safe text. */
  static String next() {
    var bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static String hash(String secret) {
    return Hashes.sha256(secret);
  }

  /**
   * Returns a digest of a secret that a person may have chosen: PBKDF2 (RFC 8018) makes each guess
   * cost {@value #STEPS} steps. It is slow; compute it once.
   */
  static String slowHash(String secret) {
    try {
      var derivation =
          new PBEKeySpec(
              secret.toCharArray(),
              "habitline admin key".getBytes(StandardCharsets.UTF_8),
              STEPS,
              Byte.SIZE * BYTES);
      return HexFormat.of()
          .formatHex(
              SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                  .generateSecret(derivation)
                  .getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java platform lacks PBKDF2 with HMAC-SHA256.");
    }
  }

  /** Compares two secrets in constant time. */
  static boolean same(String one, String other) {
    return MessageDigest.isEqual(
        Hashes.sha256(one).getBytes(StandardCharsets.US_ASCII),
        Hashes.sha256(other).getBytes(StandardCharsets.US_ASCII));
  }
}
