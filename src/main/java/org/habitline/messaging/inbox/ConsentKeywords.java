package org.habitline.messaging.inbox;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.habitline.config.LanguageFiles;
import org.habitline.protocol.BrokenStudy;

/**
 * The words that ask for STOP, START or HELP, and the rules for an opt-out in free words, from the
 * files {@code config/keywords/<language>.yaml}. The words of all languages count for everybody.
 * Safe for any number of threads.
 */
public final class ConsentKeywords {

  /** The folder of the keywords. */
  static final String FOLDER = "config/keywords";

  private final List<KeywordLanguage> languages;

  private ConsentKeywords(Collection<KeywordLanguage> languages) {
    this.languages = List.copyOf(languages);
  }

  /**
   * Reads the packaged files, and those of the home folder, which replace packaged ones of the same
   * name.
   *
   * @throws BrokenStudy with every mistake if a file cannot be used
   */
  public static ConsentKeywords read(Path home) {
    return of(LanguageFiles.read(home, FOLDER, KeywordLanguage::read));
  }

  private static ConsentKeywords of(LanguageFiles.Read<KeywordLanguage> read) {
    if (!read.mistakes().isEmpty()) {
      throw new BrokenStudy(read.mistakes());
    }
    return new ConsentKeywords(read.languages().values());
  }

  /**
   * Returns the request in the text, or empty if the text is for the coach.
   *
   * @param optedOut whether the sender is opted out now: only then are words such as {@code START}
   *     a request to opt in again
   */
  public Optional<ConsentKeyword> in(String text, boolean optedOut) {
    var plain = KeywordLanguage.plain(text);
    var word = PlainText.bare(plain);
    var stops = languages.stream().filter(language -> language.isStop(word)).toList();
    if (!stops.isEmpty()) {
      return Optional.of(
          stops.stream().anyMatch(KeywordLanguage::providerConfirms)
              ? ConsentKeyword.STOP
              : ConsentKeyword.REVOKE);
    }
    if (optedOut && languages.stream().anyMatch(language -> language.start().contains(word))) {
      return Optional.of(ConsentKeyword.START);
    }
    if (languages.stream().anyMatch(language -> language.help().contains(word))) {
      return Optional.of(ConsentKeyword.HELP);
    }
    return languages.stream().anyMatch(language -> language.revokes(text))
        ? Optional.of(ConsentKeyword.REVOKE)
        : Optional.empty();
  }

  /**
   * Returns the request in a text as it is stored. From someone who is opted out, an opt-out that
   * Habitline confirms counts as STOP, which gets no reply, because it is confirmed only once.
   */
  Optional<ConsentKeyword> stored(String text, boolean optedOut) {
    return in(text, optedOut)
        .map(wish -> wish == ConsentKeyword.REVOKE && optedOut ? ConsentKeyword.STOP : wish);
  }

  /**
   * Returns whether a text is a word for START that the provider knows too, so that it lifts the
   * provider's own block.
   */
  boolean isStartAtProvider(String text) {
    var word = PlainText.bare(KeywordLanguage.plain(text));
    return languages.stream()
        .filter(KeywordLanguage::providerConfirms)
        .anyMatch(language -> language.start().contains(word));
  }

  /** Returns whether a text may be a request, whoever sends it. */
  public boolean isAny(String text) {
    return in(text, true).isPresent();
  }

  /** Returns whether a text is a keyword for an opt-out, in any language, and nothing else. */
  boolean isStopWord(String text) {
    var word = PlainText.bare(KeywordLanguage.plain(text));
    return languages.stream().anyMatch(language -> language.isStop(word));
  }
}
