package org.habitline.conversation.model;

import java.util.Optional;
import java.util.function.Supplier;
import org.habitline.budgets.Spending;
import org.habitline.budgets.Spent;
import org.habitline.budgets.UsedUp;
import org.habitline.conversation.stored.Claim;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a model for one turn only while no budget of today is used up, and counts what that cost.
 * The cost is written with the answer; if the turn is lost, by itself. The first call of a turn
 * that a crash ended counts twice, because the attempt before may have paid for the same call. Used
 * by the turn's own thread only.
 */
final class TurnMeter {

  private static final Logger log = LoggerFactory.getLogger(TurnMeter.class);

  private static final String NO_MODEL = "none";

  private final Claim claim;
  private final Spending spending;
  private final CallCosts costs;
  private final Transactions transactions;

  private Spent unwritten = Spent.NOTHING;
  private boolean again;
  private @Nullable UsedUp refusedFor;
  private @Nullable ModelReply refusal;

  TurnMeter(Claim claim, Spending spending, CallCosts costs, Transactions transactions) {
    this.claim = claim;
    this.spending = spending;
    this.costs = costs;
    this.transactions = transactions;
    this.again = claim.attempt() > 1;
  }

  /** Returns the budget for which a model was not asked in this turn, or empty if it always was. */
  Optional<UsedUp> refused() {
    return Optional.ofNullable(refusedFor);
  }

  /** Returns the model's reply, or a failure if a budget is used up, without asking. */
  ModelReply ask(ModelRequest request, Supplier<ModelReply> call) {
    var usedUp = spending.today(claim.participant()).anyUsedUp();
    if (usedUp.isPresent()) {
      refusedFor = usedUp.get();
      refusal =
          new ModelReply.Failed(
              null, usedUp.get().reason(), new Receipt(NO_MODEL, null, null, null, 0, 0, 0, 0));
      return refusal;
    }
    var reply = call.get();
    var spent = costs.of(request, reply);
    unwritten = unwritten.plus(again ? spent.plus(spent) : spent);
    again = false;
    return reply;
  }

  /** Counts tokens that were paid for beside the coach. */
  void add(String model, long input, long output) {
    unwritten = unwritten.plus(costs.of(model, input, output));
  }

  /** Returns whether this reply stands for a model that was not asked. */
  boolean isRefusal(ModelReply reply) {
    return reply.equals(refusal);
  }

  /** Writes what is not written yet; joins the running transaction, as its last statements. */
  void write() {
    if (!unwritten.equals(Spent.NOTHING)) {
      spending.add(claim.participant(), unwritten);
      transactions.afterCommit(() -> unwritten = Spent.NOTHING);
    }
  }

  /** Writes what a lost turn paid, in a transaction of its own. */
  void writeRest() {
    if (unwritten.equals(Spent.NOTHING)) {
      return;
    }
    try {
      transactions.write(this::write);
    } catch (RuntimeException e) {
      log.warn(
          "{} tokens of turn {} of {} are not counted in today's budget: {}",
          unwritten.tokens(),
          claim.turn(),
          claim.participant().id(),
          e.getClass().getName());
    }
  }
}
