package org.habitline.messaging.inbox;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.habitline.Patterns;
import org.habitline.config.Section;

/**
 * The keywords of one language, and its rules for an opt-out in free words. Keywords count only as
 * the whole message, in any case and with any punctuation around them. An opt-out in free words
 * ("please stop texting me") counts when it is a whole clause of a text, so that what people say
 * about others ("she would not stop texting me") goes to the coach. Everything is compared in lower
 * case, with each run of blanks as one, and all but {@code notRequests} without accents.
 *
 * @param providerConfirms whether the provider itself confirms the words of {@code stop} and knows
 *     those of {@code start}
 * @param stopPhrases patterns of whole messages that are as good as a word of {@code stop}
 * @param ends the end of a clause
 * @param opening polite words before an opt-out
 * @param requests patterns of a clause that is an opt-out, without the opening
 * @param notRequests patterns found, with accents, in a clause that is no opt-out after all
 */
record KeywordLanguage(
    boolean providerConfirms,
    Set<String> stop,
    List<Pattern> stopPhrases,
    Set<String> start,
    Set<String> help,
    Pattern ends,
    Pattern opening,
    List<Pattern> requests,
    List<Pattern> notRequests) {

  private static final int LONGEST_WORD = 60;
  private static final int LONGEST_PATTERN = 2_000;

  /**
   * The longest opt-out that a pattern finds, in characters without the opening and with single
   * blanks: a pattern of repeated words needs more stack the longer the text is, and no text may
   * exhaust it.
   */
  private static final int LONGEST_REQUEST = 2_000;

  private static final String SIGNS = "[.!?;,\\n¡¿]+|\\s[-–—]+\\s";

  private static final Pattern INSIDE = Pattern.compile("[\\s\\-]+");
  private static final Pattern ACCENTS = Pattern.compile("\\p{M}+");

  KeywordLanguage {
    stop = Set.copyOf(stop);
    stopPhrases = List.copyOf(stopPhrases);
    start = Set.copyOf(start);
    help = Set.copyOf(help);
    requests = List.copyOf(requests);
    notRequests = List.copyOf(notRequests);
  }

  static KeywordLanguage read(Section file) {
    file.only(
        "provider_confirms",
        "stop",
        "stop_phrases",
        "start",
        "help",
        "parts",
        "conjunctions",
        "openings",
        "closings",
        "requests",
        "not_requests");
    var parts = parts(file);
    return new KeywordLanguage(
        file.flag("provider_confirms", false),
        words(file, "stop"),
        patterns(file, "stop_phrases", parts, ""),
        words(file, "start"),
        words(file, "help"),
        joined(
            file,
            "conjunctions",
            parts,
            all -> all.isEmpty() ? SIGNS : SIGNS + "|\\s(?:" + all + ")\\s"),
        joined(file, "openings", parts, all -> "^(?:(?:" + all + ")\\s)++"),
        patterns(
            file,
            "requests",
            parts,
            file.has("closings")
                ? "(?: (?:" + String.join("|", texts(file, "closings", parts)) + "))*"
                : ""),
        patterns(file, "not_requests", parts, ""));
  }

  private static Set<String> words(Section file, String key) {
    var words = new HashSet<String>();
    file.optionalTexts(key, LONGEST_WORD).forEach(word -> words.add(PlainText.bare(plain(word))));
    if (words.isEmpty()) {
      file.refuse(key, "missing; expected a list of words");
    }
    return words;
  }

  /** Returns the named parts of patterns; each may use those before it, as {@code <name>}. */
  private static Map<String, String> parts(Section file) {
    var parts = new LinkedHashMap<String, String>();
    file.optionalSection("parts")
        .ifPresent(section ->
            section
                .keys()
                .forEach(name ->
                    parts.put(
                        "<" + name + ">", filled(section.text(name, LONGEST_PATTERN), parts))));
    return parts;
  }

  private static String filled(String pattern, Map<String, String> parts) {
    var filled = pattern;
    for (var part : parts.entrySet()) {
      filled = filled.replace(part.getKey(), "(?:" + part.getValue() + ")");
    }
    return filled;
  }

  private static List<String> texts(Section file, String key, Map<String, String> parts) {
    return file.optionalTexts(key, LONGEST_PATTERN).stream()
        .map(text -> filled(text, parts))
        .toList();
  }

  private static Pattern joined(
      Section file, String key, Map<String, String> parts, UnaryOperator<String> pattern) {
    return compiled(file, key, pattern.apply(String.join("|", texts(file, key, parts))));
  }

  private static List<Pattern> patterns(
      Section file, String key, Map<String, String> parts, String after) {
    var patterns = new ArrayList<Pattern>();
    texts(file, key, parts)
        .forEach(text -> patterns.add(compiled(file, key, "(?:" + text + ")" + after)));
    return patterns;
  }

  private static Pattern compiled(Section file, String key, String pattern) {
    try {
      return Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      file.refuse(key, "expected regular expressions; one is not valid: " + e.getDescription());
      return Pattern.compile("(?!)");
    }
  }

  /**
   * Returns a text in lower case, with plain apostrophes, without accents, and with one blank
   * between words.
   */
  static String plain(String text) {
    var words = Patterns.foldBlanks(text).replace('\n', ' ').replace('’', '\'');
    var letters = Normalizer.normalize(words, Normalizer.Form.NFD);
    return ACCENTS.matcher(letters).replaceAll("").toLowerCase(Locale.ROOT);
  }

  /** Returns whether a whole message asks for an opt-out. */
  boolean isStop(String word) {
    return stop.contains(word)
        || stop.contains(INSIDE.matcher(word).replaceAll(""))
        || matchesAny(word, stopPhrases);
  }

  /** Returns whether a clause of a text is an opt-out. */
  boolean revokes(String text) {
    var accented =
        Normalizer.normalize(Patterns.foldBlanks(text), Normalizer.Form.NFC)
            .toLowerCase(Locale.ROOT);
    return ends.splitAsStream(accented)
        .anyMatch(clause ->
            isRequest(clause) && notRequests.stream().noneMatch(it -> it.matcher(clause).find()));
  }

  private boolean isRequest(String clause) {
    var words = PlainText.bare(plain(clause));
    return matchesAny(opening.matcher(words).replaceFirst(""), requests);
  }

  private static boolean matchesAny(String text, List<Pattern> patterns) {
    return text.length() <= LONGEST_REQUEST
        && patterns.stream().anyMatch(pattern -> pattern.matcher(text).matches());
  }
}
