package org.habitline.conversation.wakeups;

import java.util.Set;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.timers.WakeupKind;

/**
 * Decides the turn of one kind of wake-up: its guard, its message and its {@link WakeupAction}. To
 * add a kind, add a class that implements this interface.
 */
interface WakeupTurn {

  /** Returns the kinds of wake-ups that this class handles. */
  Set<WakeupKind> kinds();

  /**
   * Returns whether this also runs for participants who may not be messaged, because it records why
   * nothing was sent.
   */
  default boolean recordsWhyNothingWasSent() {
    return false;
  }

  /**
   * Checks whether the wake-up is still wanted, writes the message, and returns the result of the
   * turn.
   */
  Closing close(DueWakeup due);
}
