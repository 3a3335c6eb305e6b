package org.habitline.whole;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.text.StringEscapeUtils;
import org.habitline.Patience;

/**
 * One request, put together piece by piece.
 *
 * @param target path and query as they go over the line
 * @param body the bytes, none for no body
 * @param headers names and values in turn
 */
@SuppressWarnings(
    "ArrayRecordComponent") // the bytes of a body are never changed, and requests never compared
record Asked(String method, String target, byte[] body, List<String> headers) {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int SHOWN = 300;

  static Asked of(String method, String target) {
    return new Asked(method, target, new byte[0], List.of());
  }

  Asked header(String name, String value) {
    var more = new ArrayList<>(headers);
    more.add(name);
    more.add(value);
    return new Asked(method, target, body, more);
  }

  Asked key(String secret) {
    return header("Authorization", "Bearer " + secret);
  }

  Asked body(byte[] bytes, String contentType) {
    var with = new Asked(method, target, bytes, headers);
    return contentType.isEmpty() ? with : with.header("Content-Type", contentType);
  }

  Asked json(String json) {
    return body(json.getBytes(StandardCharsets.UTF_8), "application/json");
  }

  Asked form(String encoded) {
    return body(encoded.getBytes(StandardCharsets.UTF_8), "application/x-www-form-urlencoded");
  }

  boolean wantsPage() {
    return headers.contains("text/html");
  }

  String rawPath() {
    return target.replaceFirst("[?#].*", "");
  }

  /** As a person can read it who wants to send it again. */
  @Override
  public String toString() {
    return method
        + " "
        + shortened(target)
        + " "
        + headers.stream().map(Asked::shortened).toList()
        + " "
        + shortened(new String(body, StandardCharsets.UTF_8));
  }

  private static String shortened(String text) {
    var shown =
        text.length() > SHOWN ? text.substring(0, SHOWN) + "… (" + text.length() + ")" : text;
    return StringEscapeUtils.escapeJava(shown);
  }

  /** What came back; of a stream only its head. */
  record Answer(Asked asked, int status, HttpHeaders headers, String text) {

    String header(String name) {
      return headers.firstValue(name).orElse("");
    }

    boolean is(String contentType) {
      return header("Content-Type").startsWith(contentType);
    }

    JsonNode json() {
      try {
        return JSON.readTree(text);
      } catch (JsonProcessingException notJson) {
        return JSON.missingNode();
      }
    }

    JsonNode result() {
      return json().path("result");
    }
  }

  Answer send(HttpClient client, String base) throws IOException {
    var request =
        HttpRequest.newBuilder(URI.create(base + target))
            .timeout(Patience.LONG)
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    for (int i = 0; i < headers.size(); i += 2) {
      request.header(headers.get(i), headers.get(i + 1));
    }
    try {
      var response = client.send(request.build(), BodyHandlers.ofInputStream());
      try (var in = response.body()) {
        var streams =
            response
                .headers()
                .firstValue("Content-Type")
                .filter(type -> type.startsWith("text/event-stream"))
                .isPresent();
        var text = streams ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(this, response.statusCode(), response.headers(), text);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
