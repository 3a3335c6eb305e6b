package org.habitline.flows;

import java.time.LocalTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  /** What stands in a prompt file for {@link DailyPrompt#at()}, written HH:mm. */
  static final String DAILY_PROMPT_AT = "{{daily_prompt.at}}";

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{[^{}]*}}");

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
   * Returns the content of a prompt file as a model reads it: this flow's texts and times filled
   * in, blanks (and a byte order mark) around it left out. A placeholder this flow does not know
   * stays as it is.
   */
  public String fill(String promptContent) {
    var text = promptContent.startsWith("\uFEFF") ? promptContent.substring(1) : promptContent;
    var known = placeholders();
    return PLACEHOLDER
        .matcher(text.strip())
        .replaceAll(
            found -> Matcher.quoteReplacement(known.getOrDefault(found.group(), found.group())));
  }

  /** Returns the first placeholder of a prompt file that this flow has nothing to fill in for. */
  Optional<String> unknownPlaceholder(String promptContent) {
    return PLACEHOLDER
        .matcher(promptContent)
        .results()
        .map(MatchResult::group)
        .filter(found -> !placeholders().containsKey(found))
        .findFirst();
  }

  /** Returns what a prompt file of this flow may name, with the text that replaces it. */
  SortedMap<String, String> placeholders() {
    var known = new TreeMap<>(Map.of(RESOURCES, texts.resources()));
    if (dailyPrompt != null) {
      known.put(DAILY_PROMPT_AT, dailyPrompt.at().toString());
    }
    return known;
  }

  /** Returns this flow with another usual time of its daily prompts, if it has daily prompts. */
  Flow promptedAt(LocalTime usual) {
    return new Flow(
        id,
        initialState,
        modules,
        profile,
        promptGenerator,
        dailyPrompt == null ? null : dailyPrompt.at(usual),
        texts,
        whatsapp);
  }
}
