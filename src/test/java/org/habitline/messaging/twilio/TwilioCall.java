package org.habitline.messaging.twilio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.habitline.Patience;

/** How Twilio calls the line. */
final class TwilioCall {

  /** As long as Twilio waits. */
  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Patience.LONG)
          .build();

  private TwilioCall() {}

  /**
   * Posts a form and returns the answer, or throws when nobody answers in time.
   *
   * @param url where it really goes, which need not be the URL that was signed
   * @param form the body, byte for byte
   * @param signature is left out if it is empty
   */
  static HttpResponse<String> post(String url, byte[] form, String signature) {
    var request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(Patience.LONG)
            .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
            .header("User-Agent", "TwilioProxy/1.1")
            .header("Accept", "*/*")
            .header("I-Twilio-Idempotency-Token", UUID.randomUUID().toString())
            .POST(HttpRequest.BodyPublishers.ofByteArray(form));
    if (!signature.isEmpty()) {
      request.header("X-Twilio-Signature", signature);
    }
    try {
      return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException("Nobody answers at " + url, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
