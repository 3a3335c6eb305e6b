package org.habitline.llm;

import java.time.Duration;
import java.util.Optional;

/**
 * A server that answers one request with one attempt. Implementations block, never repeat a
 * request, and report every failure instead of throwing it.
 */
public interface ChatServer {

  /** Asks once, waiting no longer than the timeout. */
  Attempt ask(ModelRequest request, String model, Duration timeout);

  /** Where the server is, without any key. */
  String address();

  /** What came of one attempt. The receipt of an answer counts this attempt alone. */
  sealed interface Attempt {

    /** The server answered; what it said may still be of no use. */
    record Answered(ModelReply reply) implements Attempt {}

    /**
     * No answer.
     *
     * @param reason a short sentence for staff, without key or participant text
     * @param again whether the same request may succeed later (408, 409, 429, 5xx, connection,
     *     timeout)
     * @param after how long the server asked to wait ({@code Retry-After}), if it did
     */
    record Unanswered(String reason, boolean again, Optional<Duration> after) implements Attempt {}

    /** The waiting thread was interrupted. */
    record Interrupted() implements Attempt {}
  }
}
