package org.habitline.conversation.model;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.budgets.Spending;
import org.habitline.budgets.Spent;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.protocol.BrokenStudy;
import org.habitline.protocol.Budgets.Kind;
import org.habitline.protocol.SecondOpinionPlan;

/**
 * Says what a model call cost. If the server reports no tokens, or did not answer in time, they are
 * estimated as one for each four bytes; a call that was repeated counts its input twice, because a
 * provider may charge for requests that it did not answer. The built-in script is free, and counts
 * only against a limit of tokens that the study set itself. Safe for any number of threads.
 */
public final class CallCosts {

  private static final int BYTES_OF_A_TOKEN = 4;

  private final Spending spending;
  private final boolean free;

  CallCosts(Spending spending, LanguageModel model) {
    this.spending = spending;
    this.free = model.rehearsal();
  }

  /**
   * Returns the costs of the model in use.
   *
   * @throws BrokenStudy if costs are limited and a model that may be asked has no price
   */
  static CallCosts checked(
      Spending spending,
      LanguageModel model,
      FlowCatalog flows,
      Optional<SecondOpinionPlan> second) {
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
    return new CallCosts(spending, model);
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
    return of(receipt.modelAsked(), input, output);
  }

  /** Returns what this many tokens of a model cost, if it is not the built-in script. */
  Spent of(String model, long input, long output) {
    var cost =
        free
            ? 0L
            : spending.budgets().prices().map(it -> it.ofTokens(model, input, output)).orElse(0L);
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
