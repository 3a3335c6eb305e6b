package org.habitline.conversation.turn;

import java.util.List;
import java.util.Optional;
import org.habitline.conversation.stored.Author;
import org.habitline.flows.FlowTexts;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ParticipantStatus;
import org.habitline.tools.Effect;
import org.jspecify.annotations.Nullable;

/**
 * A message that a turn sends.
 *
 * @param statusSent the status that the message tells, if it tells the participant that they are
 *     paused or done, or {@link #OVER_BUDGET}
 * @param by who requested it with a script; {@code null} if no script did
 */
public record DraftMessage(
    String text, OutboundKind kind, Optional<String> statusSent, @Nullable String by) {

  /** In place of a status: the message tells that no reply follows today. */
  public static final String OVER_BUDGET = "over_budget";

  /** Returns the author that the transcript records. */
  public Author author() {
    return by == null ? Author.BOT : Author.STAFF;
  }

  public static DraftMessage reply(String text) {
    return of(text, OutboundKind.REPLY);
  }

  /**
   * Returns the model's message. A reply with a habit prompt to try now has its own kind, because a
   * check-in about it follows.
   */
  public static DraftMessage spoken(String text, List<Effect> effects) {
    var prompt = effects.stream().anyMatch(Effect.StoreHabitPrompt.class::isInstance);
    return of(text, prompt ? OutboundKind.PROMPT_NOW : OutboundKind.REPLY);
  }

  /**
   * Returns the message that confirms an opt-out by the coach, or empty if it opted nobody out.
   *
   * @param spoken what the model said, or {@code null} if the flow's own text must be sent
   */
  public static Optional<DraftMessage> confirming(
      @Nullable String spoken, List<Effect> effects, FlowTexts texts) {
    return Closing.optsOut(effects)
        ? Optional.of(
            of(spoken == null ? texts.optOutConfirmation() : spoken, OutboundKind.CONFIRMATION))
        : Optional.empty();
  }

  public static DraftMessage of(String text, OutboundKind kind) {
    return new DraftMessage(text, kind, Optional.empty(), null);
  }

  /** Returns a message requested by a script, written by the script or by a model. */
  public static DraftMessage scripted(String text, OutboundKind kind, String by) {
    return new DraftMessage(text, kind, Optional.empty(), by);
  }

  /** Returns the message that says that no reply follows today. */
  public static DraftMessage overBudget(String text) {
    return new DraftMessage(text, OutboundKind.STATUS, Optional.of(OVER_BUDGET), null);
  }

  public static DraftMessage status(String text, ParticipantStatus status) {
    return new DraftMessage(text, OutboundKind.STATUS, Optional.of(status.word()), null);
  }
}
