package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.util.Optional;
import org.habitline.budgets.Spending;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.flows.Flow;
import org.habitline.messaging.inbox.Input;

/**
 * Replies with the flow's own text, once a day, while a budget of today is used up. A turn that a
 * crash ended goes on, because its tools may have run; it asks no model any more.
 */
@Singleton
public final class BudgetRule implements BeforeTheCoach {

  private final Spending spending;

  BudgetRule(Spending spending) {
    this.spending = spending;
  }

  @Override
  public Place place() {
    return Place.BUDGET;
  }

  @Override
  public Ruling look(Heard heard) {
    var claim = heard.claim();
    if (claim.resumed()) {
      return Ruling.PASS;
    }
    var today = spending.today(claim.participant());
    return today
        .anyUsedUp()
        .map(usedUp ->
            Ruling.notForTheCoach(
                text(claim, heard.flow(), today).stream().toList(), usedUp.reason()))
        .orElse(Ruling.PASS);
  }

  /**
   * Returns the message of a turn whose model was not asked because a budget was used up, or empty
   * if the participant got it today.
   */
  public Optional<DraftMessage> text(Claim claim, Flow flow) {
    return text(claim, flow, spending.today(claim.participant()));
  }

  private static Optional<DraftMessage> text(Claim claim, Flow flow, Spending.Today today) {
    if (claim.inputs().getFirst() instanceof Input.Enrolled) {
      return Optional.of(DraftMessage.reply(flow.texts().greetingFallback()));
    }
    return today.textSent()
        ? Optional.empty()
        : Optional.of(DraftMessage.overBudget(flow.texts().overBudget()));
  }
}
