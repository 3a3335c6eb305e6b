package org.habitline.safety.gates;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.protocol.ReplyGate;

/**
 * Blocks a text that is clearly in a known language which is neither the flow's nor the
 * participant's. Languages are told apart by their common words. Short texts always pass, and so do
 * texts in languages that no file describes.
 */
final class LanguageGate implements Gate {

  private static final int FEWEST_WORDS = 8;

  /** The least share of common words of a text that is clearly in a language. */
  private static final double CLEARLY = 0.25;

  /** How many times more common words than those of an allowed language it must have. */
  private static final double TIMES = 1.5;

  /** How many of the participant's newest texts show which language they write. */
  private static final int NEWEST = 5;

  private static final int FEWEST_COMMON = 2;

  /** So many different common words; one word alone, such as "no", may be in several languages. */
  private static final int FEWEST_DIFFERENT = 3;

  private final List<GateLanguage> languages;

  LanguageGate(List<GateLanguage> languages) {
    this.languages = languages;
  }

  @Override
  public ReplyGate gate() {
    return ReplyGate.LANGUAGE;
  }

  @Override
  public Optional<String> objection(Candidate candidate) {
    var words = new ArrayList<String>();
    candidate.sentences().forEach(sentence -> words.addAll(Words.of(sentence)));
    words.removeIf(word -> Character.isDigit(word.charAt(0)));
    if (words.size() < FEWEST_WORDS) {
      return Optional.empty();
    }
    var allowed = allowed(candidate.shown(), candidate.done());
    var best =
        languages.stream()
            .filter(language -> allowed.contains(language.id()))
            .mapToDouble(language -> share(language, words))
            .max()
            .orElse(0);
    return languages.stream()
            .filter(language -> !allowed.contains(language.id()))
            .filter(language -> different(language, words) >= FEWEST_DIFFERENT)
            .mapToDouble(language -> share(language, words))
            .anyMatch(share -> share >= CLEARLY && share >= TIMES * best)
        ? Optional.of(
            "Your last answer was not sent, because it is not in the language of the participant. Write it again in the language in which they write (%s unless they write in another one)."
                .formatted(candidate.shown().language()))
        : Optional.empty();
  }

  /**
   * Returns the flow's language, the one that the turn leaves, those that the participant writes,
   * and those that they name.
   */
  private Set<String> allowed(Shown shown, Done done) {
    var said = shown.said();
    var words = new ArrayList<String>();
    said.subList(Math.max(0, said.size() - NEWEST), said.size())
        .forEach(text -> words.addAll(Words.of(text)));
    var usual =
        languages.stream()
            .filter(language -> language.id().equals(shown.language()))
            .mapToDouble(language -> share(language, words))
            .max()
            .orElse(0);
    var allowed = new HashSet<String>();
    allowed.add(shown.language());
    if (done.language() != null) {
      allowed.add(done.language());
    }
    for (var language : languages) {
      if ((isClearly(language, words) && share(language, words) >= usual)
          || words.stream().anyMatch(language.names()::contains)) {
        allowed.add(language.id());
      }
    }
    return allowed;
  }

  /** Returns the language in which somebody wrote these texts, if it is clear. */
  Optional<String> of(List<String> texts) {
    var words = texts.stream().flatMap(text -> Words.of(text).stream()).toList();
    return languages.stream()
        .filter(language -> isClearly(language, words))
        .max(Comparator.comparingDouble(language -> share(language, words)))
        .map(GateLanguage::id);
  }

  private static boolean isClearly(GateLanguage language, List<String> words) {
    return words.stream().filter(language.commonWords()::contains).count() >= FEWEST_COMMON
        && share(language, words) >= CLEARLY;
  }

  private static long different(GateLanguage language, List<String> words) {
    return words.stream().distinct().filter(language.commonWords()::contains).count();
  }

  private static double share(GateLanguage language, List<String> words) {
    return words.isEmpty()
        ? 0
        : (double) words.stream().filter(language.commonWords()::contains).count() / words.size();
  }
}
