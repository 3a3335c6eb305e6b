package org.habitline.ops.access;

import com.eatthepath.otp.HmacOneTimePasswordGenerator;
import com.eatthepath.otp.TimeBasedOneTimePasswordGenerator;
import io.nayuki.qrcodegen.QrCode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import javax.crypto.spec.SecretKeySpec;
import org.apache.commons.codec.binary.Base32;

/**
 * One-time codes of six digits that change every 30 seconds (TOTP, RFC 6238), as every
 * authenticator app makes them, and recovery codes, which replace one once.
 */
final class OneTimeCodes {

  private static final SecureRandom RANDOM = new SecureRandom();

  /** As long as the hash, as RFC 4226 recommends. */
  private static final int SECRET_BYTES = 20;

  /** 80 bits: too many to try even against the hashes. */
  private static final int RECOVERY_BYTES = 10;

  private static final int GROUP = 4;

  private OneTimeCodes() {}

  static byte[] newSecret() {
    return random(SECRET_BYTES);
  }

  private static byte[] random(int bytes) {
    var random = new byte[bytes];
    RANDOM.nextBytes(random);
    return random;
  }

  /**
   * Returns the time step that the code belongs to, or empty if it is wrong. The steps before and
   * after the present one count too, because clocks of phones differ.
   */
  static OptionalLong step(byte[] secret, String code, Instant now) {
    var said = code.replaceAll("\\s", "");
    var present =
        now.getEpochSecond() / TimeBasedOneTimePasswordGenerator.DEFAULT_TIME_STEP.toSeconds();
    return LongStream.of(present, present - 1, present + 1)
        .filter(step -> Secrets.same(code(secret, step), said))
        .findFirst();
  }

  /** Returns the code of a time step. */
  static String code(byte[] secret, long step) {
    try {
      return new HmacOneTimePasswordGenerator()
          .generateOneTimePasswordString(new SecretKeySpec(secret, "HmacSHA1"), step, Locale.ROOT);
    } catch (InvalidKeyException e) {
      throw new IllegalStateException("HMAC-SHA-1 accepts a key of any length.", e);
    }
  }

  /** Returns the secret in Base32, as authenticator apps take it. */
  static String text(byte[] secret) {
    return new Base32().encodeToString(secret);
  }

  /** Returns a secret in Base32 to be typed in, in groups of four letters. */
  static String written(String secret) {
    return grouped(secret, " ");
  }

  /** Returns the address that an authenticator app reads from the QR code. */
  static String address(String email, String secret) {
    return "otpauth://totp/Habitline:"
        + URLEncoder.encode(email, StandardCharsets.UTF_8).replace("+", "%20")
        + "?secret="
        + secret
        + "&issuer=Habitline";
  }

  /** A QR code for a page: its size in modules, and the dark ones as the path of an SVG. */
  record Picture(int size, String path) {}

  static Picture picture(String address) {
    var code = QrCode.encodeText(address, QrCode.Ecc.MEDIUM);
    var path = new StringBuilder();
    for (int y = 0; y < code.size; y++) {
      for (int x = 0; x < code.size; x++) {
        if (code.getModule(x, y)) {
          path.append('M').append(x).append(' ').append(y).append("h1v1h-1z");
        }
      }
    }
    return new Picture(code.size, path.toString());
  }

  /** Returns a new recovery code, in groups of four characters. */
  static String newRecoveryCode() {
    return grouped(
        new Base32().encodeToString(random(RECOVERY_BYTES)).toLowerCase(Locale.ROOT), "-");
  }

  /** Returns the hash of a recovery code of an account, however it is grouped. */
  static String recoveryHash(String accountId, String code) {
    return Secrets.hash(
        accountId + " " + code.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", ""));
  }

  private static String grouped(String text, String by) {
    return text.replaceAll("(.{" + GROUP + "})(?=.)", "$1" + by);
  }
}
