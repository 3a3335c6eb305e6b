package org.habitline.safety.rules;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.habitline.config.Packaged;

/**
 * Reads the {@code .yaml} files in each language's folder of a folder of {@code config}. A file in
 * the home folder replaces the packaged file of the same name, and adds to the packaged ones
 * otherwise.
 */
public final class RuleFiles {

  /** The folder of the crisis rules in {@code config}. */
  static final String SAFETY = "safety";

  private static final String PACKAGED = "shipped/";

  private RuleFiles() {}

  /**
   * Returns the files in force, in the order of their names.
   *
   * @param folder the folder in {@code config}, such as {@code safety}
   * @throws BrokenRules if a file cannot be read
   */
  public static List<RuleFile> read(Path home, String folder) {
    var shown = "config/" + folder;
    var files = languages(shown, Packaged.folder(PACKAGED + shown).orElseThrow());
    files.putAll(languages(shown, home.resolve("config").resolve(folder)));
    return List.copyOf(files.values());
  }

  private static Map<String, RuleFile> languages(String shown, Path folder) {
    var files = new TreeMap<String, RuleFile>();
    for (var language : entries(folder, shown)) {
      if (Files.isDirectory(language)) {
        var name = name(language);
        var at = shown + "/" + name;
        for (var file : entries(language, at)) {
          file(name, at, file, files);
        }
      }
    }
    return files;
  }

  private static void file(String language, String folder, Path file, Map<String, RuleFile> files) {
    var at = folder + "/" + name(file);
    if (at.endsWith(".yml")) {
      throw broken(at, "expected a file name that ends in .yaml, not .yml");
    }
    if (at.endsWith(".yaml")) {
      files.put(at, new RuleFile(language, at, text(at, file)));
    }
  }

  private static List<Path> entries(Path folder, String at) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var entries = Files.list(folder)) {
      return entries.filter(entry -> !name(entry).startsWith(".")).sorted().toList();
    } catch (IOException e) {
      throw broken(at, "the folder exists but cannot be read; expected a readable folder");
    }
  }

  private static String name(Path path) {
    // A folder in a jar has a slash at the end of its name.
    return Objects.toString(path.getFileName()).replace("/", "");
  }

  private static String text(String at, Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw broken(at, "expected text in UTF-8");
    } catch (IOException e) {
      throw broken(at, "the file exists but cannot be read; expected a readable text file");
    }
  }

  private static BrokenRules broken(String at, String expected) {
    return new BrokenRules(List.of(at + ": " + expected));
  }
}
