package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowPart;
import org.habitline.llm.ToolSpec;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OutcomeEntry;
import org.habitline.timers.PromptOutcome;

/**
 * Records what came of a daily prompt, as the participant says in any words; they may correct it.
 */
@Singleton
final class RecordOutcome implements Tool {

  static final String NAME = "record_outcome";

  private static final String OCCURRENCE = "occurrence";
  private static final String OUTCOME = "outcome";
  private static final String NOTE = "note";
  private static final int LONGEST_OCCURRENCE = 20;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<FlowPart> needs() {
    return Set.of(FlowPart.DAILY_PROMPT);
  }

  /** Without a prompt there is nothing to record. */
  @Override
  public boolean isOffered(WorkingCopy copy) {
    return copy.newestPrompt().isPresent();
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Records whether they did what a daily prompt asked, as soon as they say so, and again if"
            + " they correct it. Not for what they plan to do or tried in this conversation.",
        new StrictSchema()
            .optionalText(
                OCCURRENCE,
                "The date of the daily prompt, such as 2026-11-21; null is the newest.",
                LONGEST_OCCURRENCE)
            .choice(OUTCOME, "What came of it.", PromptOutcome.words())
            .optionalText(NOTE, "What they said about it.", OutcomeEntry.LONGEST_NOTE)
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(OCCURRENCE, OUTCOME, NOTE), List.of());
    var named = arguments.text(OCCURRENCE, LONGEST_OCCURRENCE);
    var said = arguments.requiredChoice(OUTCOME, PromptOutcome.words()).flatMap(PromptOutcome::of);
    var note = arguments.text(NOTE, OutcomeEntry.LONGEST_NOTE);
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var newest = run.copy().newestPrompt();
    if (newest.isEmpty()) {
      return ToolOutcome.error(
          OCCURRENCE, "No daily prompt was sent lately, so no outcome can be recorded.", List.of());
    }
    var meant =
        named
            .map(name -> run.copy().prompts().stream().filter(it -> isNamed(it, name)).toList())
            .orElseGet(() -> List.of(newest.get()));
    var prompt = meant.stream().filter(Occurrence::prompted).findFirst();
    if (prompt.isEmpty()) {
      return ToolOutcome.error(
          OCCURRENCE,
          meant.isEmpty()
              ? "There was no daily prompt on this date in the last days."
              : "The daily prompt of this date was not sent, so it has no outcome.",
          run.copy().prompts().stream()
              .filter(Occurrence::prompted)
              .map(it -> it.key().date().toString())
              .distinct()
              .toList());
    }
    var outcome = said.orElseThrow();
    var key = prompt.get().key();
    if (prompt.get().outcome() == outcome) {
      return ToolOutcome.noop(
          "The outcome of " + key.date() + " is recorded as " + outcome.word() + " already.");
    }
    var recorded =
        ToolOutcome.success(
            new Effect.RecordOutcome(key, outcome, OutcomeEntry.By.MODEL, note.orElse(null)));
    recorded.result().put(OCCURRENCE, key.date().toString()).put(OUTCOME, outcome.word());
    var before = prompt.get().outcome();
    if (before != null) {
      recorded.result().put("outcome_before", before.word());
    }
    return recorded;
  }

  /** Returns whether a prompt has this date, or this date and slot as {@code 2026-11-21#1}. */
  private static boolean isNamed(Occurrence prompt, String name) {
    return prompt.key().date().toString().equals(name) || prompt.key().text().equals(name);
  }
}
