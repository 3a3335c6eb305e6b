package org.habitline.flows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files under {@code prompts/}: read when first asked for, kept, and read again when they
 * change on disk, so that an edit takes effect with the next turn. A file that is missing falls
 * back to the text packaged under its name, else to the shared base prompt (seed 003), with a
 * warning. An edit that cannot be used leaves the text before it in force.
 */
final class PromptFiles {

  /** The base prompt of every flow (seed 003). */
  static final String BASE = "conversation_system_3bot.txt";

  private static final Logger log = LoggerFactory.getLogger(PromptFiles.class);
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\s*([\\w.-]+)\\s*}}");

  /** What tells one state of a file from another; the key, where there is one, sees a swap. */
  private record Stamp(FileTime modified, long size, @Nullable Object key) {}

  private record Content(String text, String sha256, boolean builtIn) {}

  private record Kept(Stamp stamp, Content content) {}

  private final Path folder;
  private final boolean expected;
  private final Map<String, Kept> kept = new ConcurrentHashMap<>();

  /** What was packaged with the program stays as it is, and is read once. */
  private final Map<String, Content> shipped = new ConcurrentHashMap<>();

  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * Reads from a folder.
   *
   * @param expected whether a file missing there is worth a warning
   */
  PromptFiles(Path folder, boolean expected) {
    this.folder = folder;
    this.expected = expected;
  }

  /**
   * Returns the prompt.
   *
   * @throws BrokenFlow if the file is there, cannot be used, and was never read before
   */
  Prompt read(Flow flow, String file) {
    var found = find(file);
    return new Prompt(file, flow.fill(found.text()), found.sha256(), found.text(), found.builtIn());
  }

  /** Returns whether a file that is expected on disk is not there now. */
  boolean missing(String file) {
    return expected && !Files.exists(folder.resolve(file));
  }

  private Content find(String file) {
    var path = folder.resolve(file);
    if (Files.exists(path)) {
      warned.remove(file);
      return fromDisk(file, path);
    }
    kept.remove(file);
    if (missing(file) && warned.add(file)) {
      log.warn("{}", warning(file));
    }
    return builtIn(file);
  }

  private Content fromDisk(String file, Path path) {
    var before = kept.get(file);
    try {
      var stamp = stamp(file, path);
      if (before != null && before.stamp().equals(stamp)) {
        return before.content();
      }
      // A change between the stamp and the reading shows in the next stamp.
      var now = new Kept(stamp, content(file, path));
      kept.put(file, now);
      warned.remove(broken(file));
      return now.content();
    } catch (BrokenFlow e) {
      if (before == null) {
        throw e;
      }
      if (warned.add(broken(file))) {
        log.warn("{}; the text read before stays in force", e.getMessage());
      }
      return before.content();
    }
  }

  private static String broken(String file) {
    return "broken " + file;
  }

  private static Stamp stamp(String file, Path path) {
    try {
      var attributes = Files.readAttributes(path, BasicFileAttributes.class);
      return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    } catch (IOException e) {
      throw unreadable(file);
    }
  }

  private static Content content(String file, Path path) {
    if (Files.isDirectory(path)) {
      throw new BrokenFlow("prompts/" + file, "expected a text file, found a folder");
    }
    try {
      return content(file, Files.readAllBytes(path), false);
    } catch (IOException e) {
      throw unreadable(file);
    }
  }

  private static Content content(String file, byte[] bytes, boolean builtIn) {
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      if (text.isBlank()) {
        throw new BrokenFlow("prompts/" + file, "the file is blank; expected the text of a prompt");
      }
      PLACEHOLDER
          .matcher(text)
          .results()
          .filter(found -> !found.group().equals(Flow.RESOURCES))
          .findFirst()
          .ifPresent(found -> {
            throw new BrokenFlow(
                "prompts/" + file,
                "unknown placeholder " + found.group() + "; expected " + Flow.RESOURCES);
          });
      return new Content(text, DigestUtils.sha256Hex(bytes), builtIn);
    } catch (CharacterCodingException e) {
      throw new BrokenFlow("prompts/" + file, "expected text in UTF-8");
    }
  }

  private static BrokenFlow unreadable(String file) {
    return new BrokenFlow(
        "prompts/" + file, "the file is there but cannot be read; expected a readable text file");
  }

  private Content builtIn(String file) {
    var before = shipped.get(file);
    if (before != null) {
      return before;
    }
    var bytes = Shipped.prompt(file);
    if (bytes.isPresent()) {
      var content = content(file, bytes.get(), true);
      shipped.put(file, content);
      return content;
    }
    if (file.equals(BASE)) {
      throw new IllegalStateException("the program was packaged without prompts/" + BASE);
    }
    return find(BASE);
  }

  /** What staff read about a file that is missing. */
  static String warning(String file) {
    return "prompts/"
        + file
        + " is missing; "
        + (Shipped.prompt(file).isPresent()
            ? "the text packaged with the program stands in"
            : "the shared base prompt " + BASE + " stands in");
  }
}
