package org.habitline.conversation.model;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.tools.OutsideTools;
import org.habitline.tools.ToolCatalog;

/** Gives a turn its access to the model: within the turn's deadline, and journaled. */
@Singleton
public final class TurnModel {

  private final LanguageModel model;
  private final ToolCatalog tools;
  private final OutsideTools outside;
  private final TurnSettings settings;
  private final Clock clock;

  TurnModel(
      LanguageModel model,
      ToolCatalog tools,
      OutsideTools outside,
      TurnSettings settings,
      Clock clock) {
    this.model = model;
    this.tools = tools;
    this.outside = outside;
    this.settings = settings;
    this.clock = clock;
  }

  /** Returns the loop of model and tools for a turn. */
  public ToolLoop loop(TurnContext context, Journal journal) {
    return new ToolLoop(context, journal, model, tools, outside, deadline(), clock);
  }

  /**
   * Returns a loop that only repeats what the journal has: its deadline has passed, so that no
   * model is asked.
   */
  public ToolLoop journaled(TurnContext context, Journal journal) {
    return new ToolLoop(context, journal, model, tools, outside, Deadline.in(Duration.ZERO), clock);
  }

  /** Returns the model for a turn that asks it once, outside the loop. */
  public JournaledModel once(Journal journal) {
    return new JournaledModel(journal, model, deadline(), clock);
  }

  private Deadline deadline() {
    return Deadline.in(settings.deadline());
  }
}
