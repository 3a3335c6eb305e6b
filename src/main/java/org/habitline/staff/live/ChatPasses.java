package org.habitline.staff.live;

import io.micronaut.http.HttpRequest;
import io.micronaut.security.authentication.Authentication;
import java.util.Optional;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Passes;

/** Checks who may use the web chat; implemented where participants' tokens are stored. */
public interface ChatPasses {

  /** The address of the chat. */
  String CHAT = "/ws/chat";

  /**
   * A participant in the chat.
   *
   * @param pass the pass they authenticated with, as {@link Passes} knows it
   */
  record Guest(String participantId, String pass) {}

  /**
   * Returns the participant whose token this is, or empty if it is unknown or has ended.
   *
   * @param source where the token comes from
   * @throws ApiProblem 429 if too many wrong tokens came from there
   */
  Optional<Guest> admit(String token, String source);

  /** Returns the participant whose token the handshake carried, or empty if it carried none. */
  Optional<Guest> guest(Authentication known);

  /** Returns the source of a handshake by which wrong tokens are counted. */
  String source(HttpRequest<?> handshake);

  /**
   * Returns the source of a handshake, or empty if anyone may come from there: this machine, or a
   * proxy that does not say for whom it forwards.
   */
  Optional<String> origin(HttpRequest<?> handshake);
}
