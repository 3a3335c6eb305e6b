package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.safety.rules.Phrase.Steps;
import org.habitline.safety.rules.Verdict.Finding;

/**
 * The rules of one language. A rule applies where one of its phrases is found, unless an exception
 * overlaps it there or a negation comes shortly before it in the same clause. Immutable.
 */
final class LanguageRules {

  /**
   * How the language denies something.
   *
   * @param words phrases that deny what follows
   * @param except phrases that look like a denial and are none, such as "can't stop"
   * @param ends words after which a denial no longer counts, such as "but"
   * @param reach the most words between a denial and what it denies
   */
  record Negation(List<Phrase> words, List<Phrase> except, Set<String> ends, int reach) {}

  /** A place where a phrase was found: from its first token to before {@code end}. */
  private record Place(int start, int end) {}

  /** A phrase to search for, and its rule, or none for an exception. */
  private record Search(Phrase phrase, Optional<Rule> rule) {}

  private record Found(Rule rule, Place place) {}

  private final Spelling spelling;
  private final Negation negation;

  /**
   * The most words between what a rule found and what softens it; more are about something else.
   */
  private static final int NEAR = 12;

  private final PhraseIndex<Search> searches = new PhraseIndex<>();
  private final PhraseIndex<Phrase> negators = new PhraseIndex<>();
  private final PhraseIndex<Phrase> noNegators = new PhraseIndex<>();

  LanguageRules(Spelling spelling, Negation negation, List<Phrase> exceptions, List<Rule> rules) {
    this.spelling = spelling;
    this.negation = negation;
    negation.words().forEach(phrase -> negators.add(phrase, phrase));
    negation.except().forEach(phrase -> noNegators.add(phrase, phrase));
    exceptions.forEach(phrase -> searches.add(new Search(phrase, Optional.empty()), phrase));
    for (var rule : rules) {
      rule.phrases().forEach(phrase -> searches.add(new Search(phrase, Optional.of(rule)), phrase));
    }
  }

  /** Returns the rules that apply. */
  List<Finding> judge(List<Token> tokens, Steps steps) {
    var sentence = new Sentence(spelling.spell(tokens));
    // One after the other: a phrase may skip words that an earlier phrase has marked.
    for (var it : negators.candidates(sentence)) {
      places(it.item(), it.starts(), sentence, steps).forEach(place -> mark(sentence, place, true));
    }
    for (var it : noNegators.candidates(sentence)) {
      places(it.item(), it.starts(), sentence, steps)
          .forEach(place -> mark(sentence, place, false));
    }
    var excepted = new BitSet();
    // For each token, where the last denied phrase that begins at or before it ends. What is denied
    // in one sentence says nothing about the next.
    var denied = new int[sentence.size()];
    var found = new ArrayList<Found>();
    for (var it : searches.candidates(sentence)) {
      var search = it.item();
      for (var place : places(search.phrase(), it.starts(), sentence, steps)) {
        if (search.rule().isEmpty()) {
          excepted.set(place.start(), place.end());
        } else if (isDenied(sentence, place)) {
          denied[place.start()] =
              Math.max(denied[place.start()], sentence.endOfSentence(place.start(), place.end()));
        } else {
          found.add(new Found(search.rule().get(), place));
        }
      }
    }
    for (int at = 1; at < denied.length; at++) {
      denied[at] = Math.max(denied[at], denied[at - 1]);
    }
    found.removeIf(
        it -> overlaps(it.place(), excepted) || denied[it.place().start()] >= it.place().end());
    return findings(found, sentence, steps);
  }

  private static List<Finding> findings(List<Found> found, Sentence sentence, Steps steps) {
    var findings = new ArrayList<Finding>();
    found.stream()
        .collect(Collectors.groupingBy(Found::rule, IdentityHashMap::new, Collectors.toList()))
        .forEach((rule, places) -> {
          var concern = places(rule.concernIf(), sentence, steps);
          for (var it : places) {
            var level = isNear(concern, it.place(), sentence) ? Level.CONCERN : rule.level();
            findings.add(new Finding(rule.id(), level, rule.kind()));
          }
        });
    return findings;
  }

  private static List<Place> places(List<Phrase> phrases, Sentence sentence, Steps steps) {
    var everywhere = new BitSet();
    everywhere.set(0, sentence.size());
    return phrases.stream()
        .flatMap(it -> places(it, everywhere, sentence, steps).stream())
        .toList();
  }

  /**
   * Returns whether one of the places is in the same sentence, at most {@link #NEAR} words away.
   */
  private static boolean isNear(List<Place> places, Place place, Sentence sentence) {
    return places.stream()
        .anyMatch(other ->
            other.start() - place.end() <= NEAR
                && place.start() - other.end() <= NEAR
                && !sentence.startsBetween(
                    Math.min(place.start(), other.start()),
                    Math.max(place.start(), other.start())));
  }

  private static boolean overlaps(Place place, BitSet tokens) {
    var next = tokens.nextSetBit(place.start());
    return next >= 0 && next < place.end();
  }

  private static void mark(Sentence sentence, Place place, boolean negator) {
    for (int at = place.start(); at < place.end(); at++) {
      if (negator) {
        sentence.negate(at);
      } else {
        sentence.affirm(at);
      }
    }
  }

  private boolean isDenied(Sentence sentence, Place place) {
    for (int between = 0, at = place.start() - 1; at >= 0 && between <= negation.reach(); at--) {
      if (sentence.startsClause(at + 1)) {
        return false;
      }
      if (sentence.isNegator(at)) {
        return true;
      }
      if (negation.ends().contains(sentence.word(at))) {
        return false;
      }
      between++;
    }
    return false;
  }

  /** Returns the longest place of a phrase at each of these beginnings. */
  private static List<Place> places(Phrase phrase, BitSet starts, Sentence sentence, Steps steps) {
    var places = new ArrayList<Place>();
    for (int start = starts.nextSetBit(0); start >= 0; start = starts.nextSetBit(start + 1)) {
      var ends = phrase.match(sentence, start, 1L, steps);
      if (ends != 0) {
        places.add(new Place(start, start + 63 - Long.numberOfLeadingZeros(ends)));
      }
    }
    return places;
  }
}
