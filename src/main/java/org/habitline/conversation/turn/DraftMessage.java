package org.habitline.conversation.turn;

import java.util.List;
import java.util.Optional;
import org.habitline.conversation.stored.Author;
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
public record DraftMessage(
    String text, OutboundKind kind, Optional<String> statusSent, @Nullable String by) {

  /** Who speaks, as the transcript has it. */
  public Author author() {
    return by == null ? Author.BOT : Author.STAFF;
  }

  public static DraftMessage reply(String text) {
    return of(text, OutboundKind.REPLY);
  }

  /**
   * Returns what the model said. A reply that holds a prompt to be tried now has a kind of its own:
   * the participant is asked about it later.
   */
  public static DraftMessage spoken(String text, List<Effect> effects) {
    var prompt = effects.stream().anyMatch(Effect.StoreHabitPrompt.class::isInstance);
    return of(text, prompt ? OutboundKind.PROMPT_NOW : OutboundKind.REPLY);
  }

  public static DraftMessage of(String text, OutboundKind kind) {
    return new DraftMessage(text, kind, Optional.empty(), null);
  }

  /** What a script wants to be said, in these words or in a model's. */
  public static DraftMessage scripted(String text, OutboundKind kind, String by) {
    return new DraftMessage(text, kind, Optional.empty(), by);
  }

  public static DraftMessage status(String text, ParticipantStatus status) {
    return new DraftMessage(text, OutboundKind.STATUS, Optional.of(status.word()), null);
  }
}
