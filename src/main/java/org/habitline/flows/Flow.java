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
 * A conversation flow: its modules, profile fields, daily prompts and messages, as read from one
 * file of {@code config/flows}. Immutable.
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

  /** The placeholder in a prompt file for {@link FlowTexts#resources()}. */
  static final String RESOURCES = "{{resources}}";

  /** The placeholder in a prompt file for {@link DailyPrompt#at()}, written HH:mm. */
  static final String DAILY_PROMPT_AT = "{{daily_prompt.at}}";

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{[^{}]*}}");

  public Flow {
    // Models are shown the modules in the order of the file.
    modules = Collections.unmodifiableMap(new LinkedHashMap<>(modules));
    profile = List.copyOf(profile);
  }

  /** Returns the module of this name, or empty if the flow has none. */
  public Optional<FlowModule> module(String state) {
    return Optional.ofNullable(modules.get(state));
  }

  /** Returns the names of the prompt files that this flow needs, without duplicates. */
  SortedSet<String> promptFiles() {
    var files = new TreeSet<String>();
    modules.values().forEach(module -> files.add(module.prompt()));
    if (promptGenerator != null) {
      files.add(promptGenerator.prompt());
    }
    return files;
  }

  /**
   * Returns the content of a prompt file as a model reads it: with this flow's texts and times
   * filled in, and without surrounding blanks and byte order mark. A placeholder that this flow
   * does not know is left unchanged.
   */
  public String fill(String promptContent) {
    var text = promptContent.startsWith("\uFEFF") ? promptContent.substring(1) : promptContent;
    var known = placeholders();
    return PLACEHOLDER
        .matcher(text.strip())
        .replaceAll(
            found -> Matcher.quoteReplacement(known.getOrDefault(found.group(), found.group())));
  }

  /**
   * Returns the first placeholder of a prompt file that this flow does not know, or empty if there
   * is none.
   */
  Optional<String> unknownPlaceholder(String promptContent) {
    return PLACEHOLDER
        .matcher(promptContent)
        .results()
        .map(MatchResult::group)
        .filter(found -> !placeholders().containsKey(found))
        .findFirst();
  }

  /**
   * Returns the placeholders that prompt files of this flow may hold, with the text that replaces
   * each.
   */
  SortedMap<String, String> placeholders() {
    var known = new TreeMap<>(Map.of(RESOURCES, texts.resources()));
    if (dailyPrompt != null) {
      known.put(DAILY_PROMPT_AT, dailyPrompt.at().toString());
    }
    return known;
  }

  /** Returns this flow with another default time of its daily prompts, if it has daily prompts. */
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
