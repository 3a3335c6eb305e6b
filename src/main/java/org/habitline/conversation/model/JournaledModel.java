package org.habitline.conversation.model;

import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.habitline.conversation.stored.Asked;
import org.habitline.conversation.stored.Asked.Elsewhere;
import org.habitline.conversation.stored.Iteration;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.Prompt;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.tools.NestedModel;

/**
 * Asks the model for a text outside the turn's own conversation: once, and once more if a gate
 * blocks the text. The calls are journaled as iterations of the turn, so that a resumed turn does
 * not pay for them again. For one thread.
 */
public final class JournaledModel implements NestedModel {

  private final Journal journal;
  private final LanguageModel model;
  private final Deadline deadline;
  private final Clock clock;
  private final Supplier<Place> places;
  private final Checks checks;
  private final Consumer<Iteration> keep;

  /**
   * The place of a call in the journal.
   *
   * @param child 0 for a call of the turn itself, or the number of a tool's call in the iteration
   */
  record Place(int number, int child) {}

  /** Chooses what checks the text that answers a request. */
  interface Checks {
    /**
     * Returns the check.
     *
     * @param request as it was first made: a retry quotes what was blocked
     */
    Check of(ModelRequest request, Prompt prompt);
  }

  /** Returns an iteration that holds a text with the decision of the gates, if they check it. */
  interface Check {
    Iteration judged(Iteration iteration, ModelReply.Says says);
  }

  /**
   * @param places the next place in the journal
   * @param keep writes a finished call to the journal
   */
  JournaledModel(
      Journal journal,
      LanguageModel model,
      Deadline deadline,
      Clock clock,
      Supplier<Place> places,
      Checks checks,
      Consumer<Iteration> keep) {
    this.journal = journal;
    this.model = model;
    this.deadline = deadline;
    this.clock = clock;
    this.places = places;
    this.checks = checks;
    this.keep = keep;
  }

  @Override
  public Optional<ModelReply> ask(ModelRequest request, Prompt prompt) {
    return ask(request, prompt, checks.of(request, prompt));
  }

  private Optional<ModelReply> ask(ModelRequest request, Prompt prompt, Check check) {
    var iteration = iteration(request, prompt, check);
    return iteration.answer() instanceof ModelReply.Says says
        ? switch (Ruling.of(iteration).orElseGet(Ruling.Passed::new)) {
          case Ruling.Passed passed -> Optional.of(says);
          case Ruling.Again(_, var note) -> ask(request.again(says.text(), note), prompt, check);
          case Ruling.Withheld withheld -> Optional.empty();
        }
        : Optional.of(iteration.answer());
  }

  private Iteration iteration(ModelRequest request, Prompt prompt, Check check) {
    var place = places.get();
    var hash = TurnJson.hash(request);
    var recalled = journal.recall(place.number(), place.child(), hash);
    if (recalled.isPresent()) {
      return judged(recalled.get(), check);
    }
    var startedAt = clock.instant();
    var answer = journal.paid(request, () -> model.answer(request, deadline));
    var asked =
        judged(
            new Iteration(
                place.number(),
                place.child(),
                hash,
                Asked.of(request, null, true, Elsewhere.of(prompt, request.messages(), List.of())),
                request.messages(),
                answer,
                List.of(),
                Iteration.provenance(prompt, answer),
                startedAt,
                clock.instant()),
            check);
    if (!journal.isRefusal(answer)) {
      keep.accept(asked);
    }
    return asked;
  }

  private static Iteration judged(Iteration iteration, Check check) {
    return iteration.answer() instanceof ModelReply.Says says
        ? check.judged(iteration, says)
        : iteration;
  }
}
