package org.habitline.conversation.model;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.habitline.budgets.Charge;
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
 * The cost and the charge are written with the answer; if the turn is lost, by itself. The first
 * call of a turn that a crash ended counts twice, because the attempt before may have paid for the
 * same call. Used by the turn's own thread only.
 */
final class TurnMeter {

  private static final Logger log = LoggerFactory.getLogger(TurnMeter.class);

  private static final String NO_MODEL = "none";

  private final Claim claim;
  private final Spending spending;
  private final CallCosts costs;
  private final Transactions transactions;

  /** Charges that are not written yet, by the reply that was paid for. */
  private final IdentityHashMap<ModelReply, Charge> charges = new IdentityHashMap<>();

  private final List<Charge> beside = new ArrayList<>();
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
    costs.charge(claim, request, reply).ifPresent(charge -> charges.put(reply, charge));
    return reply;
  }

  /** Counts tokens that were paid for beside the coach. */
  void add(String model, long input, long output) {
    unwritten = unwritten.plus(costs.of(model, input, output));
    beside.add(costs.charge(claim, model, input, output));
  }

  /** Gives the charge for a reply its place in the turn's record, before it is written. */
  void recorded(ModelReply reply, int number, int child) {
    charges.computeIfPresent(reply, (same, charge) -> charge.at(number, child));
  }

  /** Returns whether this reply stands for a model that was not asked. */
  boolean isRefusal(ModelReply reply) {
    return reply.equals(refusal);
  }

  /** Writes what is not written yet; joins the running transaction, as its last statements. */
  void write() {
    if (isWritten()) {
      return;
    }
    costs.write(Stream.concat(charges.values().stream(), beside.stream()).toList());
    spending.add(claim.participant(), unwritten);
    transactions.afterCommit(() -> {
      charges.clear();
      beside.clear();
      unwritten = Spent.NOTHING;
    });
  }

  private boolean isWritten() {
    return charges.isEmpty() && beside.isEmpty() && unwritten.equals(Spent.NOTHING);
  }

  /** Writes what a lost turn paid, in a transaction of its own. */
  void writeRest() {
    if (isWritten()) {
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
