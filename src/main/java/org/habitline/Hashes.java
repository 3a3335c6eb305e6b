package org.habitline;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SHA-256 hashes by which contents are recorded and compared, and keyed hashes (RFC 2104). */
public final class Hashes {

  private Hashes() {}

  /** Returns the SHA-256 of the text in UTF-8, as 64 lower-case hexadecimal digits. */
  public static String sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the SHA-256 of the bytes, as 64 lower-case hexadecimal digits. */
  public static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(digest().digest(bytes));
  }

  /** Reads the stream to its end; returns its SHA-256, as 64 lower-case hexadecimal digits. */
  public static String sha256(InputStream stream) throws IOException {
    var digest = digest();
    new DigestInputStream(stream, digest).transferTo(OutputStream.nullOutputStream());
    return HexFormat.of().formatHex(digest.digest());
  }

  /**
   * Returns the keyed hash of the text in UTF-8.
   *
   * @param algorithm as the JDK names it, such as {@code HmacSHA256}
   */
  public static byte[] hmac(String algorithm, byte[] key, String text) {
    try {
      var mac = Mac.getInstance(algorithm);
      mac.init(new SecretKeySpec(key, algorithm));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      // Every Java platform has it.
      throw new IllegalStateException(e);
    }
  }
}
