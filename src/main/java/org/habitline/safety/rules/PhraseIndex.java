package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.habitline.safety.rules.Phrase.Term;

/**
 * Tells which phrases can be in a sentence, by the words that {@link Phrase#needs} names. Safe for
 * any number of threads once everything is added.
 *
 * @param <T> what is found by its phrase
 */
final class PhraseIndex<T> {

  private static final BitSet NONE = new BitSet();

  private final List<T> all = new ArrayList<>();
  private final Map<String, BitSet> words = new HashMap<>();
  private final Map<String, BitSet> stems = new HashMap<>();

  /** Phrases that need no word. */
  private final BitSet always = new BitSet();

  private int shortestStem = Integer.MAX_VALUE;
  private int longestStem;

  void add(T item, Phrase phrase) {
    var number = all.size();
    all.add(item);
    phrase
        .needs()
        .ifPresentOrElse(
            terms -> terms.forEach(term -> add(term, number)), () -> always.set(number));
  }

  private void add(Term term, int number) {
    (term.stem() ? stems : words).computeIfAbsent(term.word(), it -> new BitSet()).set(number);
    if (term.stem()) {
      shortestStem = Math.min(shortestStem, term.word().length());
      longestStem = Math.max(longestStem, term.word().length());
    }
  }

  /** Returns what can be found in a sentence, in the order in which it was added. */
  List<T> candidates(Sentence sentence) {
    var found = (BitSet) always.clone();
    for (var word : sentence.words()) {
      found.or(words.getOrDefault(word, NONE));
      for (int end = shortestStem; end <= Math.min(word.length(), longestStem); end++) {
        found.or(stems.getOrDefault(word.substring(0, end), NONE));
      }
    }
    return found.stream().mapToObj(all::get).toList();
  }
}
