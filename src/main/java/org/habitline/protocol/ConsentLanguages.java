package org.habitline.protocol;

import java.nio.file.Path;
import java.util.Map;
import org.habitline.config.LanguageFiles;

/** Reads the languages in which Habitline can ask for consent, from {@code config/consent}. */
final class ConsentLanguages {

  private ConsentLanguages() {}

  /**
   * Returns the languages by name, such as {@code en}.
   *
   * @throws BrokenStudy with every mistake if a file cannot be used
   */
  static Map<String, ConsentLanguage> read(Path home) {
    var read = LanguageFiles.read(home, "config/consent", ConsentLanguage::read);
    if (!read.mistakes().isEmpty()) {
      throw new BrokenStudy(read.mistakes());
    }
    return read.languages();
  }
}
