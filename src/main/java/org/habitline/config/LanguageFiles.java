package org.habitline.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Reads a folder of {@code config} that has one file for each language: the packaged files {@code
 * <language>.yaml}, and those of the home folder, which replace packaged ones of the same name.
 */
public final class LanguageFiles {

  private static final String ENDING = ".yaml";

  private LanguageFiles() {}

  /**
   * What was read of a folder.
   *
   * @param languages by name, such as {@code en}
   * @param mistakes one sentence each; the languages can be used only if there is none
   */
  public record Read<T>(Map<String, T> languages, List<String> mistakes) {
    public Read {
      mistakes = List.copyOf(mistakes);
    }
  }

  /**
   * Returns the languages of a folder.
   *
   * @param folder such as {@code config/consent}
   * @param language reads one file; its mistakes are added to the section
   */
  public static <T> Read<T> read(Path home, String folder, Function<Section, T> language) {
    var mistakes = new ArrayList<String>();
    var files = new TreeMap<String, Path>();
    files.putAll(files(Packaged.folder("shipped/" + folder).orElseThrow(), folder, mistakes));
    files.putAll(files(home.resolve(folder), folder, mistakes));
    var languages = new TreeMap<String, T>();
    files.forEach((name, file) -> {
      var found = new Mistakes(folder + "/" + name + ENDING);
      text(file, found)
          .flatMap(yaml -> YamlText.parse(yaml, found))
          .ifPresent(root -> languages.put(name, language.apply(root)));
      mistakes.addAll(found.all());
    });
    return new Read<>(languages, mistakes);
  }

  private static Map<String, Path> files(Path folder, String shown, List<String> mistakes) {
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
    } catch (IOException e) {
      mistakes.add(shown + ": the folder exists but cannot be read; expected a readable folder");
    }
    return files;
  }

  private static Optional<String> text(Path file, Mistakes mistakes) {
    try {
      return Optional.of(Files.readString(file));
    } catch (CharacterCodingException e) {
      mistakes.add("expected text in UTF-8");
    } catch (IOException e) {
      mistakes.add("the file exists but cannot be read; expected a readable text file");
    }
    return Optional.empty();
  }
}
