package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;

/** Writes to the participant in another of the flow's languages from now on. */
@Singleton
final class SetLanguage implements Tool {

  private static final String LANGUAGE = "language";

  @Override
  public String name() {
    return "set_language";
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Changes the language of all messages. Only when they ask for it, or wrote their last two texts in that language.",
        new StrictSchema()
            .choice(LANGUAGE, "ISO 639 code.", List.copyOf(flow.languages().all()))
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var languages = run.flow().languages();
    var arguments = new Arguments(given, List.of(LANGUAGE), List.of());
    var wanted = arguments.requiredChoice(LANGUAGE, languages.all());
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var language = wanted.orElseThrow();
    var now = Objects.requireNonNullElse(run.copy().language(), languages.standard());
    if (language.equals(now)) {
      return ToolOutcome.noop("They are written to in " + language + " already.");
    }
    var set = ToolOutcome.success(new Effect.SetLanguage(language));
    set.result()
        .put(
            "message",
            "Takes effect with their next text: your instructions and the fixed messages are then in %s. Write this reply in %s already."
                .formatted(language, language));
    return set;
  }
}
