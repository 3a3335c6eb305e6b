package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import org.habitline.conversation.model.ContextBuilder;
import org.habitline.conversation.turn.Closing;
import org.habitline.timers.WakeupKind;
import org.habitline.tools.CompletedPart;
import org.habitline.tools.Effect;
import org.habitline.tools.UnreadableProfile;

/**
 * Moves a participant to the module that a model requested with a delay, and stamps the module that
 * hands over as completed.
 */
@Singleton
final class TransitionTurn implements WakeupTurn {

  private final ContextBuilder contexts;

  TransitionTurn(ContextBuilder contexts) {
    this.contexts = contexts;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.TRANSITION);
  }

  @Override
  public Closing close(DueWakeup due) {
    var to = due.wakeup().guard();
    return due.flow().module(to).isEmpty()
        ? due.drop("the flow no longer has the module " + to)
        : due.move(to, "the coach requested this move with a delay", stamp(due));
  }

  /** Returns the stamp, or none if the profile cannot be read; the move counts without it. */
  private List<Effect> stamp(DueWakeup due) {
    var claim = due.claim();
    try {
      return CompletedPart.handOver(
              due.flow(),
              claim.pinned().module(),
              contexts.profile(claim),
              claim.pinned().instant())
          .stream()
          .toList();
    } catch (UnreadableProfile e) {
      return List.of();
    }
  }
}
