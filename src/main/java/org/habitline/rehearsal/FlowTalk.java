package org.habitline.rehearsal;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.habitline.flows.FieldType;
import org.habitline.flows.Flow;
import org.habitline.flows.PhraseTable;
import org.habitline.flows.ProfileField;
import org.habitline.rehearsal.model.Questions;

/**
 * What one simulated participant says in a flow besides the words of daily prompts: answers to the
 * script's questions that fit the fields' types, and the examples of the flow's phrases.
 */
final class FlowTalk {

  /** How often a participant answers a question that comes again. */
  private static final int PATIENCE = 3;

  /** How far the largest number that is said lies from the smallest. */
  private static final int SPAN = 20;

  private static final int DAYS_AHEAD = 7;

  private static final List<String> WORDS =
      List.of("something simple at home", "whatever is easy in the evening", "a bit of everything");
  private static final List<String> ITEMS = List.of("none", "a band", "a mat", "nothing");

  private final Flow flow;
  private final PhraseTable phrases;
  private final Map<String, Integer> asked = new HashMap<>();

  FlowTalk(Flow flow, PhraseTable phrases) {
    this.flow = flow;
    this.phrases = phrases;
  }

  /** Returns the examples of all phrases, in the order of the flow. */
  List<String> examples() {
    return phrases.phrases().stream().flatMap(phrase -> phrase.examples().stream()).toList();
  }

  /** Returns the answer to the question in a message, or empty if there is none, or too often. */
  Optional<String> answer(String message, LocalDate today, SplittableRandom random) {
    return Questions.askedIn(message, flow.profile())
        .filter(field -> asked.merge(field.name(), 1, Integer::sum) <= PATIENCE)
        .map(field -> answer(field, today, random));
  }

  private static String answer(ProfileField field, LocalDate today, SplittableRandom random) {
    return switch (field.type()) {
      case FieldType.Text text -> fitting(one(WORDS, random), text.minLength(), text.maxLength());
      case FieldType.Entries(_, var shortest, var longest) ->
          fitting(one(WORDS, random), shortest, longest);
      case FieldType.Choice choice -> one(choice.values(), random).replace('_', ' ');
      case FieldType.Truth _ -> random.nextBoolean() ? "yes" : "no";
      case FieldType.WholeNumber(int minimum, int maximum) ->
          Integer.toString(number(minimum, maximum, random));
      case FieldType.Decimal(var minimum, var maximum) -> decimal(minimum, maximum, random);
      case FieldType.Date date -> day(date, today.plusDays(DAYS_AHEAD)).toString();
      case FieldType.Texts texts -> fitting(one(ITEMS, random), 1, texts.maxLength());
    };
  }

  private static String fitting(String words, int shortest, int longest) {
    var text = new StringBuilder(words);
    while (text.length() < shortest) {
      text.append(", and more");
    }
    return text.substring(0, Math.min(text.length(), longest)).strip();
  }

  private static int number(int minimum, int maximum, SplittableRandom random) {
    var least = minimum <= 1 && maximum >= 1 ? 1 : minimum;
    return least + random.nextInt(Math.min(maximum - least, SPAN) + 1);
  }

  private static String decimal(BigDecimal minimum, BigDecimal maximum, SplittableRandom random) {
    var least = minimum.setScale(0, RoundingMode.CEILING).intValue();
    var most = maximum.setScale(0, RoundingMode.FLOOR).intValue();
    return least > most ? minimum.toPlainString() : Integer.toString(number(least, most, random));
  }

  private static LocalDate day(FieldType.Date bounds, LocalDate wanted) {
    if (bounds.minimum() != null && wanted.isBefore(bounds.minimum())) {
      return bounds.minimum();
    }
    return bounds.maximum() != null && wanted.isAfter(bounds.maximum()) ? bounds.maximum() : wanted;
  }

  private static String one(List<String> choices, SplittableRandom random) {
    return choices.get(random.nextInt(choices.size()));
  }
}
