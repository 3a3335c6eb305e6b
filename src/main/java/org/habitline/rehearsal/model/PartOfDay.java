package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.time.LocalTime;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Parts of the day named without a clock time, with the window that the script uses for each. The
 * windows are within the default allowed hours.
 */
enum PartOfDay {
  EARLY_MORNING(8, 9, "\\bearly(?: in the)? mornings?\\b|\\bfirst thing\\b|\\bbreakfast\\b"),
  LATE_MORNING(10, 12, "\\b(?:late|mid)[ -](?:in the )?mornings?\\b"),
  MORNING(8, 10, "\\bmornings?\\b"),
  BEFORE_LUNCH(11, 12, "\\bbefore (?:my |the )?lunch"),
  AFTER_LUNCH(13, 14, "\\bafter (?:my |the )?lunch"),
  LUNCH(12, 13, "\\blunch"),
  EARLY_AFTERNOON(13, 15, "\\bearly(?: in the)?[ -]afternoons?\\b"),
  LATE_AFTERNOON(16, 18, "\\blate(?: in the)?[ -]afternoons?\\b"),
  AFTERNOON(14, 16, "\\bafternoons?\\b"),
  AFTER_WORK(17, 19, "\\bafter (?:my )?work\\b"),
  EARLY_EVENING(17, 19, "\\bearly(?: in the)?[ -]evenings?\\b"),
  BEFORE_DINNER(17, 18, "\\bbefore (?:my |the )?dinner\\b"),
  AFTER_DINNER(19, 20, "\\bafter (?:my |the )?dinner\\b"),
  DINNER(18, 19, "\\bdinner\\b"),
  LATE_EVENING(20, 21, "\\blate(?: in the)?[ -]evenings?\\b"),
  EVENING(18, 20, "\\bevenings?\\b"),
  NIGHT(
      20,
      21,
      "(?<!good )\\b(?:to)?nights?\\b|\\bbed ?time\\b|\\bbefore (?:i go to )?(?:bed|sleep)\\b"
          + "|\\bbefore going to (?:bed|sleep)\\b");

  private final int start;
  private final int end;
  private final Pattern rule;

  PartOfDay(int start, int end, String regex) {
    this.start = start;
    this.end = end;
    this.rule = rule(regex);
  }

  /** Returns the window of the part that is named first, or empty if none is named. */
  static Optional<DailyTime> in(String text) {
    record Found(int at, PartOfDay part) {}
    return Arrays.stream(values())
        .flatMap(part ->
            part.rule.matcher(text).results().limit(1).map(found -> new Found(found.start(), part)))
        .min(Comparator.comparingInt(Found::at))
        .map(found -> found.part().window());
  }

  private DailyTime window() {
    return new DailyTime(LocalTime.of(start, 0), LocalTime.of(end, 0));
  }
}
