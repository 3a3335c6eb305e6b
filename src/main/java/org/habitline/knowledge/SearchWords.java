package org.habitline.knowledge;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.WordlistLoader;
import org.apache.lucene.analysis.charfilter.MappingCharFilter;
import org.apache.lucene.analysis.charfilter.NormalizeCharMap;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.snowball.SnowballFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/**
 * Turns texts into the words that are compared: without case, accents, English endings and English
 * words such as "what" and "the". Words of other languages are compared as they are, as far as
 * Porter's rules leave them alone, which treat a document and a query the same way.
 */
final class SearchWords extends Analyzer {

  private static final CharArraySet STOP_WORDS = stopWords();

  /** Characters that would join two words (UAX #29), as in {@code Note:this} or {@code my_file}. */
  private static final NormalizeCharMap SEPARATORS = separators();

  private static NormalizeCharMap separators() {
    var map = new NormalizeCharMap.Builder();
    map.add(":", " ");
    map.add("_", " ");
    return map.build();
  }

  private static CharArraySet stopWords() {
    try {
      return WordlistLoader.getSnowballWordSet(
          SnowballFilter.class.getResourceAsStream("english_stop.txt"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected Reader initReader(String field, Reader text) {
    return new MappingCharFilter(SEPARATORS, text);
  }

  @Override
  protected TokenStreamComponents createComponents(String field) {
    var words = new StandardTokenizer();
    var lower = new LowerCaseFilter(new EnglishPossessiveFilter(words));
    var folded = new ASCIIFoldingFilter(new StopFilter(lower, STOP_WORDS));
    return new TokenStreamComponents(words, new PorterStemFilter(folded));
  }

  /** Replaces half characters; one at the end makes Lucene's tokenizer lose the whole text. */
  static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  /** Returns the first different words of a text, at most this many. */
  Set<String> of(String text, int most) {
    var words = new LinkedHashSet<String>();
    try (var stream = tokenStream("query", wellFormed(text))) {
      var word = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (words.size() < most && stream.incrementToken()) {
        words.add(word.toString());
      }
      return words;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
