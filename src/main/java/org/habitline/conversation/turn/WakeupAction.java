package org.habitline.conversation.turn;

import java.util.Map;
import java.util.Optional;
import org.habitline.conversation.stored.Claim;
import org.jspecify.annotations.Nullable;

/**
 * What the turn of a wake-up does beside its texts and effects, in the transaction that commits it.
 * Each kind of wake-up makes its own.
 */
public interface WakeupAction {

  /** Nothing more than what is said. */
  WakeupAction NONE = claim -> true;

  /**
   * Does it; joins the transaction of the turn. Returns whether it is still wanted: if not, nothing
   * that the turn would say goes out.
   */
  boolean carryOut(Claim claim);

  /** Returns what is left of it when staff took the conversation over, so that nothing is said. */
  default WakeupAction takenOver(String reason) {
    return this;
  }

  /** Returns the state data that it changes, by key; empty for what is removed. */
  default Map<String, Optional<String>> data(Claim claim) {
    return Map.of();
  }

  /** Returns the module that answers from then on, if it changes that. */
  default Optional<String> movesTo() {
    return Optional.empty();
  }

  /**
   * Records what was said; joins the transaction of the turn.
   *
   * @param messageId the id of the last text, or {@code null} if nothing was said
   */
  default void recorded(Claim claim, @Nullable String messageId) {}
}
