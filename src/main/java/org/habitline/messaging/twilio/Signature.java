package org.habitline.messaging.twilio;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.habitline.Hashes;

/**
 * Checks whether a request was signed with one of the account's tokens (Twilio's rule for
 * webhooks): Base64 of HMAC-SHA1 over the URL that Twilio called and each key of the form, sorted
 * case-sensitively, followed by its value; a repeated key comes before each of its values, sorted
 * and without duplicates. A body that is not a form is signed by its SHA-256 in the URL. The rule
 * is implemented here because the SDK's own check handles neither repeated keys nor explicit ports.
 * Safe for any number of threads.
 */
final class Signature {

  private static final Pattern BODY_HASH =
      Pattern.compile("[?&]bodySHA256=([0-9A-Fa-f]{64})(?:&|$)");

  private final List<String> tokens;

  Signature(List<String> tokens) {
    this.tokens = List.copyOf(tokens);
  }

  /** Returns whether the signature is valid for this form, posted to this URL. */
  boolean signs(String url, Map<String, List<String>> form, String signature) {
    var signed = new StringBuilder();
    new TreeMap<>(form)
        .forEach((key, values) ->
            new TreeSet<>(values).forEach(value -> signed.append(key).append(value)));
    return matches(url, signed.toString(), signature);
  }

  /** Returns whether the signature is valid for this body, not a form, posted to this URL. */
  boolean signs(String url, byte[] body, String signature) {
    var hash = BODY_HASH.matcher(url);
    return hash.find()
        && Hashes.sha256(body).equals(hash.group(1).toLowerCase(Locale.ROOT))
        && matches(url, "", signature);
  }

  private boolean matches(String url, String rest, String signature) {
    var given = signature.getBytes(StandardCharsets.UTF_8);
    return isSigned(url + rest, given)
        || otherWays(url).stream().anyMatch(way -> isSigned(way + rest, given));
  }

  private boolean isSigned(String text, byte[] signature) {
    for (var token : tokens) {
      var hmac = Hashes.hmac("HmacSHA1", token.getBytes(StandardCharsets.UTF_8), text);
      if (MessageDigest.isEqual(Base64.getEncoder().encode(hmac), signature)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the other forms of the URL that Twilio may have signed: without and with its port. */
  private static List<String> otherWays(String url) {
    var ways = new ArrayList<String>();
    try {
      var uri = new URI(url);
      var authority = uri.getRawAuthority();
      if (authority != null && uri.getScheme() != null) {
        var host = authority.replaceFirst(":[0-9]+$", "");
        var rest = url.substring(url.indexOf(authority) + authority.length());
        var start = uri.getScheme() + "://" + host;
        ways.add(start + rest);
        ways.add(start + ("https".equals(uri.getScheme()) ? ":443" : ":80") + rest);
      }
    } catch (URISyntaxException e) {
      // An invalid URL has only the form in which it came.
    }
    return ways;
  }
}
