package org.habitline.staff.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** A client of {@code /events}. */
final class EventReader implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();

  /** One event as it came. */
  record Heard(String id, String type, JsonNode data) {
    JsonNode payload() {
      return data.path("payload");
    }
  }

  private final HttpClient client = HttpClient.newHttpClient();
  private volatile boolean closed;
  private final List<Heard> heard = new CopyOnWriteArrayList<>();

  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

  /** Reads from now on, or from behind an event that was heard already. */
  EventReader(String url, String key, String query, String lastEventId) {
    this(
        HttpRequest.newBuilder(URI.create(url + "/events" + query))
            .header("Authorization", "Bearer " + key),
        lastEventId);
  }

  /** Reads from now on, as a page does. */
  static EventReader inSession(String url, String cookie) {
    return new EventReader(
        HttpRequest.newBuilder(URI.create(url + "/events")).header("Cookie", cookie), "");
  }

  private EventReader(HttpRequest.Builder request, String lastEventId) {
    if (!lastEventId.isEmpty()) {
      request.header("Last-Event-ID", lastEventId);
    }
    var response = client.sendAsync(request.build(), BodyHandlers.ofLines()).join();
    if (response.statusCode() != 200) {
      throw new IllegalStateException("/events answered " + response.statusCode());
    }
    Thread.startVirtualThread(() -> {
      var one = new String[] {"", "", ""};
      try {
        response.body().forEach(line -> take(line, one));
      } catch (UncheckedIOException e) {
        // Whoever closes the reader cuts it off; a test that waits meanwhile must not hear of it.
        if (!closed) {
          throw e;
        }
      } finally {
        ended.complete(true);
      }
    });
  }

  private void take(String line, String[] one) {
    var colon = line.indexOf(':');
    if (line.isEmpty()) {
      if (!one[1].isEmpty()) {
        heard.add(new Heard(one[0], one[1], json(one[2])));
      }
      one[0] = one[1] = one[2] = "";
    } else if (colon > 0) {
      var value = line.substring(colon + 1).strip();
      switch (line.substring(0, colon)) {
        case "id" -> one[0] = value;
        case "event" -> one[1] = value;
        case "data" -> one[2] += value;
        default -> {
          // Nothing that is used here.
        }
      }
    }
  }

  private static JsonNode json(String data) {
    try {
      return JSON.readTree(data);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  List<Heard> heard() {
    return List.copyOf(heard);
  }

  List<String> types() {
    return heard.stream().map(Heard::type).toList();
  }

  boolean hasEnded() {
    return ended.isDone();
  }

  Heard await(Predicate<Heard> what) {
    return Awaitility.await()
        .until(() -> heard.stream().filter(what).findFirst(), Optional::isPresent)
        .orElseThrow();
  }

  @Override
  public void close() {
    closed = true;
    client.shutdownNow();
  }
}
