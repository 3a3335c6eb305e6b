package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.util.Optional;
import org.habitline.conversation.model.Journal;
import org.habitline.conversation.model.TurnContext;
import org.habitline.conversation.stored.Claim;
import org.habitline.llm.ModelMessage;
import org.habitline.messaging.inbox.Input;
import org.habitline.safety.opinions.Opinion;
import org.habitline.safety.opinions.PendingOpinion;
import org.habitline.safety.opinions.SecondOpinions;
import org.habitline.safety.opinions.Words;
import org.habitline.safety.rules.Level;
import org.jspecify.annotations.Nullable;

/**
 * Gets a second opinion about the texts of a turn while the coach replies to them. It is on disk
 * before the turn is committed, so that a resumed turn asks nobody again; {@link TurnAlarms} acts
 * on it.
 */
@Singleton
final class SecondLook {

  private final SecondOpinions opinions;

  SecondLook(SecondOpinions opinions) {
    this.opinions = opinions;
  }

  /** A second opinion about one turn. Used by the turn's own thread only. */
  interface Look {

    /** Returns whether it is known already that the texts are a crisis: the coach is not asked. */
    boolean isCrisis();

    /** Waits until the opinion or its time limit is there, and writes it to disk. */
    void await();
  }

  /** Nobody is asked. */
  private record Done(boolean isCrisis) implements Look {
    @Override
    public void await() {}
  }

  private record Asked(Claim claim, Journal journal, PendingOpinion pending, SecondOpinions rows)
      implements Look {
    @Override
    public boolean isCrisis() {
      return false;
    }

    @Override
    public void await() {
      var opinion = pending.await();
      var paid = opinion.source();
      journal.paidBeside(paid.model(), paid.promptTokens(), paid.completionTokens());
      journal.keep(() -> rows.record(claim.participant().id(), claim.turn(), opinion));
    }
  }

  /**
   * Begins to ask, if the study wants that and the turn has texts for the coach. Until the opinion
   * is there, nobody hears what the coach says.
   */
  Look begin(Claim claim, TurnContext context, Journal journal) {
    var texts =
        claim.said().stream()
            .filter(said -> said.wish() == null && !said.text().isBlank())
            .map(Input.Said::text)
            .toList();
    if (texts.isEmpty()) {
      return new Done(false);
    }
    var recorded =
        claim.resumed()
            ? opinions.of(claim.participant().id(), claim.turn())
            : Optional.<Opinion>empty();
    if (recorded.isPresent()) {
      return new Done(recorded.get().level() == Level.CRISIS);
    }
    var pending = opinions.begin(new Words(lastOfCoach(context), texts));
    pending.ifPresent(it -> journal.broadcast().holdUntil(it::letsCoachBeHeard));
    return pending
        .<Look>map(it -> new Asked(claim, journal, it, opinions))
        .orElseGet(() -> new Done(false));
  }

  private static @Nullable String lastOfCoach(TurnContext context) {
    for (var message : context.messages().reversed()) {
      if (message instanceof ModelMessage.AssistantText said) {
        return said.content();
      }
    }
    return null;
  }
}
