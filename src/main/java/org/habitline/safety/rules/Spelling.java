package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.habitline.safety.rules.Phrase.Term;
import org.habitline.safety.rules.Token.Pause;
import org.jspecify.annotations.Nullable;

/**
 * Brings the words of a message into the spelling of the rules of one language: variants and
 * shorthand from the rule files, stretched letters, digits and signs that stand for letters, words
 * spelled out letter by letter or written together, and slips of one letter in the words that the
 * rule files name. Only words that the rules do not know are changed. Immutable.
 */
final class Spelling {

  /** How the words of a language are spelled, as the rule files say. */
  record Words(
      Map<String, String> variants,
      Set<String> typos,
      Set<String> ordinary,
      Map<String, String> sounds) {}

  private static final int MOST_WORDS_OF_A_VARIANT = 4;
  private static final int SHORTEST_STEM = 3;

  /** Shorter words with digits are mostly times and amounts, such as {@code 5h}. */
  private static final int SHORTEST_MASKED = 4;

  private static final int SHORTEST_TYPO = 5;
  private static final int SHORTEST_COMPOUND = 8;
  private static final int LONGEST_COMPOUND = 40;
  private static final int LONGEST_WORD = 16;
  private static final int FEWEST_SPELLED_OUT = 3;

  private static final Pattern STRETCHED = Pattern.compile("(.)\\1{2,}");
  private static final Pattern REPEATED = Pattern.compile("(.)\\1+");
  private static final Pattern PARTS = Pattern.compile("\\p{L}+|[0-9.]+");

  /** Other short words are more often endings, such as the last letters of "reason". */
  private static final Set<String> SHORT_PARTS =
      Set.of("i", "me", "my", "to", "it", "be", "go", "mi", "ya", "yo", "no");

  private static final String SIGNS = "013457@$!";
  private static final String LETTERS = "oieastasi";

  private final Map<String, List<String>> single = new HashMap<>();
  private final Map<String, List<String>> several = new HashMap<>();
  private final Set<String> known = new HashSet<>();
  private final Set<String> stems = new HashSet<>();

  /** The words with which variants of several words begin. */
  private final Set<String> severalFrom = new HashSet<>();

  /** Sorted, so that of two words with the same slip always the same one is taken. */
  private final String[] typos;

  private final TreeMap<String, String> sounds = new TreeMap<>();
  private final Map<String, String> bySqueezed = new HashMap<>();
  private final Map<String, String> bySound = new HashMap<>();

  /**
   * @param terms the words in all phrases of the language
   */
  Spelling(Words words, Collection<Term> terms) {
    words
        .variants()
        .forEach((variant, spelling) ->
            (variant.contains(" ") ? several : single).put(variant, List.of(spelling.split(" "))));
    for (var term : terms) {
      (term.stem() ? stems : known).add(term.word());
    }
    known.addAll(words.ordinary());
    known.addAll(words.typos());
    for (var variant : several.keySet()) {
      var parts = List.of(variant.split(" "));
      known.addAll(parts);
      severalFrom.add(parts.getFirst());
    }
    this.typos = words.typos().stream().sorted().toArray(String[]::new);
    this.sounds.putAll(words.sounds());
    // Sorted, so that of two words with the same sound always the same one is taken.
    for (var word : new TreeSet<>(known)) {
      bySqueezed.putIfAbsent(squeezed(word), word);
      if (!sounds.isEmpty() && word.length() > 2) {
        bySound.putIfAbsent(sound(word), word);
      }
    }
    single.keySet().forEach(variant -> bySqueezed.putIfAbsent(squeezed(variant), variant));
  }

  /** Returns the tokens in the spelling of the rules; signs without a meaning are left out. */
  List<Token> spell(List<Token> tokens) {
    var words = new ArrayList<Token>();
    var pause = Pause.NONE;
    for (var token : joined(tokens)) {
      var first = token;
      if (pause.compareTo(token.pause()) > 0) {
        first = new Token(token.word(), pause, token.quote());
      }
      var spelled = spell(token.word());
      pause = spelled.isEmpty() ? first.pause() : Pause.NONE;
      add(first, spelled, words::add);
    }
    return variants(words);
  }

  private static void add(Token token, List<String> words, Consumer<Token> to) {
    for (int i = 0; i < words.size(); i++) {
      to.accept(i == 0 ? token.as(words.get(i)) : token.next(words.get(i)));
    }
  }

