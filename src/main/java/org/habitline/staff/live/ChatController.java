package org.habitline.staff.live;

import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.websocket.CloseReason;
import io.micronaut.websocket.WebSocketPongMessage;
import io.micronaut.websocket.WebSocketSession;
import io.micronaut.websocket.annotation.OnClose;
import io.micronaut.websocket.annotation.OnError;
import io.micronaut.websocket.annotation.OnMessage;
import io.micronaut.websocket.annotation.OnOpen;
import io.micronaut.websocket.annotation.ServerWebSocket;
import java.util.Optional;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Serves the web chat: a participant's conversation for a client that sends one of their tokens,
 * with the handshake or as the first message. Methods that return a publisher run on the
 * connection's own thread, one after the other in the order of the messages, and never block.
 */
@ServerWebSocket(ChatPasses.CHAT)
@Secured(SecurityRule.IS_ANONYMOUS)
final class ChatController {

  /**
   * Longest frame in bytes: the longest text with each character escaped, and the JSON around it.
   */
  private static final int LONGEST_FRAME = 64 * 1024;

  private static final String CHAT = "chat";
  private static final byte[] NOTHING = {};

  private final Chat.Desk desk;

  ChatController(Chat.Desk desk) {
    this.desk = desk;
  }

  @OnOpen
  Publisher<Void> open(WebSocketSession session, HttpRequest<?> handshake) {
    var known = session.getUserPrincipal().map(Authentication.class::cast);
    session.put(CHAT, desk.open(known.orElse(null), handshake, new Socket(session)));
    return Mono.empty();
  }

  @OnMessage(maxPayloadLength = LONGEST_FRAME)
  Publisher<Void> message(String message, WebSocketSession session) {
    chat(session).ifPresent(chat -> chat.said(message));
    return Mono.empty();
  }

  @OnMessage
  Publisher<Void> pong(WebSocketPongMessage pong, WebSocketSession session) {
    chat(session).ifPresent(Chat::heard);
    return Mono.empty();
  }

  @OnClose
  Publisher<Void> close(WebSocketSession session) {
    chat(session).ifPresent(Chat::left);
    return Mono.empty();
  }

  /** Closes the chat because a message was not text or too long, or the connection broke. */
  @OnError
  Publisher<Void> broken(Throwable cause, WebSocketSession session) {
    chat(session).ifPresent(Chat::left);
    session.close(CloseReason.UNSUPPORTED_DATA);
    return Mono.empty();
  }

  /** Ends the chats before the server closes its connections. */
  @EventListener
  void close(ShutdownEvent event) {
    desk.close();
  }

  private static Optional<Chat> chat(WebSocketSession session) {
    return session.get(CHAT, Chat.class);
  }

  /** The WebSocket connection to a browser or another client. */
  private record Socket(WebSocketSession session) implements ChatScreen {

    @Override
    public void show(String json) {
      if (session.isOpen()) {
        var _ = session.sendAsync(json, MediaType.APPLICATION_JSON_TYPE);
      }
    }

    @Override
    public void ping() {
      if (session.isOpen()) {
        var _ = session.sendPingAsync(NOTHING);
      }
    }

    @Override
    public void close(End why) {
      session.close(
          switch (why) {
            case TOKEN_ENDED ->
                new CloseReason(
                    CloseReason.POLICY_VIOLATION.getCode(), "The token is no longer valid.");
            case NO_TOKEN ->
                new CloseReason(
                    CloseReason.POLICY_VIOLATION.getCode(),
                    "The first message did not contain a valid token.");
            case TOO_MANY ->
                new CloseReason(
                    CloseReason.TRY_AGAIN_LATER.getCode(),
                    "Too many chats are open; close one or try again later.");
            case SILENT ->
                new CloseReason(
                    CloseReason.POLICY_VIOLATION.getCode(), "The client did not answer pings.");
            case TOO_SLOW -> CloseReason.TRY_AGAIN_LATER;
            case LINE_STOPS -> CloseReason.GOING_AWAY;
            case BROKEN -> CloseReason.INTERNAL_ERROR;
          });
    }
  }
}
