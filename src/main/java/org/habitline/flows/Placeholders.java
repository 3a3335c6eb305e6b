package org.habitline.flows;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The placeholders that a flow's prompt files and fixed messages may hold, such as {@code
 * {{daily_prompt.at}}}, with the text that replaces each.
 */
record Placeholders(SortedMap<String, String> texts) {

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{[^{}]*}}");

  Placeholders {
    texts = Collections.unmodifiableSortedMap(new TreeMap<>(texts));
  }

  /** Returns the placeholders of a flow. */
  static Placeholders of(
      String resources, @Nullable DailyPrompt daily, List<ProfileField> profile) {
    var known = new TreeMap<String, String>();
    known.put(placeholder("resources"), resources);
    if (daily != null) {
      known.put(placeholder("daily_prompt.at"), daily.at().toString());
      known.put(placeholder("daily_prompt.done"), daily.done());
      known.put(placeholder("daily_prompt.not_done"), daily.notDone());
      known.put(placeholder("daily_prompt.question"), daily.question());
    }
    for (var field : profile) {
      if (!field.values().isEmpty()) {
        known.put(placeholder("profile." + field.name() + ".values"), listed(field.values()));
      }
    }
    return new Placeholders(known);
  }

  /** Returns the placeholders but this one. */
  Placeholders without(String name) {
    var others = new TreeMap<>(texts);
    others.remove(placeholder(name));
    return new Placeholders(others);
  }

  /** Returns the text with every known placeholder replaced; unknown ones stay as they are. */
  String fill(String text) {
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(
            found -> Matcher.quoteReplacement(texts.getOrDefault(found.group(), found.group())));
  }

  /**
   * A placeholder that is not known.
   *
   * @param line the line of the text that it is in, from 1
   */
  record Unknown(String name, long line) {}

  /** Returns the placeholders of a text that are not known, in the order of the text. */
  List<Unknown> unknown(String text) {
    return PLACEHOLDER
        .matcher(text)
        .results()
        .filter(found -> !texts.containsKey(found.group()))
        .map(found -> new Unknown(found.group(), lineOf(text, found.start())))
        .toList();
  }

  private static long lineOf(String text, int place) {
    return 1 + text.substring(0, place).chars().filter(character -> character == '\n').count();
  }

  /** Returns the known placeholders for messages, such as {@code {{a}}, {{b}}}. */
  String listed() {
    return texts.isEmpty() ? "none" : String.join(", ", texts.keySet());
  }

  private static String placeholder(String name) {
    return "{{" + name + "}}";
  }

  /** Returns values as a sentence names them: {@code "low", "normal" or "high"}. */
  private static String listed(List<String> values) {
    var quoted = values.stream().map(value -> '"' + value + '"').toList();
    var last = quoted.getLast();
    return quoted.size() == 1
        ? last
        : String.join(", ", quoted.subList(0, quoted.size() - 1)) + " or " + last;
  }
}
