package org.habitline.conversation.model;

import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.habitline.conversation.stored.Iteration;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.Prompt;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.safety.gates.Done;
import org.habitline.safety.gates.Shown;
import org.habitline.tools.NestedModel;

/**
 * Asks the model for a turn that has no loop: once, and once more if a gate blocks its text. The
 * calls are journaled as the turn's iterations, so that a resumed turn does not pay for them again.
 */
public final class JournaledModel implements NestedModel {

  private final Journal journal;
  private final LanguageModel model;
  private final Deadline deadline;
  private final Clock clock;
  private final TurnGates gates;
  private final List<String> known;
  private int number;

  /**
   * @param known what the study knows of the participant
   */
  JournaledModel(
      Journal journal,
      LanguageModel model,
      Deadline deadline,
      Clock clock,
      TurnGates gates,
      List<String> known) {
    this.journal = journal;
    this.model = model;
    this.deadline = deadline;
    this.clock = clock;
    this.gates = gates;
    this.known = known;
  }

  @Override
  public Optional<ModelReply> ask(ModelRequest request, Prompt prompt) {
    return ask(request, prompt, gates.shown(request.messages(), prompt, known));
  }

  /**
   * @param shown what the model was shown first: a retry quotes what was blocked
   */
  private Optional<ModelReply> ask(ModelRequest request, Prompt prompt, Shown shown) {
    number++;
    var iteration = iteration(request, prompt, shown);
    return iteration.answer() instanceof ModelReply.Says says
        ? ruled(request, prompt, shown, says, Ruling.of(iteration))
        : Optional.of(iteration.answer());
  }

  private Optional<ModelReply> ruled(
      ModelRequest request,
      Prompt prompt,
      Shown shown,
      ModelReply.Says says,
      Optional<Ruling> ruling) {
    return switch (ruling.orElseGet(Ruling.Passed::new)) {
      case Ruling.Passed passed -> Optional.of(says);
      case Ruling.Again(_, var note) ->
          ask(TurnGates.again(request, says.text(), note), prompt, shown);
      case Ruling.Withheld withheld -> Optional.empty();
    };
  }

  private Iteration iteration(ModelRequest request, Prompt prompt, Shown shown) {
    var hash = TurnJson.hash(request);
    var recalled = journal.recall(number, 0, hash);
    if (recalled.isPresent()) {
      return judged(recalled.get(), shown);
    }
    var startedAt = clock.instant();
    var answer = journal.paid(request, () -> model.answer(request, deadline));
    var asked =
        judged(
            new Iteration(
                number,
                0,
                hash,
                request.messages(),
                answer,
                List.of(),
                Iteration.provenance(prompt),
                startedAt,
                clock.instant()),
            shown);
    if (!journal.isRefusal(answer)) {
      journal.keep(asked);
    }
    return asked;
  }

  private Iteration judged(Iteration iteration, Shown shown) {
    return iteration.answer() instanceof ModelReply.Says says
        ? gates.judged(
            iteration,
            PlainText.storable(says.text()).strip(),
            shown,
            Done.NOTHING,
            !deadline.passed())
        : iteration;
  }
}
