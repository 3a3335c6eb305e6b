package org.habitline.conversation.wakeups;

import java.util.Set;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.timers.WakeupKind;

/**
 * The turn of one kind of wake-up: its guard, its words and its {@link WakeupAction}. A new kind is
 * a new class of these.
 */
interface WakeupTurn {

  /** Returns the kinds that it serves. */
  Set<WakeupKind> kinds();

  /**
   * Whether it also runs for participants who may not be texted, because it records why nothing was
   * sent.
   */
  default boolean recordsWhyNothingWasSent() {
    return false;
  }

  /** Checks what the wake-up may still do, writes the words, and returns what the turn came to. */
  Closing close(DueWakeup due);
}
