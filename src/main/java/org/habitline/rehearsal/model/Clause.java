package org.habitline.rehearsal.model;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.habitline.Patterns;

/**
 * A piece of a text that says one thing, in the participant's own words.
 *
 * @param text the clause without surrounding space and closing punctuation
 * @param question whether it ended with a question mark
 */
record Clause(String text, boolean question) {

  /** The most code points read of a text; the rest of a longer text is ignored. */
  private static final int READ_AT_MOST = 1000;

  private static final Pattern DOTTED_HALF_OF_DAY = rule("\\b([ap])\\.\\s?m\\.?(?=\\W|$)");
  private static final Pattern BORDER =
      rule(
          "(?<=[,;!?…\\n])\\s?|(?<=\\.)(?=\\s|$)|\\s[-–—]+\\s|\\s(?=because\\b"
              + "|cause\\b|so that (?:i|my|we)\\b|but\\b)"
              + "|\\s(?=(?<!have )(?<!going )(?<!want )(?<!need )(?<!like )to (?:have|get|feel"
              + "|gain|stay)\\b)|\\s(?=for (?:more|less|better)\\b)|\\sand\\s(?!\\d|after"
              + "|before|while|when|the\\b|mornings?|afternoons?|evenings?)");
  private static final Pattern OPENING =
      rule(
          "^(?:(?:i think|i guess|i'd say|i would say|maybe|probably|perhaps|let's say"
              + "|say|well|hmm+|umm*|uh|oh|so that|so|ok|okay|yes|yeah|sure|actually|no wait"
              + "|wait|sorry|it would be|that would be|it could be|make it|let's make it"
              + "|change it to|switch it to|switch to|move it to|let's do|how about|what about"
              + "|i meant?|i'd like|i would like|i'd prefer|i prefer|i'd rather have|rather"
              + "|better|but|and|because(?! of)|'?cause|since)(?:\\b|(?<=\\W))[\\s,:]*)+");
  private static final Pattern ENDING =
      rule(
          "(?<![\\s,])(?:[\\s,]++(?:please|pls|instead|then|i think|i guess|works(?: best"
              + "| well)?(?: for me)?|would work|would be (?:good|great|best)|(?:is"
              + "|are) (?:best|good|fine)|thanks|thank you|maybe|for me|if possible|perhaps))+$");

  private static final Pattern CLOSING = rule("(?<![\\s,;.!?…])[\\s,;.!?…]++$");

  /** Returns a pattern that ignores letter case; {@code \b} is {@link Patterns#WORD_BOUNDARY}. */
  static Pattern rule(String regex) {
    return Pattern.compile(
        regex.replace("\\b", Patterns.WORD_BOUNDARY),
        Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
  }

  static List<Clause> of(String text) {
    return Arrays.stream(BORDER.split(plain(text)))
        .map(Clause::closed)
        .filter(clause -> !clause.text.isEmpty())
        .toList();
  }

  /** Returns the part of a text that is read, with straight quotes and single spaces. */
  static String plain(String text) {
    var read =
        text.codePointCount(0, text.length()) <= READ_AT_MOST ? text : cut(text, READ_AT_MOST);
    var straight = read.replace('’', '\'').replace('‘', '\'').replace("\uFE0F", "");
    return Patterns.foldBlanks(DOTTED_HALF_OF_DAY.matcher(straight).replaceAll("$1m")).strip();
  }

  /** Returns the text cut to a number of code points, at a space if there is one near. */
  static String cut(String text, int length) {
    if (text.codePointCount(0, text.length()) <= length) {
      return text;
    }
    var hard = text.substring(0, text.offsetByCodePoints(0, length));
    var space = hard.lastIndexOf(' ');
    return (space > hard.length() / 2 ? hard.substring(0, space) : hard).strip();
  }

  /**
   * Returns the essential words, without openings such as "well, maybe" and endings such as
   * "please".
   */
  static String bare(String text) {
    var opened = OPENING.matcher(text.strip()).replaceFirst("");
    var bare = ENDING.matcher(opened).replaceFirst("").strip();
    return bare.isEmpty() ? text.strip() : bare;
  }

  private static Clause closed(String piece) {
    var text = piece.strip();
    var question = text.endsWith("?");
    return new Clause(CLOSING.matcher(text).replaceFirst(""), question);
  }
}
