package org.habitline.conversation.configuration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.habitline.Hashes;
import org.habitline.conversation.configuration.FileInForce.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the files under {@code config} that are in force from a start to the next. Left out are the
 * program's settings ({@code application.yml}), which may hold secrets, prompt files, and hidden
 * files. A file that cannot be read is left out with a warning.
 */
final class ConfigurationFiles {

  private static final Logger log = LoggerFactory.getLogger(ConfigurationFiles.class);

  private static final String SETTINGS = "application";
  private static final String FLOWS = "flows";
  private static final String PROMPTS = "prompts";
  private static final String DOCUMENTS = "knowledge";

  /** The longest file whose text is kept; {@code shared_content} holds a little more. */
  private static final long LONGEST_TEXT = 1_000_000;

  private ConfigurationFiles() {}

  /**
   * A file as it was read.
   *
   * @param text its text if it is kept, or {@code null} for a document and for what is no text
   */
  record Read(FileInForce file, @Nullable String text) {}

  /** Returns the files of a folder, in the order of their paths; none if there is no folder. */
  static List<Read> in(Path config) {
    var files = new ArrayList<Read>();
    if (!Files.isDirectory(config)) {
      return files;
    }
    try (var found = Files.walk(config, FileVisitOption.FOLLOW_LINKS)) {
      found
          .filter(Files::isRegularFile)
          .map(config::relativize)
          .filter(ConfigurationFiles::isConfiguration)
          .sorted()
          .forEach(path -> add(files, config, path));
    } catch (IOException | UncheckedIOException e) {
      log.warn(
          "The folder {} cannot be read completely; the record of the configuration lacks files of it",
          config);
    }
    return files;
  }

  private static boolean isConfiguration(Path path) {
    var isFlow = path.getNameCount() > 2 && path.startsWith(FLOWS);
    return names(path).noneMatch(name -> name.startsWith("."))
        && !(path.getNameCount() == 1 && path.toString().startsWith(SETTINGS))
        && !(isFlow && path.getName(2).toString().equals(PROMPTS));
  }

  private static Stream<String> names(Path path) {
    return StreamSupport.stream(path.spliterator(), false).map(Path::toString);
  }

  private static void add(List<Read> files, Path config, Path path) {
    try {
      files.add(read(config, path));
    } catch (IOException e) {
      log.warn("config/{} cannot be read; the record of the configuration lacks it", path);
    }
  }

  private static Read read(Path config, Path path) throws IOException {
    var file = config.resolve(path);
    var kind = kind(path);
    var name = "config/" + String.join("/", names(path).toList());
    var size = Files.size(file);
    if (kind == Kind.DOCUMENT || size > LONGEST_TEXT) {
      try (var stream = Files.newInputStream(file)) {
        return new Read(new FileInForce(name, kind, Hashes.sha256(stream), size), null);
      }
    }
    var bytes = Files.readAllBytes(file);
    return new Read(new FileInForce(name, kind, Hashes.sha256(bytes), bytes.length), text(bytes));
  }

  private static Kind kind(Path path) {
    if (path.getNameCount() == 1) {
      return Kind.STUDY;
    }
    if (!path.startsWith(FLOWS)) {
      return Kind.WORDS;
    }
    return path.getNameCount() > 2 && path.getName(2).toString().equals(DOCUMENTS)
        ? Kind.DOCUMENT
        : Kind.FLOW;
  }

  /** Returns the text, or {@code null} if these bytes are none that a database can hold. */
  private static @Nullable String text(byte[] bytes) {
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.indexOf('\0') < 0 ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
