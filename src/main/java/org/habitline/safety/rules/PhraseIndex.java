package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.habitline.safety.rules.Phrase.Term;

/**
 * Tells which phrases can be in a sentence, by the words that {@link Phrase#needs} names, and where
 * they can begin, by those of {@link Phrase#first}: most phrases are never compared with a
 * sentence. Safe for any number of threads once everything is added.
 *
 * @param <T> what is found by its phrase
 */
final class PhraseIndex<T> {

  private final List<T> all = new ArrayList<>();
  private final Numbers needed = new Numbers();
  private final Numbers first = new Numbers();

  /**
   * What can be found in a sentence.
   *
   * @param starts the tokens with which its phrase can begin
   */
  record Candidate<T>(T item, BitSet starts) {}

  void add(T item, Phrase phrase) {
    var number = all.size();
    all.add(item);
    if (phrase.needs().isEmpty()) {
      needed.always.set(number);
    }
    phrase.needs().forEach(term -> needed.add(term, number));
    if (phrase.first(term -> first.add(term, number)) != Phrase.Beginning.WORD) {
      first.always.set(number);
    }
  }

  /** Returns what can be found in a sentence, in the order in which it was added. */
  List<Candidate<T>> candidates(Sentence sentence) {
    var possible = (BitSet) needed.always.clone();
    sentence.words().forEach(word -> needed.of(word, possible));
    var candidates = new ArrayList<Candidate<T>>();
    if (possible.isEmpty()) {
      return candidates;
    }
    var beginning = new BitSet[sentence.size()];
    for (int at = 0; at < beginning.length; at++) {
      beginning[at] = (BitSet) first.always.clone();
      first.of(sentence.word(at), beginning[at]);
    }
    for (int number = possible.nextSetBit(0);
        number >= 0;
        number = possible.nextSetBit(number + 1)) {
      var starts = starts(beginning, number);
      if (!starts.isEmpty()) {
        candidates.add(new Candidate<>(all.get(number), starts));
      }
    }
    return candidates;
  }

  private static BitSet starts(BitSet[] beginning, int number) {
    var starts = new BitSet();
    for (int at = 0; at < beginning.length; at++) {
      if (beginning[at].get(number)) {
        starts.set(at);
      }
    }
    return starts;
  }

  /** Numbers of phrases, by words. */
  private static final class Numbers {

    private static final BitSet NONE = new BitSet();

    private final Map<String, BitSet> words = new HashMap<>();
    private final Map<String, BitSet> stems = new HashMap<>();

    /** Phrases that do not depend on a word. */
    private final BitSet always = new BitSet();

    private int shortestStem = Integer.MAX_VALUE;
    private int longestStem;

    void add(Term term, int number) {
      (term.stem() ? stems : words).computeIfAbsent(term.word(), it -> new BitSet()).set(number);
      if (term.stem()) {
        shortestStem = Math.min(shortestStem, term.word().length());
        longestStem = Math.max(longestStem, term.word().length());
      }
    }

    /** Adds the numbers of a word. */
    void of(String word, BitSet to) {
      to.or(words.getOrDefault(word, NONE));
      for (int end = shortestStem; end <= Math.min(word.length(), longestStem); end++) {
        to.or(stems.getOrDefault(word.substring(0, end), NONE));
      }
    }
  }
}
