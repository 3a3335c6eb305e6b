package org.habitline.protocol;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.habitline.config.Mistakes;
import org.habitline.config.Packaged;
import org.habitline.config.YamlText;

/**
 * Reads the languages in which Habitline can ask for consent: the packaged files {@code
 * config/consent/<language>.yaml}, and those of the home folder, which replace packaged ones of the
 * same name.
 */
final class ConsentLanguages {

  private static final String FOLDER = "config/consent";
  private static final String ENDING = ".yaml";

  private ConsentLanguages() {}

  /**
   * Returns the languages by name, such as {@code en}.
   *
   * @throws BrokenStudy with every mistake if a file cannot be used
   */
  static Map<String, ConsentLanguage> read(Path home) {
    var files = new TreeMap<String, Path>();
    files.putAll(files(Packaged.folder("shipped/" + FOLDER).orElseThrow()));
    files.putAll(files(home.resolve("config").resolve("consent")));
    var languages = new TreeMap<String, ConsentLanguage>();
    var mistakes = new ArrayList<String>();
    files.forEach((name, file) -> {
      var found = new Mistakes(FOLDER + "/" + name + ENDING);
      YamlText.parse(text(name, file), found)
          .ifPresent(root -> languages.put(name, ConsentLanguage.read(root)));
      mistakes.addAll(found.all());
    });
    if (!mistakes.isEmpty()) {
      throw new BrokenStudy(mistakes);
    }
    return languages;
  }

  private static Map<String, Path> files(Path folder) {
    if (!Files.isDirectory(folder)) {
      return Map.of();
    }
    var files = new TreeMap<String, Path>();
    try (var entries = Files.list(folder)) {
      for (var entry : entries.toList()) {
        var name = Objects.toString(entry.getFileName());
        if (name.endsWith(ENDING) && !name.startsWith(".")) {
          files.put(name.substring(0, name.length() - ENDING.length()), entry);
        }
      }
      return files;
    } catch (IOException e) {
      throw new BrokenStudy(
          List.of(FOLDER + ": the folder exists but cannot be read; expected a readable folder"));
    }
  }

  private static String text(String name, Path file) {
    var at = FOLDER + "/" + name + ENDING;
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new BrokenStudy(List.of(at + ": expected text in UTF-8"));
    } catch (IOException e) {
      throw new BrokenStudy(
          List.of(at + ": the file exists but cannot be read; expected a readable text file"));
    }
  }
}
