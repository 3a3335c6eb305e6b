package org.habitline.tools;

import org.jspecify.annotations.Nullable;

/**
 * The participant's state as the turn will leave it if nothing more happens: a later tool sees what
 * an earlier one asked for.
 *
 * @param state the sub-state when the turn began
 * @param movingTo the sub-state a transition of this turn asked for
 */
public record WorkingCopy(
    String state, @Nullable String movingTo, Profile profile, @Nullable String lastHabitPrompt) {

  public WorkingCopy with(Effect effect) {
    return switch (effect) {
      case Effect.MoveState move -> new WorkingCopy(state, move.to(), profile, lastHabitPrompt);
      case Effect.SaveProfile save ->
          new WorkingCopy(state, movingTo, save.profile(), lastHabitPrompt);
      case Effect.StoreHabitPrompt prompt ->
          new WorkingCopy(state, movingTo, profile, prompt.text());
    };
  }
}
