package org.habitline.flows;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the line is there to do for a participant, as read from one file of {@code config/flows}.
 * Immutable.
 */
public record Flow(
    String id,
    String initialState,
    Map<String, FlowModule> modules,
    List<ProfileField> profile,
    @Nullable PromptGenerator promptGenerator,
    FlowTexts texts) {

  /** Returns the module that answers in a sub-state, or empty if the flow has none of that name. */
  public Optional<FlowModule> module(String state) {
    return Optional.ofNullable(modules.get(state));
  }

  /** Returns the content of a prompt file with this flow's texts filled in. */
  public String fill(String promptContent) {
    return promptContent.replace("{{resources}}", texts.resources());
  }
}