  /** Joins words that are spelled out, such as {@code k m s}. */
  private List<Token> joined(List<Token> tokens) {
    var words = new ArrayList<Token>();
    int at = 0;
    while (at < tokens.size()) {
      int end = at;
      var letters = new StringBuilder();
      while (end < tokens.size() && isLetter(tokens.get(end).word())) {
        letters.append(tokens.get(end).word());
        end++;
      }
      if (letters.length() >= FEWEST_SPELLED_OUT) {
        var word = letters.toString();
        var split = isKnown(word) || single.containsKey(word) ? List.of(word) : compound(word);
        if (!split.isEmpty()) {
          add(tokens.get(at), split, words::add);
          at = end;
          continue;
        }
      }
      words.addAll(tokens.subList(at, Math.max(end, at + 1)));
      at = Math.max(end, at + 1);
    }
    return words;
  }

  private static boolean isLetter(String word) {
    return word.length() == 1 && Character.isLetter(word.charAt(0));
  }

  private List<Token> variants(List<Token> words) {
    var spelled = new ArrayList<Token>();
    int at = 0;
    while (at < words.size()) {
      var taken = 1;
      var spelling = List.of(words.get(at).word());
      var longest = severalFrom.contains(words.get(at).word()) ? MOST_WORDS_OF_A_VARIANT : 1;
      for (int length = longest; length > 1; length--) {
        var found = at + length > words.size() ? null : several.get(text(words, at, length));
        if (found != null) {
          taken = length;
          spelling = found;
          break;
        }
      }
      add(words.get(at), spelling, spelled::add);
      at += taken;
    }
    return spelled;
  }

  private static String text(List<Token> words, int from, int length) {
    var text = new StringBuilder(words.get(from).word());
    for (int i = 1; i < length; i++) {
      text.append(' ').append(words.get(from + i).word());
    }
    return text.toString();
  }

  private List<String> spell(String word) {
    var stretched = isStretched(word);
    var found = stretched ? whole(word) : exactly(word);
    if (found != null) {
      return found;
    }
    if (isNumber(word)) {
      return List.of(word);
    }
    if (!Character.isLetterOrDigit(word.codePointAt(0))
        && word.codePointCount(0, word.length()) == 1) {
      return List.of();
    }
    if (stretched) {
      var doubled = whole(STRETCHED.matcher(word).replaceAll("$1$1"));
      if (doubled != null) {
        return doubled;
      }
      var squeezed = bySqueezed.get(squeezed(word));
      if (squeezed != null) {
        return exactlyOr(squeezed);
      }
      return letters(STRETCHED.matcher(word).replaceAll("$1"));
    }
    return letters(word);
  }

