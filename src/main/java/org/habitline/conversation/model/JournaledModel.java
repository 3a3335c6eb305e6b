package org.habitline.conversation.model;

import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.habitline.conversation.stored.Iteration;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.Prompt;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.tools.NestedModel;

/**
 * Asks the model once for a turn that has no loop. The call is journaled as the turn's first
 * iteration, so that a resumed turn does not pay for it again.
 */
public record JournaledModel(Journal journal, LanguageModel model, Deadline deadline, Clock clock)
    implements NestedModel {

  @Override
  public ModelReply ask(ModelRequest request, Prompt prompt) {
    var hash = TurnJson.hash(request);
    return journal
        .recall(1, 0, hash)
        .map(Iteration::answer)
        .orElseGet(() -> ask(request, hash, Iteration.provenance(prompt)));
  }

  private ModelReply ask(ModelRequest request, String hash, Map<String, String> metadata) {
    var startedAt = clock.instant();
    var answer = journal.paid(request, () -> model.answer(request, deadline));
    if (journal.isRefusal(answer)) {
      return answer;
    }
    journal.keep(
        new Iteration(
            1,
            0,
            hash,
            request.messages(),
            answer,
            List.of(),
            metadata,
            startedAt,
            clock.instant()));
    return answer;
  }
}
