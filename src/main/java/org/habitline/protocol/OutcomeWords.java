package org.habitline.protocol;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.config.Section;

/**
 * Texts that say what came of a daily prompt, such as "did it", in the languages of {@code
 * config/outcomes}. The words of all languages count for everybody. A text counts only as a whole:
 * anything longer is for the coach to understand.
 *
 * @param meanings by text, as {@link #bare} writes it
 */
public record OutcomeWords(Map<String, Meaning> meanings) {

  private static final String FOLDER = "config/outcomes";
  private static final int LONGEST_WORDS = 100;
  private static final List<String> OUTCOMES = List.of("done", "partly", "not_done");

  /**
   * Blanks, variation selectors, joiners, and the modifiers that give an emoji a colour of skin.
   */
  private static final Pattern COLOURS =
      Pattern.compile("[\\s\\uFE0E\\uFE0F\\u200D\\x{1F3FB}-\\x{1F3FF}]+");

  public OutcomeWords {
    meanings = Map.copyOf(meanings);
  }

  /**
   * What a text says.
   *
   * @param outcome {@code done}, {@code partly} or {@code not_done}
   * @param isShort whether it says so only in reply to the question: "yes" and 👍 mean something
   *     else after another message
   */
  public record Meaning(String outcome, boolean isShort) {
    private String said() {
      return (isShort ? "short." : "clear.") + outcome;
    }
  }

  /**
   * Reads the packaged files and those of the home folder.
   *
   * @throws BrokenStudy with every mistake if a file cannot be used, or if a word has two meanings
   */
  static OutcomeWords read(Path home) {
    var all = new HashMap<String, Meaning>();
    var mistakes = new ArrayList<String>();
    WordFiles.read(home, FOLDER, OutcomeWords::language)
        .forEach((language, words) ->
            words.forEach((word, meaning) -> {
              var other = all.putIfAbsent(word, meaning);
              if (other != null && !other.equals(meaning)) {
                mistakes.add(
                    "%s/%s.yaml: '%s' means %s here, but %s in another language; expected one meaning"
                        .formatted(FOLDER, language, word, meaning.said(), other.said()));
              }
            }));
    if (!mistakes.isEmpty()) {
      throw new BrokenStudy(mistakes);
    }
    return new OutcomeWords(all);
  }

  private static Map<String, Meaning> language(Section file) {
    file.only("clear", "short");
    var words = new HashMap<String, Meaning>();
    collect(file.section("clear"), false, words);
    collect(file.section("short"), true, words);
    return words;
  }

  private static void collect(Section section, boolean isShort, Map<String, Meaning> words) {
    section.only(OUTCOMES.toArray(String[]::new));
    for (var outcome : OUTCOMES) {
      var texts = section.optionalTexts(outcome, LONGEST_WORDS);
      for (int i = 0; i < texts.size(); i++) {
        var bare = bare(texts.get(i));
        var meaning = new Meaning(outcome, isShort);
        if (bare.isEmpty()) {
          section.refuse(outcome, i, "expected words or an emoji");
        } else {
          var other = words.putIfAbsent(bare, meaning);
          if (other != null) {
            section.refuse(outcome, i, "'" + texts.get(i) + "' already means " + other.said());
          }
        }
      }
    }
  }

  /** Returns what a text says, or empty if it is none of these words. */
  public Optional<Meaning> meaning(String text) {
    return Optional.ofNullable(meanings.get(bare(text)));
  }

  /** Returns whether two texts have the same words. */
  public static boolean same(String text, String other) {
    return bare(text).equals(bare(other));
  }

  /**
   * Returns a text as it is compared: its words as those of consent are, without emojis; or if it
   * has no words, its emojis, each once.
   */
  private static String bare(String text) {
    var words = ConsentLanguage.bare(text);
    if (!words.isEmpty()) {
      return words;
    }
    var emojis = new StringBuilder();
    COLOURS.matcher(text).replaceAll("").codePoints().distinct().forEach(emojis::appendCodePoint);
    return emojis.toString();
  }
}
