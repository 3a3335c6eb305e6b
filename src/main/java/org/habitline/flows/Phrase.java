package org.habitline.flows;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Texts that the rehearsal's script understands, and what it does then.
 *
 * @param says the texts, with placeholders such as {@code {{title}}} for what a participant may
 *     write there; the case is ignored, and so are "please" and closing punctuation
 * @param calls the tools to call, in order
 * @param reply the reply when every call succeeded
 * @param examples texts that simulated participants write
 */
public record Phrase(
    String name, List<String> says, List<Call> calls, String reply, List<String> examples) {

  static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{([a-z][a-z0-9]*)}}");

  /** A longer text fits no phrase: placeholders would take long to compare. */
  private static final int LONGEST_TEXT = 300;

  /** With more placeholders, a text that does not fit would take very long to compare. */
  private static final int MOST_PLACEHOLDERS = 2;

  private static final Pattern WORD = Pattern.compile("\\s+");

  public Phrase {
    says = List.copyOf(says);
    calls = List.copyOf(calls);
    examples = List.copyOf(examples);
  }

  /**
   * One tool call, or one for each item of a list.
   *
   * @param each the list in the result of the call before, for whose items the tool is called; or
   *     {@code null} for a single call
   * @param arguments texts by argument; placeholders stand for what was said, for {@code
   *     {{participant}}}, the participant's id, and with {@code each} for values of the item
   */
  public record Call(String tool, @Nullable String each, Map<String, String> arguments) {
    public Call {
      arguments = Map.copyOf(arguments);
    }
  }

  /** Returns what a text says in place of each placeholder, or empty if it is another text. */
  public Optional<Map<String, String>> in(String text) {
    var said = WORD.matcher(text.replace('’', '\'').strip()).replaceAll(" ");
    if (said.length() > LONGEST_TEXT) {
      return Optional.empty();
    }
    return says.stream()
        .map(pattern -> pattern(pattern).matcher(said))
        .filter(Matcher::matches)
        .findFirst()
        .map(found -> {
          var parts = new LinkedHashMap<String, String>();
          found.namedGroups().keySet().forEach(name -> parts.put(name, found.group(name).strip()));
          return parts;
        });
  }

  /** Returns whether texts can be compared with a saying in a short time. */
  static boolean isQuick(String says) {
    return PLACEHOLDER.matcher(says).results().count() <= MOST_PLACEHOLDERS
        && !says.matches("(?s).*}}\\W*\\{\\{.*");
  }

  private static Pattern pattern(String says) {
    var regex = new StringBuilder("\\W*+(?:please\\s+)?");
    var placeholder = PLACEHOLDER.matcher(says);
    var from = 0;
    while (placeholder.find()) {
      regex.append(literal(says.substring(from, placeholder.start())));
      regex.append("(?<").append(placeholder.group(1)).append(">.+?)");
      from = placeholder.end();
    }
    regex.append(literal(says.substring(from))).append("(?:,?\\s+please)?[\\s.!?…]*");
    return Pattern.compile(
        regex.toString(), Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE | Pattern.DOTALL);
  }

  /** Returns a pattern for words, between which any white space may stand. */
  private static String literal(String words) {
    return WORD.splitAsStream(words.replaceFirst("\\s+$", " |").replaceFirst("^\\s+", "| "))
        .map(word -> word.equals("|") || word.isEmpty() ? "" : Pattern.quote(word))
        .collect(Collectors.joining("\\s+"));
  }
}
