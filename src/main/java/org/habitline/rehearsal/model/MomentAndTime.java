package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The moment ("after lunch") and the time ("mornings around 8") that a clause names. "Before 9" is
 * a time, "before my 9am meeting" a moment.
 *
 * @param rest the clause without moment and time
 */
record MomentAndTime(@Nullable String moment, @Nullable String time, String rest) {

  private static final String UNIT =
      "(?!\\d|[:.]\\d|\\s*(?:%|x\\b|steps?|min|sec|hours?|times?|days?|weeks?|months?"
          + "|years?|kids?|km|miles?|kg|reps?|people|things?))";
  private static final String HALF = "\\s?(?:am|pm|o'?clock)\\b";
  private static final String CLOCK =
      "\\b(?:[01]?\\d|2[0-4])[:.h][0-5]\\d(?:"
          + HALF
          + ")?(?!\\d)|\\b(?:[01]?\\d|2[0-4])"
          + HALF
          + "|\\b(?:[01]?\\d|2[0-4])(?= (?:in the (?:morning|afternoon|evening)|at night)s?\\b)";
  private static final String RANGE =
      "(?:\\b(?:between|from)\\s+)?\\b\\d{1,2}(?:[:.]\\d{2})?(?:\\s?(?:am"
          + "|pm))?\\s?(?:-|–|to|until|till)\\s?\\d{1,2}(?:[:.]\\d{2})?(?:\\s?(?:am"
          + "|pm)\\b)?"
          + UNIT
          + "|\\bbetween\\s+\\d{1,2}(?:[:.]\\d{2})?(?:\\s?(?:am"
          + "|pm))?\\s+and\\s+\\d{1,2}(?:[:.]\\d{2})?(?:\\s?(?:am|pm)\\b)?"
          + UNIT;
  private static final String NEAR =
      "\\b(?:at|around|about|by|before|after|half past|quarter (?:past|to)|from|until"
          + "|till)\\s+(?:(?:[01]?\\d|2[0-4])\\b"
          + UNIT
          + "|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven"
          + "|twelve)\\b(?:[ -](?:thirty|fifteen|forty[ -]five)\\b)?(?:"
          + HALF
          + ")?(?! (?:point|time|go|more|step|min|of)))";
  private static final String PART =
      "(?<!good )(?<!this )(?<!last )(?<!yesterday )(?<!my )\\b(?:(?:early|late"
          + "|mid)[ -]?)?(?:(?:week(?:day|end) )?(?:morning|afternoon|evening|night)s?|noon"
          + "|midday|midnight|lunch ?time|week(?:day|end)s)\\b(?!\\s+(?!or\\b|and\\b|around"
          + "|about|at\\b|before|after\\b|between|from|by\\b|please|works?\\b|instead|on\\b"
          + "|when|while|because|would|(?:is|are) (?:best|good|better|fine|ideal|great|ok)"
          + "|best|time\\b|for me|then\\b|too\\b|during|in\\b|with\\b|\\d)\\S)";
  private static final String ONE = "(?:" + RANGE + "|" + CLOCK + "|" + NEAR + "|" + PART + ")";
  private static final Pattern TIME =
      rule(
          "(?:\\b(?:sometime |early |late )?(?:in the|during the|on|every|each|at|around"
              + "|about|before|after|by)\\s+)?"
              + ONE
              + "(?:\\s*(?:,|or|and|in the|on|at|the|every|,)?\\s*"
              + ONE
              + ")*");
  private static final Pattern WEAK_OPENING =
      rule("^(?:in the|during the|on|at(?=\\s+(?:noon|midday|night|\\d+[:.h]|\\d+\\s?[ap]m)))\\s+");
  private static final Pattern ONLY_A_TIME =
      rule(
          "^(?:[01]?\\d|2[0-4])(?:[:.h ][0-5]\\d)?(?:\\s?(?:am|pm|h|o'?clock))?$"
              + "|^\\d{1,2}\\s?(?:-|–|to|or)\\s?\\d{1,2}$");

  private static final Pattern MOMENT =
      rule(
          "\\b(?:(?:right|just|directly|straight|shortly) )?(?:after|before|while|when"
              + "|whenever|during|as soon as|once(?= (?:i|the|my|we|everyone)\\b)|every time"
              + "|each time)\\s+(?!that\\b|this\\b|all\\b|a while|it (?:came|comes|suits|fits"
              + "|is|was|works|buzzed)\\b|possible|(?:i|we) (?:can\\b|feel like|want)|(?:i"
              + "|we)(?: have|'ve| get|'ve got) (?:some |a |the |more )?(?:free )?(?:time"
              + "|minute|moment|chance)|do you|will you|are you|is it)\\S.*$|^(?:(?:my|the"
              + "|a) )?(?:(?:morning|first|second|afternoon|evening|daily) )?(?:coffee|tea"
              + "|lunch|breakfast|dinner|commute|shower|(?:coffee|lunch|tea) break|bedtime"
              + "|waking up|getting up|coming home|brushing (?:my )?teeth)$|\\b(?:with|over|at"
              + "|on)\\s+(?:(?:my|the|a)\\s+)?(?:(?:morning|first|second|afternoon|evening"
              + "|daily)\\s+)?(?:coffee|tea|lunch|breakfast|dinner|commute|coffee break"
              + "|lunch break|break|way (?:home|to work)|bus|train)\\b.*$"
              + "|\\bin the shower\\b.*$|\\bfirst thing (?:in the (?:morning|day)|after .*)$");

  static MomentAndTime in(String clause) {
    var time = TIME.matcher(clause);
    var hasTime = time.find();
    var moment = MOMENT.matcher(clause);
    var hasMoment = moment.find();
    if (hasTime && hasMoment) {
      if (time.start() <= moment.start() && time.end() > moment.start()) {
        hasMoment = moment.find(time.end());
      } else if (time.start() > moment.start() && time.end() < clause.length()) {
        hasTime = false;
      }
    }
    if (!hasMoment) {
      return new MomentAndTime(
          null, hasTime ? spoken(time.group()) : null, hasTime ? time.replaceFirst(" ") : clause);
    }
    var start = moment.start();
    var end = hasTime && time.start() > start ? time.start() : clause.length();
    var before = clause.substring(0, hasTime && time.start() < start ? time.start() : start);
    return new MomentAndTime(
        Clause.bare(clause.substring(start, end)), hasTime ? spoken(time.group()) : null, before);
  }

  /** Returns whether a text such as "8" or "8-9" is a time when the question was about a time. */
  static boolean onlyATime(String text) {
    return ONLY_A_TIME.matcher(text).matches();
  }

  private static String spoken(String time) {
    return Clause.bare(WEAK_OPENING.matcher(time.strip()).replaceFirst(""));
  }
}
