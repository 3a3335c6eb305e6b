package org.habitline.protocol;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.habitline.config.LanguageFiles;
import org.habitline.config.Section;

/** Reads the words of a study, one file for each language. */
final class WordFiles {

  private WordFiles() {}

  /**
   * Returns what the files hold, by language such as {@code en}.
   *
   * @param folder the folder in the home folder, such as {@code config/consent}
   * @throws BrokenStudy with every mistake if a file cannot be used
   */
  static <T> Map<String, T> read(Path home, String folder, Function<Section, T> reader) {
    var read = LanguageFiles.read(home, folder, reader);
    if (!read.mistakes().isEmpty()) {
      throw new BrokenStudy(read.mistakes());
    }
    return read.languages();
  }
}
