package org.habitline.staff.live;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.habitline.Patience;

/** Somebody at the web chat, with a client of the JDK's. */
final class ChatClient implements AutoCloseable, WebSocket.Listener {

  private static final JsonMapper JSON = new JsonMapper();

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<JsonNode> messages = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private final StringBuilder part = new StringBuilder();
  private final WebSocket socket;

  private ChatClient(String url, String token, boolean inQuery) {
    this(
        url,
        "/ws/chat" + (inQuery ? "?token=" + token : ""),
        inQuery || token.isEmpty() ? Map.of() : Map.of("Authorization", "Bearer " + token));
  }

  private ChatClient(String url, String path, Map<String, String> headers) {
    var builder = client.newWebSocketBuilder();
    headers.forEach(builder::header);
    socket = builder.buildAsync(URI.create(url.replace("http", "ws") + path), this).join();
  }

  static ChatClient open(String url, String token) {
    return new ChatClient(url, token, false);
  }

  static ChatClient openByQuery(String url, String token) {
    return new ChatClient(url, token, true);
  }

  /** Comes in without a token, and shows it as the first message. */
  static ChatClient openByMessage(String url, String token) {
    var chat = new ChatClient(url, "", false);
    chat.send(json(Map.of("type", "auth", "token", token)));
    return chat;
  }

  /** Comes in without a token. */
  static ChatClient stranger(String url) {
    return new ChatClient(url, "", false);
  }

  /** Comes in at another spelling of the address, or with another header. */
  static ChatClient at(String url, String path, Map<String, String> headers) {
    return new ChatClient(url, path, headers);
  }

  /** Returns the HTTP status with which a handshake is refused. */
  static int refused(String url, String token, boolean inQuery) {
    return refused(() -> new ChatClient(url, token, inQuery));
  }

  static int refused(Supplier<ChatClient> handshakes) {
    try (var chat = handshakes.get()) {
      throw new AssertionError("The handshake was not refused: " + chat.messages);
    } catch (CompletionException e) {
      if (e.getCause() instanceof WebSocketHandshakeException handshake) {
        return handshake.getResponse().statusCode();
      }
      throw e;
    }
  }

  void send(String text) {
    socket.sendText(text, true).join();
  }

  /** Says goodbye and waits for the answer, as RFC 6455 has it. */
  void leave() {
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
  }

  /** Begins a message and goes on with it as long as that is taken. */
  void pieces(String piece, int times) {
    for (int i = 0; i < times && !closed.isDone(); i++) {
      try {
        socket.sendText(piece, false).join();
      } catch (CompletionException e) {
        return;
      }
    }
  }

  void say(String conversationId, String content) {
    send(json(Map.of("type", "message", "conversation_id", conversationId, "content", content)));
  }

  static String json(Map<String, ?> message) {
    try {
      return JSON.writeValueAsString(message);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  List<JsonNode> messages() {
    return List.copyOf(messages);
  }

  List<String> types() {
    return messages.stream().map(message -> message.path("type").asText()).toList();
  }

  void forget() {
    messages.clear();
  }

  /** Waits until so many messages of a type came. */
  void awaitType(String type, int times) {
    await().until(() -> types().stream().filter(type::equals).count() >= times);
  }

  /** What the tokens add up to since the last reset, and since the last reply was complete. */
  String text() {
    var text = new StringBuilder();
    var ended = false;
    for (var message : messages) {
      switch (message.path("type").asText()) {
        case "token" -> {
          if (ended) {
            text.setLength(0);
          }
          ended = false;
          text.append(message.path("content").asText());
        }
        case "reset" -> text.setLength(0);
        case "complete", "error" -> ended = true;
        default -> {
          // Tools.
        }
      }
    }
    return text.toString();
  }

  /** Waits until something came or the chat was closed; true if something came. */
  boolean answeredOrClosed() {
    await().until(() -> !messages.isEmpty() || closed.isDone());
    return !messages.isEmpty();
  }

  /** The code with which the chat was closed, or 0 if it is open. */
  int closed() {
    return closed.getNow(0);
  }

  /**
   * Waits until the chat ends. Returns the code with which it was closed, or 0 if the connection
   * broke: a client that still sends may lose the server's last frame to the reset that follows.
   */
  int awaitEnd() {
    return closed
        .orTimeout(Patience.LONG.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
        .handle((code, error) -> {
          if (error instanceof java.util.concurrent.TimeoutException) {
            throw new CompletionException(error);
          }
          return error == null ? code : 0;
        })
        .join();
  }

  int awaitClosed() {
    return closed
        .orTimeout(Patience.LONG.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
        .join();
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    part.append(data);
    if (last) {
      try {
        messages.add(JSON.readTree(part.toString()));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException(e);
      }
      part.setLength(0);
    }
    from.request(1);
    return CompletableFuture.completedStage(null);
  }

  @Override
  public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    closed.complete(code);
    return CompletableFuture.completedStage(null);
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    closed.completeExceptionally(error);
  }

  @Override
  public void close() {
    socket.abort();
    client.shutdownNow();
  }
}
