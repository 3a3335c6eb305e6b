package org.habitline.flows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files under {@code prompts/}: read when first asked for, kept, and read again when they
 * change on disk, so that an edit takes effect with the next turn. A file that is missing falls
 * back to the text packaged under its name, else to the shared base prompt (seed 003), with a
 * warning.
 */
final class PromptFiles {

  /** The base prompt of every flow (seed 003). */
  static final String BASE = "conversation_system_3bot.txt";

  private static final Logger log = LoggerFactory.getLogger(PromptFiles.class);

  private record Stamp(FileTime modified, long size) {}

  private record Kept(Optional<Stamp> stamp, String content, String sha256, boolean builtIn) {}

  private final Path folder;
  private final Map<String, Kept> kept = new ConcurrentHashMap<>();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  PromptFiles(Path folder) {
    this.folder = folder;
  }

  /**
   * Returns the prompt.
   *
   * @throws BrokenFlow if the file is there and cannot be read, or nothing can stand in for it
   */
  Prompt read(Flow flow, String file) {
    var found = kept.compute(file, (name, before) -> current(name, Optional.ofNullable(before)));
    return new Prompt(
        file, flow.fill(found.content()), found.sha256(), found.content(), found.builtIn());
  }

  /** Returns whether a file is missing from a folder that is there: without one, none is expected. */
  boolean missing(String file) {
    return Files.isDirectory(folder) && !Files.exists(folder.resolve(file));
  }

  private Kept current(String file, Optional<Kept> before) {
    var stamp = stamp(file);
    if (before.isPresent() && before.get().stamp().equals(stamp)) {
      return before.get();
    }
    return stamp.isPresent() ? fromDisk(file, stamp) : builtIn(file);
  }

  private Optional<Stamp> stamp(String file) {
    var path = folder.resolve(file);
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Stamp(Files.getLastModifiedTime(path), Files.size(path)));
    } catch (IOException e) {
      throw unreadable(file);
    }
  }

  private Kept fromDisk(String file, Optional<Stamp> stamp) {
    try {
      var bytes = Files.readAllBytes(folder.resolve(file));
      var content = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      if (content.isBlank()) {
        throw new BrokenFlow(
            "prompts/" + file, "", "the file is blank; expected the text of a prompt");
      }
      return new Kept(stamp, content.strip(), sha256(bytes), false);
    } catch (CharacterCodingException e) {
      throw new BrokenFlow("prompts/" + file, "", "expected text in UTF-8");
    } catch (IOException e) {
      throw unreadable(file);
    }
  }

  private static BrokenFlow unreadable(String file) {
    return new BrokenFlow(
        "prompts/" + file,
        "",
        "the file is there but cannot be read; expected a readable text file");
  }

  private Kept builtIn(String file) {
    var bytes =
        Shipped.prompt(file)
            .or(() -> Shipped.prompt(BASE))
            .orElseThrow(() ->
                new BrokenFlow(
                    "prompts/" + file,
                    "",
                    "the file is missing and no packaged text can stand in"));
    if (missing(file) && warned.add(file)) {
      log.warn("{}", warning(file));
    }
    return new Kept(
        Optional.empty(), new String(bytes, StandardCharsets.UTF_8).strip(), sha256(bytes), true);
  }

  static String warning(String file) {
    return "prompts/" + file + " is missing; the text packaged with the program stands in.";
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
