package org.habitline.llm;

import java.time.Duration;
import java.util.Optional;

/**
 * A server that answers one request with one attempt. Implementations block, repeat no request that
 * may have been processed, and report every failure instead of throwing it.
 */
public interface ChatServer {

  /** Asks once, waiting no longer than the timeout, which is longer than zero. */
  Attempt ask(ModelRequest request, String model, Duration timeout);

  /**
   * The same, heard while it is said. What was heard of an attempt that did not come to {@link
   * ModelReply.Says} is for the caller to take back.
   */
  Attempt ask(ModelRequest request, String model, Duration timeout, TextListener listener);

  /** Where the server is, without any key. */
  String address();

  /**
   * One line for staff: what requests leave out because the server does not take it, if anything.
   */
  Optional<String> adapted();

  /** What came of one attempt. The receipt of an answer counts this attempt alone. */
  sealed interface Attempt {

    /** The server answered; what it said may still be of no use. */
    record Answered(ModelReply reply) implements Attempt {}

    /**
     * No answer.
     *
     * @param failure what kind of failure it was
     * @param reason a short sentence for staff, without key or participant text
     * @param after how long the server asked to wait ({@code Retry-After}), if it did
     */
    record Unanswered(
        ModelFailure failure, String reason, MayHelp mayHelp, Optional<Duration> after)
        implements Attempt {}

    /** The waiting thread was interrupted. */
    record Interrupted() implements Attempt {}
  }

  /** What may help where there was no answer. */
  enum MayHelp {

    /** The same request, later: 408, 409, 429, 5xx, a broken connection, a timeout. */
    ASKING_AGAIN,

    /** Another model: this one is unknown, refuses the request, or answers nonsense. */
    ANOTHER_MODEL,

    /** No model of this server: the key is wrong, or the account is used up. */
    NOTHING
  }
}