  /** Returns whether a sign comes three times in a row. */
  private static boolean isStretched(String word) {
    for (int at = 2; at < word.length(); at++) {
      if (Character.isSurrogate(word.charAt(at))) {
        return STRETCHED.matcher(word).find();
      }
      if (word.charAt(at) == word.charAt(at - 1) && word.charAt(at) == word.charAt(at - 2)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNumber(String word) {
    return word.chars().allMatch(sign -> (sign >= '0' && sign <= '9') || sign == '.');
  }

  private List<String> letters(String word) {
    if (word.codePoints().allMatch(Character::isLetter)) {
      return unknown(word);
    }
    if (word.length() < SHORTEST_MASKED) {
      return parts(word);
    }
    var decoded = unmasked(word);
    var found = exactly(decoded);
    if (found == null) {
      found = typo(decoded).map(List::of).orElse(null);
    }
    return found == null ? parts(word) : found;
  }

  private List<String> parts(String word) {
    var parts = new ArrayList<String>();
    var found = PARTS.matcher(word);
    while (found.find()) {
      var part = found.group();
      parts.addAll(isNumber(part) ? List.of(part) : unknownOr(part));
    }
    return parts;
  }

  private List<String> unknownOr(String word) {
    var found = exactly(word);
    return found == null ? unknown(word) : found;
  }

  private List<String> unknown(String word) {
    var found = exactly(word);
    if (found != null) {
      return found;
    }
    var alike = sounds.isEmpty() || word.length() < 3 ? null : bySound.get(sound(word));
    if (alike != null) {
      return List.of(alike);
    }
    var slip = typo(word);
    if (slip.isPresent()) {
      return List.of(slip.get());
    }
    var split = compound(word);
    return split.isEmpty() ? List.of(word) : split;
  }

  /** Returns the spelling of a word that the rules name, also by its beginning, or null. */
  private @Nullable List<String> exactly(String word) {
    var whole = whole(word);
    return whole == null && isKnown(word) ? List.of(word) : whole;
  }

  /** Returns the spelling of a word that the rules name as a whole, or null. */
  private @Nullable List<String> whole(String word) {
    var variant = single.get(word);
    return variant == null && known.contains(word) ? List.of(word) : variant;
  }

  private List<String> exactlyOr(String word) {
    var found = exactly(word);
    return found == null ? List.of(word) : found;
  }

  private boolean isKnown(String word) {
    if (known.contains(word)) {
      return true;
    }
    for (int end = SHORTEST_STEM; end <= Math.min(word.length(), LONGEST_WORD); end++) {
      if (stems.contains(word.substring(0, end))) {
        return true;
      }
    }
    return false;
  }

  private static String squeezed(String word) {
    return REPEATED.matcher(word).replaceAll("$1");
  }

  private String sound(String word) {
    var sound = new StringBuilder();
    int at = 0;
    while (at < word.length()) {
      var length = 2;
      var found = at + 2 > word.length() ? null : sounds.get(word.substring(at, at + 2));
      if (found == null) {
        length = 1;
        found = sounds.getOrDefault(word.substring(at, at + 1), word.substring(at, at + 1));
      }
      if (!found.equals("-")) {
        sound.append(found);
      }
      at += length;
    }
    return sound.toString();
  }

  /** Returns a word with letters for the digits and signs that look like them. */
  private static String unmasked(String word) {
    var letters = new StringBuilder();
    for (int i = 0; i < word.length(); i++) {
      var sign = SIGNS.indexOf(word.charAt(i));
      letters.append(sign < 0 ? word.charAt(i) : LETTERS.charAt(sign));
    }
    return letters.toString();
  }

  /** Returns the word that this is with one slip, or with letters hidden by asterisks. */
  private Optional<String> typo(String word) {
    if (word.length() < SHORTEST_TYPO - 1 || word.length() > LONGEST_WORD) {
      return Optional.empty();
    }
    for (var right : typos) {
      if (isSlip(word, right)) {
        return Optional.of(right);
      }
    }
    return Optional.empty();
  }

  private static boolean isSlip(String word, String right) {
    var longer = word.length() - right.length();
    if (longer < -1 || longer > 1) {
      return false;
    }
    if (longer == 0 && word.contains("*")) {
      for (int i = 0; i < word.length(); i++) {
        if (word.charAt(i) != '*' && word.charAt(i) != right.charAt(i)) {
          return false;
        }
      }
      return true;
    }
    if (right.length() < SHORTEST_TYPO) {
      return false;
    }
    int same = 0;
    while (same < Math.min(word.length(), right.length())
        && word.charAt(same) == right.charAt(same)) {
      same++;
    }
    if (same == 0) {
      return longer == 0 && isSwapped(word, right, 0);
    }
    return switch (longer) {
      case 1 -> word.substring(same + 1).equals(right.substring(same));
      case -1 -> word.substring(same).equals(right.substring(same + 1));
      default ->
          same == word.length()
              || word.substring(same + 1).equals(right.substring(same + 1))
              || isSwapped(word, right, same);
    };
  }

  private static boolean isSwapped(String word, String right, int at) {
    return at + 1 < word.length()
        && word.charAt(at) == right.charAt(at + 1)
        && word.charAt(at + 1) == right.charAt(at)
        && word.substring(at + 2).equals(right.substring(at + 2));
  }

  /** Returns the fewest known words that make up this one, or none. */
  private List<String> compound(String word) {
    if (word.length() < SHORTEST_COMPOUND || word.length() > LONGEST_COMPOUND) {
      return List.of();
    }
    var best = new ArrayList<@Nullable List<String>>();
    best.add(List.of());
    for (int end = 1; end <= word.length(); end++) {
      List<String> shortest = null;
      for (int from = Math.max(0, end - LONGEST_WORD); from < end; from++) {
        var before = best.get(from);
        var last = word.substring(from, end);
        if (before != null
            && (last.length() > 2 || SHORT_PARTS.contains(last))
            && (known.contains(last) || single.containsKey(last))
            && (shortest == null || before.size() + 1 < shortest.size())) {
          shortest = new ArrayList<>(before);
          shortest.add(last);
        }
      }
      best.add(shortest);
    }
    var words = best.getLast();
    if (words == null) {
      return List.of();
    }
    return words.stream().flatMap(part -> exactlyOr(part).stream()).toList();
  }
}
