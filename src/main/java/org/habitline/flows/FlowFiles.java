package org.habitline.flows;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the flow files of a folder: the {@code .yaml} files in it, but not in folders below. */
final class FlowFiles {

  private FlowFiles() {}

  /** Returns the YAML of every flow by file name; empty if there is no such folder. */
  static SortedMap<String, String> read(Path folder) {
    var files = new TreeMap<String, String>();
    if (!Files.exists(folder)) {
      return files;
    }
    try (var entries = Files.newDirectoryStream(folder)) {
      for (var entry : entries) {
        var name = Objects.toString(entry.getFileName());
        if (name.startsWith(".") || Files.isDirectory(entry)) {
          continue;
        }
        if (name.endsWith(".yml")) {
          throw new BrokenFlow(at(name), "expected a file name that ends in .yaml, not .yml");
        }
        if (name.endsWith(".yaml")) {
          files.put(name, text(name, entry));
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw new BrokenFlow("config/flows", "expected a folder that can be read");
    }
    return files;
  }

  private static String text(String name, Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new BrokenFlow(at(name), "expected text in UTF-8");
    } catch (IOException e) {
      throw new BrokenFlow(
          at(name), "the file exists but cannot be read; expected a readable text file");
    }
  }

  /** Returns the name of a flow file in error messages. */
  static String at(String name) {
    return "config/flows/" + name;
  }
}
