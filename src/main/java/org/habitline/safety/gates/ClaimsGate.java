package org.habitline.safety.gates;

import java.time.LocalTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.Patterns;
import org.habitline.protocol.ReplyGate;
import org.habitline.safety.gates.GateLanguage.Claim;
import org.habitline.safety.rules.Phrases;

/**
 * Blocks claims of actions that no successful call of this turn carried out. A schedule that is
 * active backs what is said about it, if the time that is named is its time. A time alone is no
 * claim. Some claims are never true, such as that a person writes.
 */
final class ClaimsGate implements Gate {

  private static final int HALF_A_DAY = 12;

  private static final String NOT_DONE =
      "Your last answer was not sent, because it says that %s, and no tool call in this turn did that. Call the tool now if you have one for it; otherwise write the answer again without saying or promising it.";

  private static final String IMPOSSIBLE =
      "Your last answer was not sent, because it says that %s, and no tool can do that. Write it again without saying or promising it.";

  private static final String UNTRUE =
      "Your last answer was not sent, because it says that %s, which is not true. Write it again without saying that.";

  /** A time of the clock, such as "8:15", "8.15 pm", "8 am", "at 8" or "a las 8". */
  private static final Pattern TIME =
      Pattern.compile(
          "(?<![\\d:.,/-])([01]?\\d|2[0-3])(?:[:.h]([0-5]\\d)(?![\\d:])|(?=\\s?[ap]\\.?m\\b)|(?=\\s?o.?clock)|(?<=\\b(?:at|around|by|for|las|la)\\s\\d{1,2})(?![\\d:.,-]?\\d|\\s?(?:min|sec|seg|hour|hora|day|d[ií]a|week|semana|month|mes|step|paso|rep|time|vez|vec)))",
          Pattern.CASE_INSENSITIVE);

  /**
   * A question in Spanish, such as "¿Lo cambio a la tarde?": it offers, and claims nothing. Without
   * its end it is none.
   */
  private static final Pattern QUESTION = Pattern.compile("¿[^?]*+(\\?)?");

  private final List<GateLanguage> languages;

  /** The hours of the clock by their words in all languages. */
  private final Map<String, Integer> hours = new HashMap<>();

  /** An hour in words after a word for a time, such as "at ten" or "a las once". */
  private final Pattern hour;

  /**
   * What hides each claim: its own exceptions, and those of all languages, because many phrases are
   * the same in several.
   */
  private final Map<Claim, Phrases> exceptions = new HashMap<>();

  ClaimsGate(List<GateLanguage> languages) {
    this.languages = languages;
    for (var language : languages) {
      for (int at = 0; at < language.hours().size(); at++) {
        hours.put(language.hours().get(at), at % HALF_A_DAY + 1);
      }
    }
    this.hour =
        Pattern.compile(
            Patterns.WORD_BOUNDARY
                + "(?:at|around|by|past|to|las|la)\\s("
                + String.join("|", hours.keySet())
                + ")\\b(?!\\s?(?:min|sec|seg|hour|hora|day|d[ií]a|week|semana|month|mes|time|vez|vec|point|of\\b|de (?:los|las|tus|mis)))",
            Pattern.CASE_INSENSITIVE);
    var shared = Phrases.joined(languages.stream().map(GateLanguage::exceptions).toList());
    languages.stream()
        .flatMap(language -> language.claims().stream())
        .forEach(claim -> exceptions.put(claim, except(claim, shared)));
  }

  @Override
  public ReplyGate gate() {
    return ReplyGate.CLAIMS;
  }

  @Override
  public Optional<String> objection(Candidate candidate) {
    for (var said : candidate.sentences()) {
      var sentence =
          QUESTION.matcher(said).replaceAll(found -> found.group(1) == null ? "$0" : " ");
      var words = new Phrases.Said(sentence);
      for (var language : languages) {
        for (var claim : language.claims()) {
          if (!isBacked(claim, sentence, candidate.done())
              && claim
                  .phrases()
                  .find(words, exceptions.getOrDefault(claim, claim.except()))
                  .isPresent()) {
            return Optional.of(note(claim).formatted(claim.means()));
          }
        }
      }
    }
    return Optional.empty();
  }

  private static String note(Claim claim) {
    if (claim.untrue()) {
      return UNTRUE;
    }
    return claim.backedBy().isEmpty() ? IMPOSSIBLE : NOT_DONE;
  }

  /** Returns what hides a claim: the shared exceptions are about actions. */
  private static Phrases except(Claim claim, Phrases shared) {
    return claim.untrue() ? claim.except() : Phrases.joined(List.of(shared, claim.except()));
  }

  private boolean isBacked(Claim claim, String sentence, Done done) {
    if (claim.untrue()) {
      return false;
    }
    if (done.outside()) {
      return true;
    }
    if (claim.schedule() && !done.scheduled().isEmpty()) {
      return isOnTime(sentence, done);
    }
    return claim.backedBy().stream().anyMatch(done.calls()::contains);
  }

  /** Returns whether a sentence names no time, or one at which a schedule sends its prompt. */
  private boolean isOnTime(String sentence, Done done) {
    var times = times(sentence);
    var inWords = hours(sentence);
    return (times.isEmpty() && inWords.isEmpty())
        || done.scheduled().stream()
            .anyMatch(it ->
                times.stream().anyMatch(time -> isTime(it, time))
                    || inWords.stream().anyMatch(said -> isInHour(it, said)));
  }

  /** Returns the hours that a sentence names in words; none if no language has words for them. */
  private Set<Integer> hours(String sentence) {
    return hours.isEmpty()
        ? Set.of()
        : hour.matcher(sentence)
            .results()
            .map(found -> hours.getOrDefault(found.group(1).toLowerCase(Locale.ROOT), 0))
            .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns whether an hour in words may mean a schedule's time. Its minutes are not read, so "half
   * past ten" and "a quarter to eleven" both fit 10:30.
   */
  private static boolean isInHour(Done.Scheduled scheduled, int said) {
    return Stream.of(said, said - 1)
        .anyMatch(it ->
            it % HALF_A_DAY == scheduled.next().getHour() % HALF_A_DAY
                || isWithin(LocalTime.of(it % HALF_A_DAY, 0), scheduled)
                || isWithin(LocalTime.of(it % HALF_A_DAY + HALF_A_DAY, 0), scheduled));
  }

  private static boolean isTime(Done.Scheduled scheduled, LocalTime said) {
    return sameOnTheDial(said, scheduled.next())
        || isWithin(said, scheduled)
        || isWithin(said.plusHours(HALF_A_DAY), scheduled);
  }

  private static boolean isWithin(LocalTime time, Done.Scheduled scheduled) {
    return !time.isBefore(scheduled.from()) && !time.isAfter(scheduled.to());
  }

  /** Returns whether two times look the same on a clock with twelve hours. */
  private static boolean sameOnTheDial(LocalTime one, LocalTime other) {
    return one.getHour() % HALF_A_DAY == other.getHour() % HALF_A_DAY
        && one.getMinute() == other.getMinute();
  }

  static Set<LocalTime> times(String sentence) {
    var times = new HashSet<LocalTime>();
    var found = TIME.matcher(sentence);
    while (found.find()) {
      times.add(
          LocalTime.of(
              Integer.parseInt(found.group(1)),
              found.group(2) == null ? 0 : Integer.parseInt(found.group(2))));
    }
    return times;
  }
}
