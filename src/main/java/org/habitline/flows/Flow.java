package org.habitline.flows;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
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
    @Nullable DailyPrompt dailyPrompt,
    FlowTexts texts,
    WhatsAppTemplates whatsapp) {

  /** What stands in a prompt file for {@link FlowTexts#resources()}. */
  static final String RESOURCES = "{{resources}}";

  public Flow {
    // The order of the file is the order in which a model is shown modules.
    modules = Collections.unmodifiableMap(new LinkedHashMap<>(modules));
    profile = List.copyOf(profile);
  }

  /** Returns the module that answers in a sub-state, or empty if the flow has none of that name. */
  public Optional<FlowModule> module(String state) {
    return Optional.ofNullable(modules.get(state));
  }

  /** Returns the names of the prompt files this flow needs, each once. */
  SortedSet<String> promptFiles() {
    var files = new TreeSet<String>();
    modules.values().forEach(module -> files.add(module.prompt()));
    if (promptGenerator != null) {
      files.add(promptGenerator.prompt());
    }
    return files;
  }

  /**
   * Returns the content of a prompt file as a model reads it: this flow's texts filled in, blanks
   * (and a byte order mark) around it left out.
   */
  public String fill(String promptContent) {
    var text = promptContent.startsWith("\uFEFF") ? promptContent.substring(1) : promptContent;
    return text.strip().replace(RESOURCES, texts.resources());
  }
}
