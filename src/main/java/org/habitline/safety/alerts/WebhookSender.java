package org.habitline.safety.alerts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.TreeMap;
import org.habitline.Hashes;
import org.habitline.protocol.AlertPlan.OnCall;

/**
 * Posts alerts as JSON, signed as the Standard Webhooks specification says: {@code
 * webhook-signature} is {@code v1,} and the Base64 HMAC-SHA256 of id, timestamp and body, joined by
 * dots.
 */
final class WebhookSender implements AlertSender {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int FIRST_SUCCESS = 200;
  private static final int FIRST_REDIRECT = 300;
  private static final String PREFIX = "whsec_";
  private static final JsonMapper JSON = new JsonMapper();

  private final URI address;
  private final byte[] secret;
  private final Clock systemClock;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

  /**
   * Creates the channel.
   *
   * @throws IllegalArgumentException if the secret is not {@code whsec_} and at least 24 bytes in
   *     Base64
   */
  WebhookSender(URI address, String secret, Clock systemClock) {
    this.address = address;
    this.secret = bytes(secret);
    this.systemClock = systemClock;
  }

  private static final int SHORTEST = 24;

  private static byte[] bytes(String secret) {
    var bytes =
        Base64.getDecoder().decode(secret.startsWith(PREFIX) ? secret.substring(6) : secret);
    if (!secret.startsWith(PREFIX) || bytes.length < SHORTEST) {
      throw new IllegalArgumentException("the secret is too short");
    }
    return bytes;
  }

  @Override
  public void send(AlertWords words, OnCall to) throws AlertFailed {
    var body = body(words, to);
    var timestamp = Long.toString(systemClock.instant().getEpochSecond());
    var signed = words.id() + "." + timestamp + "." + body;
    var signature = Base64.getEncoder().encodeToString(Hashes.hmac("HmacSHA256", secret, signed));
    var request =
        HttpRequest.newBuilder(address)
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .header("webhook-id", words.id())
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", "v1," + signature)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      var answer = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
      // Not read: a body that never ends must not hold up the alert.
      answer.body().close();
      var status = answer.statusCode();
      if (status < FIRST_SUCCESS || status >= FIRST_REDIRECT) {
        throw new AlertFailed(status);
      }
    } catch (HttpTimeoutException e) {
      throw new AlertFailed(AlertFault.TOO_SLOW);
    } catch (IOException e) {
      throw new AlertFailed(AlertFault.UNREACHABLE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AlertFailed(AlertFault.UNREACHABLE);
    }
  }

  private static String body(AlertWords words, OnCall to) throws AlertFailed {
    var fields = new TreeMap<String, Object>();
    if (words.why() == AlertWords.Why.TEST) {
      fields.put("type", "alerting.test");
      fields.put("test_id", words.about());
    } else {
      fields.put("type", "incident.unacknowledged");
      fields.put("incident_id", words.about());
      fields.put("round", words.round());
    }
    fields.put("recipient", to.name());
    var link = words.link();
    if (link != null) {
      fields.put("link", link);
    }
    fields.put("text", words.subject() + ": " + words.where());
    try {
      return JSON.writeValueAsString(fields);
    } catch (JsonProcessingException e) {
      throw new AlertFailed(AlertFault.MISCONFIGURED);
    }
  }
}
