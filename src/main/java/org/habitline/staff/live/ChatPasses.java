package org.habitline.staff.live;

import io.micronaut.http.HttpRequest;
import io.micronaut.security.authentication.Authentication;
import java.util.Optional;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Passes;

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

  /** Returns the guest that a handshake let in, or empty if it showed no token of a participant. */
  Optional<Guest> guest(Authentication known);

  /** Returns where a handshake comes from, as wrong tokens are counted. */
  String source(HttpRequest<?> handshake);

  /**
   * Returns where a handshake comes from, or empty if everybody may come from there: this machine,
   * or a proxy that does not say for whom it asks.
   */
  Optional<String> origin(HttpRequest<?> handshake);
}
