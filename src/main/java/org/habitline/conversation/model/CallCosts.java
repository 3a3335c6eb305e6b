package org.habitline.conversation.model;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.budgets.Charge;
import org.habitline.budgets.Charges;
import org.habitline.budgets.Spending;
import org.habitline.budgets.Spent;
import org.habitline.conversation.stored.Claim;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.protocol.BrokenStudy;
import org.habitline.protocol.Budgets.Kind;
import org.habitline.protocol.SecondOpinionPlan;
import org.jspecify.annotations.Nullable;

/**
 * Says what a model call cost. If the server reports no tokens, or did not answer in time, they are
 * estimated as one for each four bytes; a call that was repeated counts its input twice, because a
 * provider may charge for requests that it did not answer. The built-in script is free, and counts
 * only against a limit of tokens that the study set itself. Safe for any number of threads.
 */
public final class CallCosts {

  private static final int BYTES_OF_A_TOKEN = 4;

  private final Spending spending;
  private final Charges charges;
  private final PinnedModels models;
  private final boolean free;
  private final Clock clock;

  CallCosts(
      Spending spending, Charges charges, PinnedModels models, LanguageModel model, Clock clock) {
    this.spending = spending;
    this.charges = charges;
    this.models = models;
    this.free = model.rehearsal();
    this.clock = clock;
  }

  /**
   * Returns the costs of the model in use.
   *
   * @throws BrokenStudy if costs are limited and a model that may be asked has no price
   */
  static CallCosts checked(
      Spending spending,
      Charges charges,
      PinnedModels models,
      LanguageModel model,
      FlowCatalog flows,
      Optional<SecondOpinionPlan> second,
      Clock clock) {
    var asked =
        Stream.concat(
                Stream.concat(
                    model.models().stream(),
                    second.filter(it -> it.by() == SecondOpinionPlan.By.MODEL).stream()
                        .map(SecondOpinionPlan::model)),
                flows.all().stream()
                    .flatMap(flow ->
                        Stream.concat(
                            flow.modules().values().stream().map(it -> it.model()),
                            Stream.ofNullable(flow.promptGenerator()).map(it -> it.model())))
                    .map(it -> it.model())
                    .filter(Objects::nonNull))
            .distinct()
            .toList();
    if (!model.rehearsal()) {
      spending
          .budgets()
          .modelsWithoutPrice(asked)
          .ifPresent(mistake -> {
            throw new BrokenStudy(List.of(mistake));
          });
    }
    return new CallCosts(spending, charges, models, model, clock);
  }

  /** Returns what a call cost. */
  public Spent of(ModelRequest request, ModelReply reply) {
    if (free && !spending.isSet(Kind.TOKENS)) {
      return Spent.NOTHING;
    }
    var receipt = reply.receipt();
    var input = receipt.promptTokens();
    var output = receipt.completionTokens();
    if (input + output == 0 && mayCost(reply)) {
      input = estimated(request);
      output = estimated(reply);
    }
    if (receipt.attempts() > 1) {
      input *= 2;
    }
    return of(priced(receipt).model(), input, output);
  }

  /**
   * The model whose price holds for a call.
   *
   * @param estimated whether another model answered, whose price is not in the table
   */
  private record Priced(String model, boolean estimated) {}

  /** Returns the model that answered, if it is another one than asked and has a price. */
  private Priced priced(Receipt receipt) {
    var returned = receipt.modelReturned();
    if (returned == null || !models.isOther(receipt)) {
      return new Priced(receipt.modelAsked(), false);
    }
    return charges.hasPrice(returned)
        ? new Priced(returned, false)
        : new Priced(receipt.modelAsked(), true);
  }

  /**
   * Returns the charge for a call to record, or empty for one that was refused, which costs
   * nothing.
   */
  Optional<Charge> charge(Claim claim, ModelRequest request, ModelReply reply) {
    return charge(claim.participant().id(), claim.turn(), request, reply);
  }

  /** Returns the charge for a call about a participant outside their turns, if it has one. */
  public Optional<Charge> charge(String participantId, ModelRequest request, ModelReply reply) {
    return charge(participantId, null, request, reply);
  }

  private Optional<Charge> charge(
      String participantId, @Nullable Integer turn, ModelRequest request, ModelReply reply) {
    var receipt = reply.receipt();
    var input = receipt.promptTokens();
    var output = receipt.completionTokens();
    var reported = input + output > 0;
    if (!reported && !mayCost(reply)) {
      return Optional.empty();
    }
    if (!reported && !free) {
      input = estimated(request);
      output = estimated(reply);
    }
    var priced = priced(receipt);
    return Optional.of(
        new Charge(
            participantId,
            turn,
            null,
            null,
            priced.model(),
            input,
            receipt.cachedTokens(),
            output,
            !free && (!reported || receipt.attempts() > 1 || priced.estimated()),
            free,
            clock.instant()));
  }

  /** Returns the charge for tokens of a model beside the coach's, as its server reported them. */
  Charge charge(Claim claim, String model, long input, long output) {
    return new Charge(
        claim.participant().id(),
        claim.turn(),
        null,
        null,
        model,
        input,
        null,
        output,
        false,
        free,
        clock.instant());
  }

  /** Writes charges; joins the running transaction. */
  public void write(Collection<Charge> all) {
    charges.write(all);
  }

  /** Returns what this many tokens of a model cost, if it is not the built-in script. */
  Spent of(String model, long input, long output) {
    var cost = free ? 0L : spending.ofTokens(model, input, output);
    return new Spent(input + output, cost, 0);
  }

  /** Returns whether a call without reported tokens may have been charged. */
  private static boolean mayCost(ModelReply reply) {
    return !(reply instanceof ModelReply.Failed failed)
        || (failed.failure() == ModelFailure.TOO_LATE && failed.receipt().attempts() > 0);
  }

  private static long estimated(ModelRequest request) {
    return request.messages().stream().mapToLong(CallCosts::tokens).sum()
        + request.tools().stream().mapToLong(tool -> tokens(tool.toString())).sum();
  }

  private static long estimated(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says -> tokens(says.text());
      case ModelReply.CallsTools calls -> tokens(String.valueOf(calls.calls()));
      case ModelReply.CutOff cutOff -> tokens(String.valueOf(cutOff.text()));
      case ModelReply.Refused refused -> tokens(refused.reason());
      case ModelReply.Failed failed -> 0;
    };
  }

  private static long tokens(ModelMessage message) {
    var calls =
        message instanceof ModelMessage.AssistantText said ? String.valueOf(said.toolCalls()) : "";
    return tokens(Objects.requireNonNullElse(message.content(), "") + calls);
  }

  private static long tokens(String text) {
    return Math.ceilDiv(text.getBytes(StandardCharsets.UTF_8).length, BYTES_OF_A_TOKEN);
  }
}
