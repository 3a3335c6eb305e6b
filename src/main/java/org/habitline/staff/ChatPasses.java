package org.habitline.staff;

import io.micronaut.http.HttpRequest;
import java.util.Optional;

/** Who may sit at the web chat; implemented where their tokens are kept. */
public interface ChatPasses {

  /** Where the chat is. */
  String CHAT = "/ws/chat";

  /**
   * A participant at the chat.
   *
   * @param pass what they came in with, as {@link Passes} knows it
   */
  record Guest(String participantId, String pass) {}

  /**
   * Returns whose token this is, or empty if it is nobody's or has ended.
   *
   * @param source where it comes from
   * @throws ApiProblem 429 if too many wrong ones came from there
   */
  Optional<Guest> admit(String token, String source);

  /** Returns where a handshake comes from. */
  String source(HttpRequest<?> handshake);
}
