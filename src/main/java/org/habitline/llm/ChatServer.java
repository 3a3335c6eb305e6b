package org.habitline.llm;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Sends a request to a model server, once per call. Implementations block, never repeat a request
 * that may have been processed, and return every failure instead of throwing it.
 */
public interface ChatServer {

  /** Returns the outcome of one request. The timeout must be positive. */
  Attempt ask(ModelRequest request, String model, Duration timeout);

  /**
   * Returns the outcome of one request and passes the text to the listener while it arrives. The
   * caller must reset the listener unless the outcome is {@link ModelReply.Says}.
   */
  Attempt ask(ModelRequest request, String model, Duration timeout, TextListener listener);

  /** Returns the server's address, without any key. */
  String address();

  /**
   * Returns one line for staff that names what requests leave out because the server does not
   * accept it, or empty if they leave out nothing.
   */
  Optional<String> adapted();

  /**
   * Returns the quirks, set or learned so far, that change how this request is sent.
   *
   * @param streamed whether the request asks for a stream
   */
  Set<ModelQuirk> adapts(ModelRequest request, String model, boolean streamed);

  /** The outcome of one attempt. A reply's receipt counts this attempt only. */
  sealed interface Attempt {

    /**
     * The server sent a reply, which may still be unusable.
     *
     * @param callsInText whether the reply's tool calls were left in its text
     */
    record Answered(ModelReply reply, boolean callsInText) implements Attempt {}

    /**
     * The server sent no reply.
     *
     * @param failure the kind of failure
     * @param reason a short sentence for staff, without key or participant text
     * @param after the wait that the server asked for ({@code Retry-After}), or empty
     */
    record Unanswered(
        ModelFailure failure, String reason, MayHelp mayHelp, Optional<Duration> after)
        implements Attempt {}

    /** The waiting thread was interrupted. */
    record Interrupted() implements Attempt {}
  }

  /** What the caller may try next when there was no reply. */
  enum MayHelp {

    /** The same request, later: 408, 409, 429, 5xx, a broken connection, a timeout. */
    ASKING_AGAIN,

    /** Another model: this one is unknown, refuses the request, or its reply cannot be read. */
    ANOTHER_MODEL,

    /** No model of this server: the key is wrong, or the account has no credit left. */
    NOTHING
  }
}
