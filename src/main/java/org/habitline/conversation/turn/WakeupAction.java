package org.habitline.conversation.turn;

import java.util.Map;
import java.util.Optional;
import org.habitline.conversation.stored.Claim;
import org.jspecify.annotations.Nullable;

/**
 * What the turn of a wake-up does besides its messages and effects, in the transaction that commits
 * it. Each kind of wake-up has its own.
 */
public interface WakeupAction {

  /** Does nothing more. */
  WakeupAction NONE = claim -> true;

  /**
   * Carries out the action; joins the transaction of the turn. Returns whether the turn is still
   * wanted: if not, none of its messages go out.
   */
  boolean carryOut(Claim claim);

  /**
   * Returns what remains to be done when staff took the conversation over, so that no message is
   * sent.
   */
  default WakeupAction takenOver(String reason) {
    return this;
  }

  /** Returns the state data to change, by key; an empty value removes the key. */
  default Map<String, Optional<String>> data(Claim claim) {
    return Map.of();
  }

  /** Returns the module that replies from now on, if the action changes it. */
  default Optional<String> movesTo() {
    return Optional.empty();
  }

  /**
   * Records the messages sent; joins the transaction of the turn.
   *
   * @param messageId the id of the last message, or {@code null} if none was sent
   */
  default void recorded(Claim claim, @Nullable String messageId) {}
}
