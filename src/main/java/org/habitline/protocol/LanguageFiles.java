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
import java.util.function.Function;
import org.habitline.config.Mistakes;
import org.habitline.config.Packaged;
import org.habitline.config.Section;
import org.habitline.config.YamlText;

/**
 * Reads a folder that has one file for each language: the packaged files {@code
 * config/<folder>/<language>.yaml}, and those of the home folder, which replace packaged ones of
 * the same name.
 */
final class LanguageFiles {

  private static final String ENDING = ".yaml";

  private LanguageFiles() {}

  /**
   * Returns what the files hold, by language such as {@code en}.
   *
   * @param folder the folder in the home folder, such as {@code config/consent}
   * @throws BrokenStudy with every mistake if a file cannot be used
   */
  static <T> Map<String, T> read(Path home, String folder, Function<Section, T> reader) {
    var files = new TreeMap<String, Path>();
    files.putAll(files(folder, Packaged.folder("shipped/" + folder).orElseThrow()));
    files.putAll(files(folder, home.resolve(folder)));
    var languages = new TreeMap<String, T>();
    var mistakes = new ArrayList<String>();
    files.forEach((name, file) -> {
      var at = folder + "/" + name + ENDING;
      var found = new Mistakes(at);
      YamlText.parse(text(at, file), found)
          .ifPresent(root -> languages.put(name, reader.apply(root)));
      mistakes.addAll(found.all());
    });
    if (!mistakes.isEmpty()) {
      throw new BrokenStudy(mistakes);
    }
    return languages;
  }

  private static Map<String, Path> files(String at, Path folder) {
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
          List.of(at + ": the folder exists but cannot be read; expected a readable folder"));
    }
  }

  private static String text(String at, Path file) {
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
