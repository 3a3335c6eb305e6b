package org.habitline.llm.rehearsal;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a participant said, as far as rules can tell: kinds of phrases, and facts for the profile.
 * The newest fact wins, so that a correction needs no word of its own.
 */
record Heard(String text, Set<Phrases> phrases, Map<String, String> facts) {

  private static final String HOUR = "\\d{1,2}(?::\\d{2})?\\s?(?:am|pm|a\\.m\\.|p\\.m\\.)?";
  private static final String PART_OF_DAY =
      "(?:early |late |mid-?)?(?:in the |at |the )?(?:mornings?|afternoons?|evenings?|nights?|noon|midday|lunchtime)";

  private static final Pattern TIME =
      Pattern.compile(
          "(?<!\\w)(?:"
              + PART_OF_DAY
              + "(?:,? (?:at |around |about |by )?"
              + HOUR
              + "(?!\\w))?"
              + "|(?:at|around|about|by|before|after|between|from) \\d{1,2}(?::\\d{2})?\\s?(?:am|pm)?(?:\\s?(?:-|–|to|and|until)\\s?"
              + HOUR
              + ")?"
              + "|"
              + HOUR
              + "\\s?(?:-|–|to|until)\\s?"
              + HOUR
              + "|\\d{1,2}(?::\\d{2})?\\s?(?:am|pm)|\\d{1,2}:\\d{2}"
              + ")(?!\\w)",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern ANCHOR =
      Pattern.compile(
          "(?<!\\w)(?:after|before|while|when|whenever|during|as soon as|once)"
              + " (?!\\d|(?:the )?(?:mornings?|afternoons?|evenings?|nights?|noon)\\b|that\\b|all\\b)[^,.;!?\\n]{2,100}",
          Pattern.CASE_INSENSITIVE);

  /** Where a moment ends and the next thing someone says begins. */
  private static final Pattern ANCHOR_ENDS =
      Pattern.compile(
          "\\s+(?:and (?:it|that|i)|because|so that|to (?:get|feel|have)|it gives|gives me|for more|in the|at \\d|around|please)\\b.*",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern FRAME =
      Pattern.compile(
          "(?<!\\w)(?:because [^,.;!?\\n]{3,100}|(?:it )?gives me [^,.;!?\\n]{2,60}|(?:to|so i|so that i|i want to|want to) (?:feel|get|have|be|stay)"
              + " [^,.;!?\\n]{2,60}|(?:for )?(?:a bit )?(?:more|better|less) (?:energy|control|focus|calm|stress|sleep|mood|movement|strength|balance)"
              + "(?: [^,.;!?\\n]{2,40})?|(?:a )?small wins?)",
          Pattern.CASE_INSENSITIVE);

  private static final Map<String, Pattern> DOMAINS = domains();

  private static final Pattern MASHED =
      Pattern.compile(
          "asdf|qwer|zxcv|hjkl|jkl;|[bcdfghjklmnpqrstvwxz]{5,}", Pattern.CASE_INSENSITIVE);

  private static final int SHOWN_AT_MOST = 200;

  private static Map<String, Pattern> domains() {
    var domains = new LinkedHashMap<String, Pattern>();
    domains.put("walking", words("walk(?:s|ing)?|steps?|stroll(?:ing)?"));
    domains.put("stretching", words("stretch(?:es|ing)?|yoga"));
    domains.put("breathing", words("breath(?:e|es|ing)?|meditat(?:e|ion|ing)"));
    domains.put("drinking water", words("water|hydrat(?:e|ion|ing)"));
    domains.put("strength", words("squats?|push-?ups?|strength|plank"));
    domains.put("reading", words("read(?:ing)?|books?"));
    domains.put("writing", words("writ(?:e|ing)|journal(?:ing)?"));
    domains.put("tidying", words("tidy(?:ing)?|clean(?:ing)?"));
    return domains;
  }

  private static Pattern words(String alternatives) {
    return Pattern.compile("(?<!\\w)(?:" + alternatives + ")(?!\\w)", Pattern.CASE_INSENSITIVE);
  }

  /** Listens to texts that came together. */
  static Heard in(List<String> texts) {
    var all = String.join("\n", texts);
    var phrases = EnumSet.noneOf(Phrases.class);
    for (var phrase : Phrases.values()) {
      if (phrase.in(all)) {
        phrases.add(phrase);
      }
    }
    var facts = new LinkedHashMap<String, String>();
    for (var text : texts) {
      facts(text, facts);
    }
    return new Heard(all.strip(), phrases, facts);
  }

  private static void facts(String text, Map<String, String> facts) {
    last(ANCHOR, text)
        .map(found -> ANCHOR_ENDS.matcher(found).replaceAll(""))
        .ifPresent(found -> facts.put("prompt_anchor", found.strip()));
    last(TIME, text).ifPresent(found -> facts.put("preferred_time", found.strip()));
    last(FRAME, text).ifPresent(found -> facts.put("motivational_frame", reason(found)));
    DOMAINS.forEach((domain, pattern) -> {
      if (pattern.matcher(text).find()) {
        facts.put("habit_domain", domain);
      }
    });
  }

  private static Optional<String> last(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(found -> found.group()).reduce((a, b) -> b);
  }

  private static String reason(String found) {
    return found
        .strip()
        .replaceFirst(
            "(?i)^(?:because|(?:it )?gives me|for|so that i|so i|i want to|want to|to)\\s+", "");
  }

  boolean says(Phrases phrase) {
    return phrases.contains(phrase);
  }

  /** Nothing a person could mean: no word at all, or keys struck at random. */
  boolean isNonsense() {
    var letters = text.replaceAll("[^\\p{L}]", "");
    return letters.length() < 2 || (facts.isEmpty() && MASHED.matcher(letters).find());
  }

  /** An answer that says nothing yet. */
  boolean isVague() {
    return facts.isEmpty() && (says(Phrases.VAGUE) || isNonsense());
  }

  /** The text as an answer to an open question. */
  String asAnswer() {
    var line = text.replaceAll("\\s+", " ").strip();
    return line.length() <= SHOWN_AT_MOST
        ? line
        : line.substring(
                0,
                line.offsetByCodePoints(
                    0, Math.min(SHOWN_AT_MOST, line.codePointCount(0, line.length())) / 2))
            .strip();
  }

  /** Spoken back to the participant: "my lunch" becomes "your lunch". */
  static String toYou(String said) {
    return said.replaceAll("(?i)\\bmy\\b", "your")
        .replaceAll("(?i)\\bme\\b", "you")
        .replaceAll("\\b[Ii](?:'m| am)\\b", "you are")
        .replaceAll("\\b[Ii]\\b", "you");
  }

  static String capitalised(String text) {
    return text.isEmpty()
        ? text
        : text.substring(0, 1).toUpperCase(Locale.ENGLISH) + text.substring(1);
  }
}
