package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of one or several waiting texts, regardless of the question before them.
 *
 * @param facts values of profile fields; of two values for a field, the later one counts
 * @param tones tags of the requested tone
 * @param zone time zone of the place that they say they are in
 * @param said the texts, verbatim
 * @param words the texts in the participant's words, short enough for any field
 * @param length number of words
 */
public record Heard(
    Set<Meaning> meanings,
    Map<String, String> facts,
    List<String> tones,
    Optional<String> zone,
    String said,
    String words,
    int length) {

  private static final int KEEP_AT_MOST = 200;
  private static final Pattern NEGATED =
      rule(
          "\\b(?:not(?! sure)|don'?t(?! know)|doesn'?t|can'?t|cannot|isn'?t|aren'?t"
              + "|won'?t|never|hate|no more)\\b");
  private static final Pattern INTERROGATIVE =
      rule(
          "^(?:what(?! about)|who|why(?! not)|when (?:will|do|can|is)|where|how(?! about)"
              + "|is|are|do|does|did|will|which)\\b");
  private static final Pattern BECAUSE =
      rule(
          "^(?:because|'?cause|so that|so i|it (?:helps|makes|gives)|helps me|gives me"
              + "|makes me)\\b");
  private static final Pattern CLOSING = rule("(?<![\\s,;.!])[\\s,;.!]++$");
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{M}']+");
  private static final Pattern UNSPEAKABLE = rule("[bcdfghjklmnpqrstvwxz]{5,}|(.)\\1{2,}");
  private static final Pattern VOWEL = rule("[aeiouy]|[^\\x00-\\x7f]");
  private static final List<String> KEYBOARD_ROWS = List.of("qwertyuiop", "asdfghjkl", "zxcvbnm");
  private static final Map<String, Pattern> INTENSITIES =
      Map.of(
          "low",
              rule(
                  "^low$|\\beasier\\b|\\btoo (?:hard|much|difficult)\\b|\\bless (?:steps"
                      + "|effort)\\b|\\bfewer steps\\b"),
          "normal", rule("^normal$"),
          "high",
              rule("^high$|\\bharder\\b|\\btoo easy\\b|\\bmore (?:steps|challeng\\w+|effort)\\b"));

  static Heard of(List<String> texts) {
    var listening = new Listening();
    texts.forEach(listening::hear);
    return listening.heard(texts);
  }

  boolean means(Meaning meaning) {
    return meanings.contains(meaning);
  }

  boolean meansAny(Meaning first, Meaning... others) {
    return meanings.stream().anyMatch(EnumSet.of(first, others)::contains);
  }

  /** Returns whether it is short enough to be an instruction and not a story. */
  boolean brief() {
    return length <= 8;
  }

  /** Reads clause by clause, so that a later clause can revoke an earlier one. */
  private static final class Listening {

    private final EnumSet<Meaning> meanings = EnumSet.noneOf(Meaning.class);
    private final Map<String, String> facts = new LinkedHashMap<>();
    private final Set<String> tones = new LinkedHashSet<>();
    private Optional<String> zone = Optional.empty();

    void hear(String text) {
      for (var clause : Clause.of(text)) {
        var found = MeaningRules.of(clause);
        oneOf(found, Meaning.YES, Meaning.NO);
        oneOf(found, Meaning.NOW, Meaning.PERSONAL);
        oneOf(found, Meaning.TRIED, Meaning.NOT_TRIED);
        if (found.contains(Meaning.CORRECTION)) {
          meanings.remove(Meaning.NO);
          found.remove(Meaning.NO);
        }
        var told = ToneWords.in(clause.text());
        if (!told.isEmpty()) {
          found.removeAll(EnumSet.of(Meaning.YES, Meaning.NO));
        }
        meanings.addAll(found);
        tones.addAll(told);
        var known = facts.size();
        if (told.isEmpty() && !asks(clause) && !NEGATED.matcher(clause.text()).find()) {
          facts(elsewhere(clause.text()));
        }
        if (clause.question() && facts.size() == known && told.isEmpty()) {
          meanings.add(Meaning.QUESTION);
        }
      }
    }

    private void oneOf(Set<Meaning> found, Meaning one, Meaning other) {
      if (found.contains(one) != found.contains(other)) {
        meanings.remove(one);
        meanings.remove(other);
      }
    }

    /** Records the place that they say they are in, and returns the rest of the clause. */
    private String elsewhere(String clause) {
      var place = Places.in(clause);
      if (place.isEmpty()) {
        return clause;
      }
      meanings.add(Meaning.PLACE);
      zone = place.map(Places.Told::zone);
      return place.get().rest();
    }

    private static boolean asks(Clause clause) {
      return clause.question() && INTERROGATIVE.matcher(clause.text()).find();
    }

    private void facts(String clause) {
      var when = MomentAndTime.in(clause);
      keep(Field.MOMENT, when.moment());
      keep(Field.TIME, when.time());
      var rest = when.rest();
      var habit = HabitWords.in(rest);
      habit.ifPresent(said -> keep(Field.HABIT, said.domain()));
      var alone = when.moment() == null && when.time() == null && habit.isEmpty();
      var reason = ReasonWords.in(rest);
      if (alone && (reason.isPresent() || BECAUSE.matcher(rest).find())) {
        addReason(Clause.bare(rest));
      } else {
        reason.ifPresent(said -> addReason(said.frame()));
      }
      INTENSITIES.forEach((level, rule) -> {
        if (rule.matcher(clause).find()) {
          keep(Field.INTENSITY, level);
        }
      });
    }

    private void addReason(String reason) {
      var before = facts.get(Field.REASON);
      keep(
          Field.REASON,
          before == null || meanings.contains(Meaning.CORRECTION)
              ? reason
              : before + " and " + reason);
    }

    private void keep(String field, @Nullable String value) {
      if (value != null && !value.isBlank()) {
        facts.put(field, Clause.cut(value, KEEP_AT_MOST));
      }
    }

    Heard heard(List<String> texts) {
      var all = Clause.plain(String.join(" ", texts)).replace('\n', ' ');
      var count = (int) WORD.matcher(all).results().count();
      if (!tones.isEmpty()) {
        meanings.add(Meaning.TONE);
      }
      facts.keySet().forEach(field -> meanings.add(meaning(field)));
      if (meanings.isEmpty() && nonsense(all)) {
        meanings.add(Meaning.NONSENSE);
      }
      var bare = Clause.bare(CLOSING.matcher(all).replaceFirst(""));
      return new Heard(
          Collections.unmodifiableSet(meanings),
          Collections.unmodifiableMap(facts),
          List.copyOf(new ArrayList<>(tones)),
          zone,
          all,
          Clause.cut(bare, KEEP_AT_MOST),
          count);
    }

    private static Meaning meaning(String field) {
      return switch (field) {
        case Field.MOMENT -> Meaning.MOMENT;
        case Field.TIME -> Meaning.TIME;
        case Field.REASON -> Meaning.REASON;
        case Field.HABIT -> Meaning.HABIT;
        default -> Meaning.INTENSITY;
      };
    }

    private static boolean nonsense(String text) {
      return !MomentAndTime.onlyATime(text.strip())
          && WORD.matcher(text).results().noneMatch(word -> plausible(word.group()));
    }

    private static boolean plausible(String word) {
      return word.length() >= 2
          && VOWEL.matcher(word).find()
          && !UNSPEAKABLE.matcher(word).find()
          && (word.length() < 4
              || KEYBOARD_ROWS.stream()
                  .noneMatch(row -> row.contains(word.toLowerCase(Locale.ROOT))));
    }
  }
}
