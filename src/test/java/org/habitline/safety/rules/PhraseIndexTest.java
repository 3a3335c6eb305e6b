package org.habitline.safety.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.habitline.Seeds;
import org.habitline.safety.rules.Phrase.Steps;
import org.junit.jupiter.api.Test;

/** The index leaves out only places where a phrase cannot be found. */
final class PhraseIndexTest {

  /** One for each part of the notation, and for each way in which a phrase can begin. */
  private static final List<String> PHRASES =
      List.of(
          "want to die",
          "(really )?want die",
          "(i | we)? want",
          "^ die",
          "^ (so)? want",
          "<pause> no more",
          "<number> pills",
          "(<number>)? pills",
          "<quote> die",
          "(i)? ..2 die",
          "(no)? ... pills",
          "(not | no more)? want",
          "kill* me",
          "(kill*|<number>) me",
          "<me> die",
          "(<me>)? (so)? kill*",
          "die $",
          "(die $ | want)");

  private static final List<String> WORDS =
      List.of(
          "i", "we", "want", "to", "die", "really", "so", "no", "more", "not", "kills", "killed",
          "me", "20", "pills", "\"", ".", ",", "\n");

  @Test
  void aPhraseIsFoundWhereverItIs() {
    var phrases = PHRASES.stream().map(PhraseIndexTest::read).toList();
    var index = new PhraseIndex<Phrase>();
    phrases.forEach(phrase -> index.add(phrase, phrase));
    Seeds.each(
        200,
        seed -> {
          var sentence = new Sentence(Tokenizer.tokens(words(new SplittableRandom(seed))));
          var all = new TreeSet<String>();
          for (var phrase : phrases) {
            for (int start = 0; start < sentence.size(); start++) {
              if (isAt(phrase, sentence, start)) {
                all.add(start + " " + phrase);
              }
            }
          }
          var found = new TreeSet<String>();
          for (var candidate : index.candidates(sentence)) {
            candidate.starts().stream()
                .filter(start -> isAt(candidate.item(), sentence, start))
                .forEach(start -> found.add(start + " " + candidate.item()));
          }
          assertThat(found).isEqualTo(all);
        });
  }

  private static Phrase read(String text) {
    try {
      return new PhraseReader(Map.of("me", List.of("i", "me", "we all")), Set.of()).read(text);
    } catch (PhraseReader.Unreadable e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static boolean isAt(Phrase phrase, Sentence sentence, int start) {
    return phrase.match(sentence, start, 1L, new Steps()) != 0;
  }

  private static String words(SplittableRandom random) {
    var words = new StringBuilder();
    for (int i = 0; i < 12; i++) {
      words.append(WORDS.get(random.nextInt(WORDS.size()))).append(' ');
    }
    return words.toString();
  }
}
