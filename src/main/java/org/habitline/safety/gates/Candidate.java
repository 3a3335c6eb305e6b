package org.habitline.safety.gates;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.habitline.Patterns;

/** A text that a model wrote for a participant, with what it was shown and what it has done. */
public record Candidate(String text, Shown shown, Done done) {

  private static final Pattern BETWEEN_SENTENCES = Pattern.compile("(?<=[.!?…])[\\s\"”’)]+|\\n+");

  private static final int MOST_KEPT = 1_000;

  /** The flows' own texts as they are compared. */
  private static final LoadingCache<String, String> LITERAL =
      Caffeine.newBuilder().maximumSize(MOST_KEPT).build(Candidate::plain);

  /** Returns the sentences, without those that stand in a text of the flow. */
  List<String> sentences() {
    var literal = shown.literal().stream().map(LITERAL::get).toList();
    var sentences = new ArrayList<String>();
    for (var sentence : BETWEEN_SENTENCES.split(Patterns.foldBlanks(text), -1)) {
      var plain = plain(sentence);
      if (!plain.isEmpty() && literal.stream().noneMatch(own -> own.contains(plain))) {
        sentences.add(sentence);
      }
    }
    return sentences;
  }

  private static String plain(String text) {
    return Patterns.foldBlanks(text).replace('\n', ' ').strip().toLowerCase(Locale.ROOT);
  }
}
