package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.habitline.safety.rules.Phrase.Choice;
import org.habitline.safety.rules.Phrase.Gap;
import org.habitline.safety.rules.Phrase.Sequence;
import org.habitline.safety.rules.Phrase.Special;
import org.habitline.safety.rules.Phrase.Term;
import org.habitline.safety.rules.Phrase.Words;

/**
 * Reads phrases as they are written in rule files; {@code docs/safety.md} explains the notation.
 */
final class PhraseReader {

  /** Thrown for a phrase that cannot be read; the message says what is wrong and accepted. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreadable(String message) {
      super(message, null, false, false);
    }
  }

  private static final int USUAL_GAP = 3;
  private static final int LONGEST_GAP = 20;

  /** Words come first, because most parts are words. */
  private static final Pattern PARTS =
      Pattern.compile(
          "[^\\s()|?<.^$][^\\s()|?]*+|<[^<>\\s]*+>|[()|?^$]|\\.\\.\\.?[0-9]*|[^\\s()|?]+");

  private static final Pattern GAP = Pattern.compile("\\.\\.(\\.?)((?:[1-9][0-9]?)?)");
  private static final Pattern WORD = Pattern.compile("[a-z0-9]+(?:\\.[0-9]+)?|\\p{So}");
  private static final Pattern STEM = Pattern.compile("[a-z]{3,20}\\*");

  private static final Map<String, Special> SPECIAL =
      Map.of(
          "^",
          Special.START,
          "$",
          Special.END,
          "<number>",
          Special.NUMBER,
          "<quote>",
          Special.QUOTE,
          "<pause>",
          Special.PAUSE);

  private final Map<String, List<String>> sets;
  private final Set<String> respelled;
  private final Map<String, Phrase> readSets = new HashMap<>();

  /** The words that were read before: most words appear in many phrases. */
  private final Map<String, Phrase> readWords = new HashMap<>();

  private final Set<String> open = new HashSet<>();

  /**
   * Creates a reader for one language.
   *
   * @param sets the phrases of each named set
   * @param respelled words that messages never contain, because they are spelled differently first
   */
  PhraseReader(Map<String, List<String>> sets, Set<String> respelled) {
    this.sets = sets;
    this.respelled = respelled;
  }

  /**
   * Returns a phrase to search for.
   *
   * @throws Unreadable if it is no phrase, could match nothing, is too long, or has a gap at an end
   */
  Phrase read(String text) throws Unreadable {
    var phrase = part(text);
    if (phrase.needs().isEmpty()) {
      throw new Unreadable("expected at least one word that is not optional");
    }
    if (phrase.longest() > Phrase.LONGEST) {
      throw new Unreadable(
          "expected at most %d words with all gaps, found up to %d"
              .formatted(Phrase.LONGEST, phrase.longest()));
    }
    return phrase;
  }

  /** Returns a phrase that may be part of another one. */
  Phrase part(String text) throws Unreadable {
    var parts = new ArrayList<String>();
    var found = PARTS.matcher(Tokenizer.plain(text).replace("'", "").replace("’", ""));
    while (found.find()) {
      parts.add(found.group());
    }
    if (parts.isEmpty()) {
      throw new Unreadable("expected words, found none");
    }
    var at = new int[1];
    var phrase = choice(parts, at);
    if (at[0] < parts.size()) {
      throw new Unreadable("expected '(' before ')'");
    }
    if (parts.getFirst().startsWith("..") || parts.getLast().startsWith("..")) {
      throw new Unreadable("expected a word at both ends, found a gap");
    }
    return phrase;
  }

  private Phrase choice(List<String> parts, int[] at) throws Unreadable {
    var choices = new ArrayList<Phrase>();
    choices.add(sequence(parts, at));
    while (at[0] < parts.size() && parts.get(at[0]).equals("|")) {
      at[0]++;
      choices.add(sequence(parts, at));
    }
    return Phrase.either(choices);
  }

  private Phrase sequence(List<String> parts, int[] at) throws Unreadable {
    var sequence = new ArrayList<Phrase>();
    while (at[0] < parts.size() && !parts.get(at[0]).equals("|") && !parts.get(at[0]).equals(")")) {
      var part = parts.get(at[0]);
      at[0]++;
      var read = part.equals("(") ? group(parts, at) : single(part);
      if (at[0] < parts.size() && parts.get(at[0]).equals("?")) {
        at[0]++;
        read = Choice.of(List.of(read), true);
      }
      sequence.add(read);
    }
    if (sequence.isEmpty()) {
      throw new Unreadable("expected a word beside each | and inside each ( )");
    }
    return sequence.size() == 1 ? sequence.getFirst() : Sequence.of(sequence);
  }

  private Phrase group(List<String> parts, int[] at) throws Unreadable {
    var inside = choice(parts, at);
    if (at[0] >= parts.size()) {
      throw new Unreadable("expected ')' after '('");
    }
    at[0]++;
    return inside;
  }

  private Phrase single(String part) throws Unreadable {
    var special = SPECIAL.get(part);
    if (special != null) {
      return special;
    }
    if (part.startsWith("<")) {
      return set(part);
    }
    var known = readWords.get(part);
    if (known != null) {
      return known;
    }
    var read = word(part);
    readWords.put(part, read);
    return read;
  }

  private Phrase word(String part) throws Unreadable {
    var gap = GAP.matcher(part);
    if (gap.matches()) {
      var most = gap.group(2).isEmpty() ? USUAL_GAP : Integer.parseInt(gap.group(2));
      if (most <= LONGEST_GAP) {
        return new Gap(most, !gap.group(1).isEmpty());
      }
    }
    if (STEM.matcher(part).matches()) {
      return Words.of(Set.of(new Term(part.substring(0, part.length() - 1), true)));
    }
    if (!WORD.matcher(part).matches()) {
      throw new Unreadable(
          "expected words of letters and digits, stem* with 3 to 20 letters, <set>, .. or ..1 to ..%d, ..., ( | ), ?, ^ and $, found '%s'"
              .formatted(LONGEST_GAP, part));
    }
    if (respelled.contains(part)) {
      throw new Unreadable(
          "'"
              + part
              + "' is spelled differently before rules apply; expected the spelling that is the key");
    }
    return Words.of(Set.of(new Term(part, false)));
  }

  private Phrase set(String part) throws Unreadable {
    var name = part.replaceAll("[<>]", "");
    var known = readSets.get(name);
    if (known != null) {
      return known;
    }
    var phrases = sets.get(name);
    if (phrases == null) {
      throw new Unreadable(
          "there is no set " + part + "; expected <number>, <quote>, <pause> or one of " + names());
    }
    if (!open.add(name)) {
      throw new Unreadable("the set " + part + " contains itself; expected other words");
    }
    try {
      var choices = new ArrayList<Phrase>();
      for (var phrase : phrases) {
        choices.add(part(phrase));
      }
      var read = Phrase.either(choices);
      readSets.put(name, read);
      return read;
    } finally {
      open.remove(name);
    }
  }

  private String names() {
    return String.join(", ", new TreeSet<>(sets.keySet()));
  }
}
