package org.habitline.llm;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A part of a request that some model servers refuse, and how Habitline adapts its requests. Quirks
 * are set in {@code MODEL_QUIRKS} or learned from a server's refusal.
 */
public enum ModelQuirk {
  NO_PARALLEL_TOOL_CALLS("no-parallel-tool-calls", "Habitline leaves `parallel_tool_calls` out"),
  NO_TEMPERATURE("no-temperature", "Habitline leaves `temperature` out"),
  NO_MAX_TOKENS("no-max-tokens", "Habitline sends `max_completion_tokens` instead of `max_tokens`"),
  NO_MAX_COMPLETION_TOKENS(
      "no-max-completion-tokens",
      "Habitline sends `max_tokens` instead of `max_completion_tokens`"),
  NO_TOOL_CHOICE(
      "no-tool-choice",
      "Habitline leaves out `tool_choice` and shows no tools where the model must answer"
          + " with text"),
  TOOLS_ALWAYS("tools-always", "Habitline shows tools even where the model must answer with text"),
  ALTERNATING_ROLES("alternating-roles", "Habitline joins consecutive messages of the same role"),
  NO_STREAMING("no-streaming", "Habitline asks for whole answers, not for a stream"),
  NO_STREAM_OPTIONS("no-stream-options", "Habitline does not ask a stream for its token counts");

  private final String word;
  private final String meaning;

  ModelQuirk(String word, String meaning) {
    this.word = word;
    this.meaning = meaning;
  }

  /** Returns the quirk's name in the settings and in health. */
  public String word() {
    return word;
  }

  /** Returns how Habitline adapts its requests, for the guide and the log. */
  public String meaning() {
    return meaning;
  }

  /** Returns the names of all quirks, in order, separated by commas. */
  public static String words() {
    return Arrays.stream(values()).map(ModelQuirk::word).collect(Collectors.joining(", "));
  }

  /** Returns the quirks named in a comma-separated list, or empty if one name is unknown. */
  public static Optional<Set<ModelQuirk>> read(String words) {
    var quirks = EnumSet.noneOf(ModelQuirk.class);
    for (var given : words.split(",", -1)) {
      var named =
          Arrays.stream(values()).filter(quirk -> quirk.word.equals(given.strip())).findFirst();
      if (named.isEmpty()) {
        return Optional.empty();
      }
      quirks.add(named.get());
    }
    return Optional.of(Collections.unmodifiableSet(quirks));
  }
}
