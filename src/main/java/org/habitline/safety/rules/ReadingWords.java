package org.habitline.safety.rules;

import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.habitline.config.Section;

/**
 * The sentences of one language that say when a person reads messages.
 *
 * @param unknown if the study does not say when
 * @param now if somebody reads now, and for at least a day
 * @param until if somebody reads now; with {@value #TIME}
 * @param today if somebody reads later today; with {@value #TIME}
 * @param later if somebody reads on a later day; with {@value #DAY} and {@value #TIME}
 * @param clock how a time is written
 */
record ReadingWords(
    String unknown,
    String now,
    String until,
    String today,
    String later,
    DateTimeFormatter clock,
    DateTimeFormatter clockAndZone,
    DateTimeFormatter weekday) {

  /** Stands for the sentence in a text. */
  static final String SENTENCE = "{reading}";

  private static final String TIME = "{time}";
  private static final String DAY = "{day}";
  private static final int LONGEST = 200;
  private static final String USUAL_CLOCK = "H:mm";

  static ReadingWords read(String language, Section words) {
    words.only("unknown", "now", "until", "today", "later", "clock");
    var locale = Locale.forLanguageTag(language);
    var clock = clock(words);
    return new ReadingWords(
        words.text("unknown", LONGEST),
        words.text("now", LONGEST),
        sentence(words, "until", TIME),
        sentence(words, "today", TIME),
        sentence(words, "later", DAY, TIME),
        DateTimeFormatter.ofPattern(clock, locale),
        DateTimeFormatter.ofPattern(clock + " zzz", locale),
        DateTimeFormatter.ofPattern("EEEE", locale));
  }

  private static String clock(Section words) {
    var pattern = words.text("clock", LONGEST);
    try {
      var _ = DateTimeFormatter.ofPattern(pattern).format(LocalTime.NOON);
      return pattern.isEmpty() ? USUAL_CLOCK : pattern;
    } catch (RuntimeException e) {
      words.refuse("clock", "expected the form of a time such as H:mm or h:mm a");
      return USUAL_CLOCK;
    }
  }

  private static String sentence(Section words, String key, String... needed) {
    var sentence = words.text(key, LONGEST);
    for (var place : needed) {
      if (words.has(key) && !sentence.contains(place)) {
        words.refuse(key, "expected a sentence with " + place);
      }
    }
    return sentence;
  }

  /** Returns the sentence. */
  String say(Reading reading) {
    return switch (reading) {
      case Reading.Unknown() -> unknown;
      case Reading.Now() -> now;
      case Reading.Until(var end, var named) -> until.replace(TIME, time(end, named));
      case Reading.From(var begin, var isToday, var named) ->
          (isToday ? today : later)
              .replace(DAY, weekday.format(begin))
              .replace(TIME, time(begin, named));
    };
  }

  private String time(ZonedDateTime at, boolean named) {
    return (named ? clockAndZone : clock).format(at);
  }
}
