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
import org.habitline.tools.WorkingCopy;
import org.jspecify.annotations.Nullable;

/**
 * The participant's texts, or their enrolment, as the rules before the coach see them. Used by one
 * thread.
 */
public final class Heard {

  private final Claim claim;
  private Claim forTheCoach;
  private final Flow flow;
  private final QuickReply reply;
  private final boolean crashed;
  private final ContextBuilder contexts;
  private @Nullable TurnContext context;

  /**
   * @param reply what the texts mean by themselves
   * @param crashed whether the turn crashed the process so often that no model is asked any more
   */
  public Heard(Claim claim, Flow flow, QuickReply reply, boolean crashed, ContextBuilder contexts) {
    this.claim = claim;
    this.forTheCoach = claim;
    this.flow = flow;
    this.reply = reply;
    this.crashed = crashed;
    this.contexts = contexts;
  }

  public Claim claim() {
    return claim;
  }

  /** Returns the turn with those texts only that the coach may see. */
  public Claim forTheCoach() {
    return forTheCoach;
  }

  /** Hides the texts up to a yes from the coach, by the number of the yes in the inbox. */
  public void consented(long yes) {
    forTheCoach = claim.after(yes);
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

  /** Returns whether one of the texts is this keyword and nothing else. */
  boolean says(ConsentKeyword wish) {
    return claim.said().stream().anyMatch(said -> said.wish() == wish);
  }

  /** Returns whether there is input for the coach: an enrolment, or a text that is no keyword. */
  boolean isForTheCoach() {
    return claim.inputs().stream()
        .anyMatch(input -> !(input instanceof Input.Said said) || said.wish() == null);
  }

  private WorkingCopy changed(WorkingCopy copy) {
    var changed = copy;
    for (var effect : reply.effects()) {
      changed = changed.with(effect);
    }
    return changed;
  }

  /**
   * Returns what the model sees; built on the first call.
   *
   * @throws NoContext if the flow, its prompt or the stored profile cannot be used
   */
  public TurnContext context() {
    if (context == null) {
      context = contexts.build(forTheCoach, this::changed, Optional.empty());
    }
    return context;
  }
}
