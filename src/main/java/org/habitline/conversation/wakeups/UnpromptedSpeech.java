package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.habitline.conversation.model.ContextBuilder;
import org.habitline.conversation.model.TurnModel;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.NoContext;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.messaging.OutboundKind;

/**
 * Lets the coach write without a text to reply to; if the model cannot, the flow's message is sent.
 */
@Singleton
final class UnpromptedSpeech {

  private final ContextBuilder contexts;
  private final TurnModel model;
  private final Clock clock;

  UnpromptedSpeech(ContextBuilder contexts, TurnModel model, Clock clock) {
    this.contexts = contexts;
    this.model = model;
    this.clock = clock;
  }

  /**
   * Returns a turn with the model's message.
   *
   * @param hint the instruction for the model
   * @param own the flow's message if the model cannot write; the model's goes out as the same kind
   */
  Closing close(DueWakeup due, String hint, DraftMessage own, WakeupAction action) {
    return close(due, hint, Outcome.WOKE, own.kind(), List.of(own), action);
  }

  /**
   * Returns a turn with the model's reply to what the participant said last, or without a message
   * if the model cannot reply.
   */
  Closing answer(DueWakeup due, String hint, WakeupAction action) {
    return close(due, hint, Outcome.REPLIED, OutboundKind.REPLY, List.of(), action);
  }

  private Closing close(
      DueWakeup due,
      String hint,
      Outcome spoke,
      OutboundKind kind,
      List<DraftMessage> own,
      WakeupAction action) {
    var claim = due.claim();
    var journal = due.journal();
    if (due.crashed()) {
      return Closing.woke(claim, Outcome.CRASHED, Claim.CRASHED, List.of(), own, action, journal);
    }
    try {
      var context = contexts.build(claim, copy -> copy, Optional.of(hint));
      var result = model.loop(context, journal).run();
      var spoken = result.text();
      var refused = journal.refused();
      if (spoken == null && refused.isPresent()) {
        return Closing.woke(
            claim, Outcome.WOKE, refused.get().reason(), result.effects(), own, action, journal);
      }
      return Closing.woke(
              claim,
              spoken == null ? result.outcome() : spoke,
              result.reason(),
              result.effects(),
              spoken == null ? own : List.of(DraftMessage.of(spoken, kind)),
              action,
              journal)
          .because(result.failure());
    } catch (NoContext e) {
      journal.abandon(clock.instant());
      return Closing.woke(claim, Outcome.NO_CONTEXT, e.sentence(), List.of(), own, action, journal);
    }
  }
}
