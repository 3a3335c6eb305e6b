package org.habitline.flows;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the flow files of a folder: {@code flow.yaml} in each folder below it, and, as versions
 * before did, the {@code .yaml} files in it. Other folders, such as a backup, are left out with a
 * warning.
 */
final class FlowFiles {

  static final String FLOW = "flow.yaml";

  /** What the rehearsal's script understands in a flow. */
  static final String PHRASES = "rehearsal.yaml";

  /** The folder of flows in error messages. */
  static final String FLOWS = "config/flows";

  static final String YAML = ".yaml";

  private static final Logger log = LoggerFactory.getLogger(FlowFiles.class);

  private FlowFiles() {}

  /**
   * Returns the file of every flow, in the order of their names; empty if there is no such folder.
   *
   * @throws BrokenFlow if a file cannot be read
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
    if (Files.isDirectory(entry)) {
      var at = FLOWS + "/" + name + "/" + FLOW;
      var file = entry.resolve(FLOW);
      if (!Files.exists(file)) {
        log.warn("{} is missing; its folder is not read as a flow", at);
        return Optional.empty();
      }
      var phrases = entry.resolve(PHRASES);
      return Optional.of(
          new FlowFile(
              at,
              Optional.of(name),
              text(at, file),
              Files.exists(phrases)
                  ? Optional.of(text(FLOWS + "/" + name + "/" + PHRASES, phrases))
                  : Optional.empty()));
    }
    var at = FLOWS + "/" + name;
    if (name.endsWith(".yml")) {
      throw new BrokenFlow(at, "expected a file name that ends in .yaml, not .yml");
    }
    return name.endsWith(YAML)
        ? Optional.of(new FlowFile(at, Optional.empty(), text(at, entry), Optional.empty()))
        : Optional.empty();
  }

  private static String text(String at, Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new BrokenFlow(at, "expected text in UTF-8");
    } catch (IOException e) {
      throw new BrokenFlow(at, "the file exists but cannot be read; expected a readable text file");
    }
  }
}
