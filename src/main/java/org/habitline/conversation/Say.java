package org.habitline.conversation;

import java.util.List;
import java.util.Optional;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ParticipantStatus;
import org.habitline.tools.Effect;
import org.jspecify.annotations.Nullable;

/**
 * A text that a turn sends.
 *
 * @param statusSent for the one text that says the participant is paused or done: that status
 * @param by whose script wants it; {@code null} if the line speaks for itself
 */
record Say(String text, OutboundKind kind, Optional<String> statusSent, @Nullable String by) {

  /** Who speaks, as the transcript has it. */
  Author author() {
    return by == null ? Author.BOT : Author.STAFF;
  }

  static Say reply(String text) {
    return of(text, OutboundKind.REPLY);
  }

  /**
   * Returns what the model said. A reply that holds a prompt to be tried now has a kind of its own:
   * the participant is asked about it later.
   */
  static Say spoken(String text, List<Effect> effects) {
    var prompt = effects.stream().anyMatch(Effect.StoreHabitPrompt.class::isInstance);
    return of(text, prompt ? OutboundKind.PROMPT_NOW : OutboundKind.REPLY);
  }

  static Say of(String text, OutboundKind kind) {
    return new Say(text, kind, Optional.empty(), null);
  }

  /** What a script wants to be said, in these words or in a model's. */
  static Say scripted(String text, OutboundKind kind, String by) {
    return new Say(text, kind, Optional.empty(), by);
  }

  static Say status(String text, ParticipantStatus status) {
    return new Say(text, OutboundKind.STATUS, Optional.of(status.word()), null);
  }
}
