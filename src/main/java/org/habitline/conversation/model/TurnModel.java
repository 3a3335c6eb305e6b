package org.habitline.conversation.model;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.habitline.flows.Flow;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.Participant;
import org.habitline.participants.PhoneNumbers;
import org.habitline.safety.gates.Done;
import org.habitline.safety.gates.ReplyGates;
import org.habitline.safety.gates.Shown;
import org.habitline.tools.OutsideTools;
import org.habitline.tools.Profile;
import org.habitline.tools.ToolCatalog;

/** Gives a turn its access to the model: within the turn's deadline, and journaled. */
@Singleton
public final class TurnModel {

  private final LanguageModel model;
  private final ToolCatalog tools;
  private final OutsideTools outside;
  private final ReplyGates gates;
  private final PhoneNumbers phones;
  private final TurnSettings settings;
  private final Clock clock;

  TurnModel(
      LanguageModel model,
      ToolCatalog tools,
      OutsideTools outside,
      ReplyGates gates,
      PhoneNumbers phones,
      TurnSettings settings,
      Clock clock) {
    this.model = model;
    this.tools = tools;
    this.outside = outside;
    this.gates = gates;
    this.phones = phones;
    this.settings = settings;
    this.clock = clock;
  }

  /** Returns the loop of model and tools for a turn. */
  public ToolLoop loop(TurnContext context, Journal journal) {
    return loop(context, journal, deadline());
  }

  /**
   * Returns a loop that only repeats what the journal has: its deadline has passed, so that no
   * model is asked.
   */
  public ToolLoop journaled(TurnContext context, Journal journal) {
    return loop(context, journal, Deadline.in(Duration.ZERO));
  }

  private ToolLoop loop(TurnContext context, Journal journal, Deadline deadline) {
    return new ToolLoop(
        context,
        journal,
        model,
        tools,
        outside,
        gates(context.participant(), context.flow()),
        deadline,
        clock);
  }

  /**
   * Returns the model for a turn that asks it once, outside the loop.
   *
   * @param profile empty if the text is about nobody
   */
  public JournaledModel once(
      Journal journal, Participant participant, Flow flow, Optional<Profile> profile) {
    var deadline = deadline();
    var gates = gates(participant, flow);
    var known = profile.map(TurnGates::texts).orElse(List.of());
    var numbers = IntStream.iterate(1, number -> number + 1).iterator();
    return new JournaledModel(
        journal,
        model,
        deadline,
        clock,
        () -> new JournaledModel.Place(numbers.nextInt(), 0),
        (request, prompt) -> {
          var shown = gates.shown(request.messages(), prompt, known);
          return (iteration, says) ->
              gates.judged(
                  iteration,
                  PlainText.storable(says.text()).strip(),
                  shown,
                  Done.NOTHING,
                  !deadline.passed());
        },
        journal::keep);
  }

  private TurnGates gates(Participant participant, Flow flow) {
    return new TurnGates(gates, flow, phones.country(participant.phone()).orElse(Shown.NO_REGION));
  }

  private Deadline deadline() {
    return Deadline.in(settings.deadline());
  }
}
