package org.habitline.messaging.twilio;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.TreeSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs what Twilio sends: {@code X-Twilio-Signature}, written from Twilio's description and not
 * from our own check of it, so that both can be wrong only in different ways.
 */
public final class TwilioSigner {

  private TwilioSigner() {}

  /**
   * The signature of a form.
   *
   * @param url the whole URL that Twilio calls, with its query, as configured
   */
  public static String sign(String authToken, String url, FormFields form) {
    var signed = new StringBuilder(url);
    for (var name : form.names()) {
      for (var value : new TreeSet<>(form.all(name))) {
        signed.append(name).append(value);
      }
    }
    return sign(authToken, signed.toString());
  }

  /** The signature of a request that has no form; of a body only the hash in the URL counts. */
  public static String sign(String authToken, String url) {
    try {
      var mac = Mac.getInstance("HmacSHA1");
      mac.init(new SecretKeySpec(authToken.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
      return Base64.getEncoder().encodeToString(mac.doFinal(url.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The URL at which Twilio posts a JSON body: with the hash of the body in the query. */
  public static String withBodyHash(String url, String body) {
    return url + (url.contains("?") ? "&" : "?") + "bodySHA256=" + sha256(body);
  }

  private static String sha256(String body) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(body.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
