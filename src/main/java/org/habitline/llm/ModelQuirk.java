package org.habitline.llm;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a model's server does not take, so that requests to it are written another way. Each is
 * known from the settings, or learnt from the first answer that names it.
 */
public enum ModelQuirk {
  NO_PARALLEL_TOOL_CALLS("no-parallel-tool-calls", "`parallel_tool_calls` is left out"),
  NO_TEMPERATURE("no-temperature", "`temperature` is left out"),
  NO_MAX_TOKENS("no-max-tokens", "`max_tokens` is called `max_completion_tokens`"),
  NO_MAX_COMPLETION_TOKENS(
      "no-max-completion-tokens", "`max_completion_tokens` is called `max_tokens`"),
  NO_TOOL_CHOICE(
      "no-tool-choice",
      "`tool_choice` is left out; where the model must speak it is shown no tools"),
  TOOLS_ALWAYS("tools-always", "tools are shown even where the model must speak"),
  ALTERNATING_ROLES("alternating-roles", "messages of one role in a row are joined"),
  NO_STREAMING("no-streaming", "answers are taken whole"),
  NO_STREAM_OPTIONS("no-stream-options", "streamed answers come without their tokens");

  private final String word;
  private final String meaning;

  ModelQuirk(String word, String meaning) {
    this.word = word;
    this.meaning = meaning;
  }

  /** The word for it in settings and in health. */
  public String word() {
    return word;
  }

  /** What a request is like because of it, for the guide. */
  public String meaning() {
    return meaning;
  }

  /** Every word, in order, separated by commas. */
  public static String words() {
    return Arrays.stream(values()).map(ModelQuirk::word).collect(Collectors.joining(", "));
  }

  /** Returns the quirks that a list of words names, or empty if a word is none of them. */
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
