package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.habitline.config.Section;
import org.habitline.safety.rules.Phrase.Steps;

/**
 * Phrases in the notation of the rules, searched in what a model wrote: the words count as they
 * are, without corrected spelling and without negations. Immutable, and safe for any number of
 * threads.
 */
public final class Phrases {

  /** Phrases that match nothing. */
  public static final Phrases NONE = new Phrases(List.of());

  private static final int LONGEST_PHRASE = 1_000;

  private final List<Phrase> all;
  private final PhraseIndex<Phrase> index = new PhraseIndex<>();

  private Phrases(List<Phrase> all) {
    this.all = List.copyOf(all);
    all.forEach(phrase -> index.add(phrase, phrase));
  }

  /** A text to search, read once. Used by one thread. */
  public static final class Said {

    private final Sentence sentence;

    public Said(String text) {
      this.sentence = new Sentence(Tokenizer.tokens(text));
    }
  }

  /** Reads the phrases of one language. */
  public static final class Reader {

    private final PhraseReader phrases;

    /**
     * Creates a reader for files whose {@code sets} count in all of them; mistakes are added to the
     * files.
     */
    public Reader(Collection<Section> files) {
      var sets = new TreeMap<String, List<String>>();
      for (var file : files) {
        for (var section : file.optionalSection("sets").stream().toList()) {
          for (var name : section.keys()) {
            if (sets.putIfAbsent(name, section.optionalTexts(name, LONGEST_PHRASE)) != null) {
              section.refuse(name, "another file defines this set too; expected it once");
            }
          }
        }
      }
      this.phrases = new PhraseReader(sets, Set.of());
      files.forEach(file -> file.optionalSection("sets").ifPresent(this::check));
    }

    private void check(Section sets) {
      for (var name : sets.keys()) {
        var texts = sets.optionalTexts(name, LONGEST_PHRASE);
        for (int i = 0; i < texts.size(); i++) {
          try {
            phrases.part(texts.get(i));
          } catch (PhraseReader.Unreadable e) {
            sets.refuse(name, i, String.valueOf(e.getMessage()));
          }
        }
      }
    }

    /** Returns the phrases of a key; a missing key is a mistake. */
    public Phrases read(Section section, String key) {
      if (!section.has(key)) {
        section.refuse(key, "missing; expected a list of phrases");
      }
      var texts = section.optionalTexts(key, LONGEST_PHRASE);
      var read = new ArrayList<Phrase>();
      for (int i = 0; i < texts.size(); i++) {
        try {
          read.add(phrases.read(texts.get(i)));
        } catch (PhraseReader.Unreadable e) {
          section.refuse(key, i, String.valueOf(e.getMessage()));
        }
      }
      return new Phrases(read);
    }
  }

  /** Returns all phrases of several lists. */
  public static Phrases joined(Collection<Phrases> lists) {
    return new Phrases(lists.stream().flatMap(list -> list.all.stream()).toList());
  }

  /**
   * Returns the words of the longest place where one of the phrases is found, in lower case and
   * without accents, or empty if none is.
   *
   * @param except phrases that hide what they overlap
   */
  public Optional<String> find(Said said, Phrases except) {
    var sentence = said.sentence;
    var places = places(sentence);
    if (places.isEmpty()) {
      return Optional.empty();
    }
    var hidden = new BitSet();
    except.places(sentence).forEach(place -> hidden.set(place[0], place[1]));
    return places.stream()
        .filter(place -> hidden.get(place[0], place[1]).isEmpty())
        .max((one, other) -> Integer.compare(one[1] - one[0], other[1] - other[0]))
        .map(place -> words(sentence, place[0], place[1]));
  }

  private static String words(Sentence sentence, int from, int to) {
    var words = new ArrayList<String>();
    for (int at = from; at < to; at++) {
      words.add(sentence.word(at));
    }
    return String.join(" ", words);
  }

  /** Returns where phrases begin and end, the longest place at each beginning. */
  private List<int[]> places(Sentence sentence) {
    var steps = new Steps();
    var places = new ArrayList<int[]>();
    for (var it : index.candidates(sentence)) {
      var starts = it.starts();
      for (int start = starts.nextSetBit(0); start >= 0; start = starts.nextSetBit(start + 1)) {
        var ends = it.item().match(sentence, start, 1L, steps);
        if (ends > 1) {
          places.add(new int[] {start, start + 63 - Long.numberOfLeadingZeros(ends)});
        }
      }
    }
    return places;
  }
}
