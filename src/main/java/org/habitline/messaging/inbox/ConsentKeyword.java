package org.habitline.messaging.inbox;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A request that a text makes of Habitline itself rather than of the coach, decided by rule before
 * any model sees it. Keywords count only as the whole message, in any case and with any punctuation
 * around them; the lists are those of the carriers' opt-out rules (CTIA) as Twilio applies them. An
 * opt-out in free words ("please stop texting me") counts when it is a whole clause of a text, so
 * that what people say about others ("she would not stop texting me") goes to the coach.
 */
public enum ConsentKeyword {
  STOP,
  REVOKE,
  START,
  HELP,
  /** A request for help that the provider has replied to already. */
  HELPED;

  private static final Set<String> STOP_WORDS =
      Set.of("stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout");
  private static final Set<String> START_WORDS = Set.of("start", "unstop");
  private static final Set<String> HELP_WORDS = Set.of("help", "info");
  private static final Pattern INSIDE = Pattern.compile("[\\s\\-]+");

  private static final Pattern POLITE_STOP =
      Pattern.compile("(?:please[\\s,]+)?stop(?:[\\s,]+(?:it|now|this|please))*");

  /** Matches the end of a clause. */
  private static final Pattern CLAUSES =
      Pattern.compile("[.!?;,\\n]+|\\s+(?:and|but)\\s+|\\s+[-–—]+\\s+");

  private static final Pattern OPENING =
      Pattern.compile(
          "^(?:(?:please|pls|kindly|ok|okay|hey|hi|hello|thanks|thank you|sorry|no(?! more)|so|just|then|now|well|but|and"
              + "|(?:can|could|would|will) (?:you|u)|you (?:must|should|need to|have to)"
              + "|i(?: want| need| would like|'d like) you to|i(?: said| told you| told you to| asked you to))"
              + "\\s+)+");

  private static final String CLOSING =
      "(?: (?:please|pls|now|already|immediately|at once|any ?more|any longer|again|ever|altogether"
          + "|completely|for good|at all|from now on|thanks|thank you))*";

  private static final String TEXTS =
      "(?: (?:these|those|this|any|more|your|the|all|such))*"
          + " (?:texts?|messages?|sms|texting|messaging|these|those|this|anything)";

  private static final String OUT_OF =
      "(?: (?:this|these|the|your)(?: (?:list|study|line|program|programme|service|texts|messages))?)";

  /** Matches a clause that is an opt-out, without polite words around it. */
  private static final Pattern REVOCATION =
      Pattern.compile(
          "(?:"
              + "(?:stop|quit|cease) (?:text|messag|contact|writ|bother|spamm)ing(?: to)?(?: (?:me|us))?"
              + ("|(?:stop|quit|cease) sending(?: me)?" + TEXTS + "(?: to me)?")
              + "|(?:stop|cease)(?: with)?(?: all)? (?:the|these|those|your) (?:texts|messages|texting|messaging)"
              + "|(?:do not|don't|dont|never) (?:ever )?(?:text|sms|message|contact|write|write to|bother) me"
              + ("|(?:i )?(?:do not|don't|dont|no longer) (?:want|wish|need)(?: to (?:get|receive|have))?"
                  + TEXTS
                  + "(?: from you)?")
              + "|no more (?:texts|messages|texting|messaging)(?: from you)?"
              + ("|(?:unsubscribe|remove|delete|take) me(?: (?:off|from)" + OUT_OF + ")?")
              + "|leave me alone"
              + ("|(?:i (?:want to|wish to|would like to)|i'd like to)?\\s?(?:opt (?:me )?out|unsubscribe)(?: of"
                  + OUT_OF
                  + "| from"
                  + OUT_OF
                  + ")?")
              + ("|i(?: want| wish| would like|'d like) to stop (?:getting|receiving)" + TEXTS)
              + ")"
              + CLOSING);

  /**
   * Returns the request in the text, or empty if the text is for the coach.
   *
   * @param optedOut whether the sender is opted out now: only then are {@code START}, {@code
   *     UNSTOP} and {@code YES} a request to opt in again
   */
  public static Optional<ConsentKeyword> in(String text, boolean optedOut) {
    var word = PlainText.bare(text);
    var joined = INSIDE.matcher(word).replaceAll("");
    if (STOP_WORDS.contains(word)
        || POLITE_STOP.matcher(word).matches()
        || joined.equals("stopall")
        || joined.equals("optout")) {
      return Optional.of(STOP);
    }
    if (optedOut && (START_WORDS.contains(word) || word.equals("yes"))) {
      return Optional.of(START);
    }
    if (HELP_WORDS.contains(word)) {
      return Optional.of(HELP);
    }
    return revokes(text) ? Optional.of(REVOKE) : Optional.empty();
  }

  private static boolean revokes(String text) {
    var plain = text.replace('’', '\'').toLowerCase(Locale.ROOT);
    return CLAUSES
        .splitAsStream(plain)
        .map(clause -> PlainText.bare(clause).replaceAll("\\s+", " "))
        .map(clause -> OPENING.matcher(clause).replaceFirst(""))
        .anyMatch(clause -> REVOCATION.matcher(clause).matches());
  }
}
