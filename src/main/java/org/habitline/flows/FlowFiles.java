package org.habitline.flows;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the flow files of a folder: {@code flow.yaml} in each folder below it. Other folders, such
 * as a backup, are left out with a warning; a YAML file beside them is a mistake.
 */
final class FlowFiles {

  static final String FLOW = "flow.yaml";

  /** What the rehearsal's script understands in a flow. */
  static final String PHRASES = "rehearsal.yaml";

  /** The folder of a flow's texts in other languages. */
  static final String LANGUAGES = "languages";

  /** The folder of flows in error messages. */
  static final String FLOWS = "config/flows";

  /** The ending of the files of a flow's languages. */
  static final String YAML = ".yaml";

  private static final Logger log = LoggerFactory.getLogger(FlowFiles.class);

  private FlowFiles() {}

  /**
   * Returns the file of every flow, in the order of their names; empty if there is no such folder.
   *
   * @throws BrokenFlow if the folder cannot be read
   */
  static List<FlowFile> read(Path folder) {
    var files = new TreeMap<String, FlowFile>();
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (var entries = Files.newDirectoryStream(folder)) {
      for (var entry : entries) {
        // A folder in a jar has a slash at the end of its name.
        var name = Objects.toString(entry.getFileName()).replace("/", "");
        if (!name.startsWith(".")) {
          file(name, entry).ifPresent(file -> files.put(file.at(), file));
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw new BrokenFlow(FLOWS, "expected a folder that can be read");
    }
    return List.copyOf(files.values());
  }

  private static Optional<FlowFile> file(String name, Path entry) {
    var at = FLOWS + "/" + name;
    if (Files.isDirectory(entry)) {
      if (!Files.exists(entry.resolve(FLOW))) {
        log.warn("{}/{} is missing; its folder is not read as a flow", at, FLOW);
        return Optional.empty();
      }
      return Optional.of(inFolder(entry, at, name));
    }
    if (!name.endsWith(YAML) && !name.endsWith(".yml")) {
      return Optional.empty();
    }
    var id = name.substring(0, name.lastIndexOf('.'));
    var moved = FLOWS + "/" + id + "/" + FLOW;
    return Optional.of(
        new FlowFile(
            at,
            id,
            refused(at, "expected a folder for each flow; move this file to " + moved),
            Optional.empty()));
  }

  /**
   * Returns the file of a flow's folder.
   *
   * @param at where the folder is, for messages
   */
  static FlowFile inFolder(Path folder, String at) {
    return inFolder(folder, at, Objects.toString(folder.getFileName()));
  }

  private static FlowFile inFolder(Path folder, String at, String name) {
    var file = at + "/" + FLOW;
    var phrases = folder.resolve(PHRASES);
    return new FlowFile(
        file,
        name,
        text(file, folder.resolve(FLOW)),
        Files.exists(phrases) ? Optional.of(text(at + "/" + PHRASES, phrases)) : Optional.empty(),
        languages(folder.resolve(LANGUAGES), at + "/" + LANGUAGES));
  }

  private static SortedMap<String, Supplier<String>> languages(Path folder, String at) {
    var languages = new TreeMap<String, Supplier<String>>();
    if (!Files.isDirectory(folder)) {
      return languages;
    }
    try (var entries = Files.newDirectoryStream(folder)) {
      for (var entry : entries) {
        var name = Objects.toString(entry.getFileName());
        var file = at + "/" + name;
        if (name.startsWith(".")) {
          continue;
        }
        if (name.endsWith(YAML)) {
          languages.put(name.substring(0, name.length() - YAML.length()), text(file, entry));
        } else if (name.endsWith(".yml")) {
          languages.put(name, refused(file, "expected a file name that ends in .yaml, not .yml"));
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw new BrokenFlow(at, "expected a folder that can be read");
    }
    return languages;
  }

  /** Reads a file now, because the jar that it may be in is closed before its text is needed. */
  private static Supplier<String> text(String at, Path file) {
    try {
      var text = Files.readString(file);
      return () -> text;
    } catch (CharacterCodingException e) {
      return refused(at, "expected text in UTF-8");
    } catch (IOException e) {
      return refused(at, "the file exists but cannot be read; expected a readable text file");
    }
  }

  private static Supplier<String> refused(String at, String expected) {
    return () -> {
      throw new BrokenFlow(at, expected);
    };
  }
}
