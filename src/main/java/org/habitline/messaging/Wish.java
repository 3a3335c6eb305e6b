package org.habitline.messaging;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a text asks of the line itself rather than of the coach, decided by rule before any model
 * sees it. Keywords count only as the whole message, in any case and with any punctuation around
 * them; the lists are those of the carriers' opt-out rules (CTIA) as Twilio applies them. A
 * revocation in free words ("please stop texting me") counts wherever it stands in a text.
 */
public enum Wish {
  STOP,
  REVOKE,
  START,
  HELP;

  private static final Set<String> STOP_WORDS =
      Set.of("stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout");
  private static final Set<String> START_WORDS = Set.of("start", "unstop");
  private static final Set<String> HELP_WORDS = Set.of("help", "info");
  private static final Pattern AROUND = Pattern.compile("^[\\P{L}]+|[\\P{L}]+$");
  private static final Pattern INSIDE = Pattern.compile("[\\s\\-]+");

  private static final String WRITING =
      "(?:text|messag|contact|writ|bother)ing|send(?:ing)? (?:me )?(?:any |these |more |your )*"
          + "(?:texts?|messages?)";
  private static final Pattern REVOCATION =
      Pattern.compile(
          "\\b(?:"
              + "(?:stop|quit|cease) (?:"
              + WRITING
              + ")(?: (?:to )?me\\b|$|[.!,;]| (?:please|now|already|it)\\b)"
              + "|(?:do not|don't|dont|never) (?:ever )?(?:text|message|contact|write to|write) me(?: (?:any ?more|again|ever))?\\s*(?:$|[.!,;])"
              + "|no more (?:texts|messages)\\b"
              + "|(?:unsubscribe|remove|delete) me\\b(?: from)?"
              + "|take me off (?:this|the|your)"
              + "|leave me alone"
              + "|opt (?:me )?out"
              + "|i (?:want|wish|would like|'d like) to (?:opt out|unsubscribe)"
              + ")",
          Pattern.CASE_INSENSITIVE);

  /**
   * Returns what the text asks of the line, or empty if it is for the coach.
   *
   * @param optedOut whether the sender is opted out now: only then are {@code START}, {@code
   *     UNSTOP} and {@code YES} a wish to come back
   */
  public static Optional<Wish> in(String text, boolean optedOut) {
    var word = AROUND.matcher(text.strip()).replaceAll("").toLowerCase(Locale.ROOT);
    var joined = INSIDE.matcher(word).replaceAll("");
    if (STOP_WORDS.contains(word) || joined.equals("stopall") || joined.equals("optout")) {
      return Optional.of(STOP);
    }
    if (optedOut && (START_WORDS.contains(word) || word.equals("yes"))) {
      return Optional.of(START);
    }
    if (HELP_WORDS.contains(word)) {
      return Optional.of(HELP);
    }
    return REVOCATION.matcher(text.replace('’', '\'')).find()
        ? Optional.of(REVOKE)
        : Optional.empty();
  }
}
