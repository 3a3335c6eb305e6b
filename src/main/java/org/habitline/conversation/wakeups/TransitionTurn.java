package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.util.Set;
import org.habitline.conversation.turn.Closing;
import org.habitline.timers.WakeupKind;

/** Moves a participant to the module that a model requested with a delay. */
@Singleton
final class TransitionTurn implements WakeupTurn {

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.TRANSITION);
  }

  @Override
  public Closing close(DueWakeup due) {
    var to = due.wakeup().guard();
    return due.flow().module(to).isEmpty()
        ? due.drop("the flow no longer has the module " + to)
        : due.move(to, "the coach requested this move with a delay");
  }
}
