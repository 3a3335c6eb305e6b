package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A phrase of the rules: words, alternatives, optional parts and gaps. {@code docs/safety.md}
 * describes how it is written.
 *
 * <p>A part is matched for all places at once: bit n of a {@code long} says that the phrase so far
 * may end n tokens after the phrase's first one. Nothing is ever tried twice, so the time for a
 * phrase at one place is bounded by its size times {@link #LONGEST}.
 */
sealed interface Phrase {

  /** The most tokens that a phrase can span. */
  int LONGEST = 60;

  /**
   * Returns the places after this part.
   *
   * @param from where the whole phrase begins
   * @param places where this part may begin, as bits relative to {@code from}
   */
  long match(Sentence sentence, int from, long places, Steps steps);

  /** Returns the most tokens that this part can span. */
  int longest();

  /**
   * Returns words of which a sentence must contain at least one if this part is to match; none if
   * it may match without any.
   */
  Set<Term> needs();

  /**
   * Calls the consumer with words with which this part can begin, and returns whether it begins
   * with one of them.
   */
  Beginning first(Consumer<Term> consumer);

  /** Calls the consumer with every word of this part. */
  void terms(Consumer<Term> consumer);

  /** Counts the comparisons for one message, so that a test can bound them. */
  final class Steps {
    private long count;

    void add(long more) {
      count += more;
    }

    long count() {
      return count;
    }
  }

  /**
   * How a part begins. The order counts: a choice begins like the last of its parts in this order.
   */
  enum Beginning {
    /** With one of its first words. */
    WORD,
    /** May match no token; then the next part comes first. */
    NOTHING,
    /** Perhaps with other tokens than its first words. */
    ANYTHING
  }

  /**
   * A word, or the beginning of one.
   *
   * @param stem whether other letters may follow
   */
  record Term(String word, boolean stem) {
    boolean matches(String other) {
      return stem ? other.startsWith(word) : other.equals(word);
    }

    /** Written out, because it is called for every word of the rules when Habitline starts. */
    @Override
    public int hashCode() {
      return stem ? ~word.hashCode() : word.hashCode();
    }
  }

  /**
   * One word of a set.
   *
   * @param terms all of them
   * @param words those that are whole words
   * @param stems those that are beginnings of words
   */
  record Words(Set<Term> terms, Set<String> words, List<String> stems) implements Phrase {

    public Words {
      terms = Collections.unmodifiableSet(terms);
      words = Collections.unmodifiableSet(words);
    }

    static Words of(Set<Term> terms) {
      var words = new HashSet<String>();
      var stems = new ArrayList<String>();
      for (var term : terms) {
        if (term.stem()) {
          stems.add(term.word());
        } else {
          words.add(term.word());
        }
      }
      return new Words(terms, words, List.copyOf(stems));
    }

    @Override
    public long match(Sentence sentence, int from, long places, Steps steps) {
      long after = 0;
      for (var rest = places; rest != 0; rest &= rest - 1) {
        var bit = Long.numberOfTrailingZeros(rest);
        steps.add(1);
        if (from + bit < sentence.size() && matches(sentence.word(from + bit))) {
          after |= 1L << (bit + 1);
        }
      }
      return after;
    }

    private boolean matches(String word) {
      if (words.contains(word)) {
        return true;
      }
      for (var stem : stems) {
        if (word.startsWith(stem)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public int longest() {
      return 1;
    }

    @Override
    public Set<Term> needs() {
      return terms;
    }

    @Override
    public Beginning first(Consumer<Term> consumer) {
      terms(consumer);
      return Beginning.WORD;
    }

    @Override
    public void terms(Consumer<Term> consumer) {
      terms.forEach(consumer);
    }
  }

  /** Something that is not a fixed word. */
  enum Special implements Phrase {
    /** A number. */
    NUMBER,
    /** All that is between two quotation marks. */
    QUOTE,
    /** The beginning of a clause, sentence or line; spans no token. */
    PAUSE,
    /** The beginning of a sentence or line; spans no token. */
    START,
    /** The end of a sentence or line; spans no token. */
    END;

    @Override
    public long match(Sentence sentence, int from, long places, Steps steps) {
      long after = 0;
      for (var rest = places; rest != 0; rest &= rest - 1) {
        var bit = Long.numberOfTrailingZeros(rest);
        steps.add(1);
        var end = end(sentence, from + bit);
        if (end >= 0 && end - from <= LONGEST) {
          after |= 1L << (end - from);
        }
      }
      return after;
    }

    private int end(Sentence sentence, int at) {
      return switch (this) {
        case NUMBER -> at < sentence.size() && sentence.isNumber(at) ? at + 1 : -1;
        case QUOTE -> sentence.quotationFrom(at);
        case PAUSE -> at < sentence.size() && sentence.startsClause(at) ? at : -1;
        case START -> at < sentence.size() && sentence.startsLine(at) ? at : -1;
        case END -> sentence.startsLine(at) ? at : -1;
      };
    }

    @Override
    public int longest() {
      return switch (this) {
        case NUMBER -> 1;
        case QUOTE -> 30;
        case PAUSE, START, END -> 0;
      };
    }

    @Override
    public Set<Term> needs() {
      return Set.of();
    }

    @Override
    public Beginning first(Consumer<Term> consumer) {
      return this == PAUSE || this == START ? Beginning.NOTHING : Beginning.ANYTHING;
    }

    @Override
    public void terms(Consumer<Term> consumer) {}
  }

  /**
   * Any words, at most this many. Inside a sentence, a gap never skips a negation or the end of the
   * sentence, because that would turn the meaning round.
   *
   * @param across whether it may skip both, for two signs that each mean something by themselves
   */
  record Gap(int most, boolean across) implements Phrase {
    @Override
    public long match(Sentence sentence, int from, long places, Steps steps) {
      var all = places;
      var last = places;
      for (int skipped = 0; skipped < most && last != 0; skipped++) {
        long next = 0;
        for (var rest = last; rest != 0; rest &= rest - 1) {
          var bit = Long.numberOfTrailingZeros(rest);
          var at = from + bit;
          steps.add(1);
          if (bit < LONGEST
              && at < sentence.size()
              && (across || isInside(sentence, at, bit > 0))) {
            next |= 1L << (bit + 1);
          }
        }
        last = next & ~all;
        all |= next;
      }
      return all;
    }

    private static boolean isInside(Sentence sentence, int at, boolean notFirst) {
      return !sentence.isNegator(at)
          && !(sentence.startsSentence(at) && notFirst)
          && !sentence.startsSentence(at + 1);
    }

    @Override
    public int longest() {
      return most;
    }

    @Override
    public Set<Term> needs() {
      return Set.of();
    }

    @Override
    public Beginning first(Consumer<Term> consumer) {
      return Beginning.ANYTHING;
    }

    @Override
    public void terms(Consumer<Term> consumer) {}
  }

  /**
   * Parts one after the other.
   *
   * @param longest that of all parts together
   * @param needs what the part needs whose words are the rarest
   */
  record Sequence(List<Phrase> parts, int longest, Set<Term> needs) implements Phrase {

    static Sequence of(List<Phrase> parts) {
      var longest = 0;
      var needs = Set.<Term>of();
      var fewest = Integer.MAX_VALUE;
      for (var part : parts) {
        longest += part.longest();
        var frequency = part.needs().isEmpty() ? fewest : frequency(part.needs());
        if (frequency < fewest) {
          fewest = frequency;
          needs = part.needs();
        }
      }
      return new Sequence(List.copyOf(parts), longest, needs);
    }

    /** Prefers few and long words, because those are rare in messages. */
    private static int frequency(Set<Term> terms) {
      var frequency = 0;
      for (var term : terms) {
        frequency += 100 / term.word().length();
      }
      return frequency;
    }

    @Override
    public long match(Sentence sentence, int from, long places, Steps steps) {
      var now = places;
      for (var part : parts) {
        if (now == 0) {
          return 0;
        }
        now = part.match(sentence, from, now, steps);
      }
      return now;
    }

    @Override
    public Beginning first(Consumer<Term> consumer) {
      for (var part : parts) {
        var beginning = part.first(consumer);
        if (beginning != Beginning.NOTHING) {
          return beginning;
        }
      }
      return Beginning.NOTHING;
    }

    @Override
    public void terms(Consumer<Term> consumer) {
      parts.forEach(part -> part.terms(consumer));
    }
  }

  /**
   * One of several parts, of which none may be needed.
   *
   * @param longest that of the longest part
   * @param needs what all parts need, or none if a part needs no word
   */
  record Choice(List<Phrase> parts, boolean optional, int longest, Set<Term> needs)
      implements Phrase {

    static Choice of(List<Phrase> parts, boolean optional) {
      var longest = 0;
      var needs = new HashSet<Term>();
      var always = !optional;
      for (var part : parts) {
        longest = Math.max(longest, part.longest());
        needs.addAll(part.needs());
        always &= !part.needs().isEmpty();
      }
      return new Choice(List.copyOf(parts), optional, longest, always ? needs : Set.of());
    }

    @Override
    public long match(Sentence sentence, int from, long places, Steps steps) {
      var after = optional ? places : 0;
      for (var part : parts) {
        after |= part.match(sentence, from, places, steps);
      }
      return after;
    }

    @Override
    public Beginning first(Consumer<Term> consumer) {
      var all = optional ? Beginning.NOTHING : Beginning.WORD;
      for (var part : parts) {
        var beginning = part.first(consumer);
        all = beginning.compareTo(all) > 0 ? beginning : all;
      }
      return all;
    }

    @Override
    public void terms(Consumer<Term> consumer) {
      parts.forEach(part -> part.terms(consumer));
    }
  }

  /** Returns a choice between phrases; its single words become one part, which is faster. */
  static Phrase either(List<Phrase> phrases) {
    if (phrases.size() == 1) {
      return phrases.getFirst();
    }
    var words = new LinkedHashSet<Term>();
    var parts = new ArrayList<Phrase>();
    for (var phrase : phrases) {
      // A set inside a choice is a choice itself.
      var inside = phrase instanceof Choice it && !it.optional() ? it.parts() : List.of(phrase);
      for (var part : inside) {
        if (part instanceof Words one) {
          words.addAll(one.terms());
        } else {
          parts.add(part);
        }
      }
    }
    if (!words.isEmpty()) {
      parts.addFirst(Words.of(words));
    }
    return parts.size() == 1 ? parts.getFirst() : Choice.of(parts, false);
  }
}
