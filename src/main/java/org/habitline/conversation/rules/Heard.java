package org.habitline.conversation.rules;

import java.util.Optional;
import org.habitline.conversation.model.ContextBuilder;
import org.habitline.conversation.model.TurnContext;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.NoContext;
import org.habitline.conversation.turn.QuickReply;
import org.habitline.flows.Flow;
import org.habitline.messaging.inbox.ConsentKeyword;
import org.habitline.messaging.inbox.Input;
import org.jspecify.annotations.Nullable;

/**
 * What a participant said, or their enrolment, as the rules before the coach see it. Used by one
 * thread.
 */
public final class Heard {

  private final Claim claim;
  private final Flow flow;
  private final QuickReply reply;
  private final boolean crashed;
  private final ContextBuilder contexts;
  private @Nullable TurnContext context;

  /**
   * @param reply what the texts mean by themselves
   * @param crashed whether the turn took the process down so often that no model is asked any more
   */
  public Heard(Claim claim, Flow flow, QuickReply reply, boolean crashed, ContextBuilder contexts) {
    this.claim = claim;
    this.flow = flow;
    this.reply = reply;
    this.crashed = crashed;
    this.contexts = contexts;
  }

  public Claim claim() {
    return claim;
  }

  public Flow flow() {
    return flow;
  }

  public QuickReply reply() {
    return reply;
  }

  boolean crashed() {
    return crashed;
  }

  /** Whether one of the texts says this and nothing else. */
  boolean says(ConsentKeyword wish) {
    return claim.said().stream().anyMatch(said -> said.wish() == wish);
  }

  /** Whether something was said to the coach: an enrolment, or a text that is no keyword. */
  boolean isForTheCoach() {
    return claim.inputs().stream()
        .anyMatch(input -> !(input instanceof Input.Said said) || said.wish() == null);
  }

  /**
   * Returns what the model is shown, built when it is first asked for.
   *
   * @throws NoContext if the flow, its prompt or the stored profile cannot be used
   */
  public TurnContext context() {
    if (context == null) {
      context =
          contexts.build(
              claim, copy -> reply.intensity().map(copy::with).orElse(copy), Optional.empty());
    }
    return context;
  }
}
