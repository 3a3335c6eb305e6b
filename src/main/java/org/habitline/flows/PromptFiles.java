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
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the files under {@code prompts/}. A file is read when it is first needed, and again when it
 * changes on disk, so that an edit takes effect with the next turn. If an edit cannot be used, or
 * the file disappears, the text that was read before stays in use.
 *
 * <p>If a file is missing at startup, the program does not start. Flows packaged with the program
 * are the exception: they use the text packaged under the file's name, or else the shared base
 * prompt (seed 003), with a warning. Other flows never use these texts, which are written for the
 * habit coach.
 */
final class PromptFiles {

  /** The base prompt of a module that names no file (seed 003). */
  static final String BASE = "conversation_system_3bot.txt";

  private static final Logger log = LoggerFactory.getLogger(PromptFiles.class);

  /** Identifies one version of a file. The key, if the system has one, reveals a replaced file. */
  private record Stamp(FileTime modified, long size, @Nullable Object key) {}

  /** Identifies a file with the texts of one flow filled in. */
  private record Key(String flow, String file) {}

  private record Kept(Stamp stamp, Prompt prompt) {}

  private final Path folder;
  private final boolean expected;
  private final Map<Key, Kept> kept = new ConcurrentHashMap<>();

  /** Packaged texts, each read only once because they never change. */
  private final Map<Key, Prompt> shipped = new ConcurrentHashMap<>();

  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * Creates a reader of a folder.
   *
   * @param expected whether to warn about a missing file
   */
  PromptFiles(Path folder, boolean expected) {
    this.folder = folder;
    this.expected = expected;
  }

  /**
   * Returns the prompt.
   *
   * @throws BrokenFlow if the file was never read before and is missing or cannot be used
   */
  Prompt read(Flow flow, String file) {
    var key = new Key(flow.id(), file);
    var path = folder.resolve(file);
    if (Files.exists(path)) {
      warned.remove(missing(key));
      return fromDisk(flow, key, path);
    }
    if (missing(file) && warned.add(missing(key))) {
      log.warn("{}", warning(flow, file));
    }
    var before = kept.get(key);
    return before == null ? builtIn(flow, key) : before.prompt();
  }

  /** Returns whether a file that should be on disk is missing now. */
  boolean missing(String file) {
    return expected && !Files.exists(folder.resolve(file));
  }

  private Prompt fromDisk(Flow flow, Key key, Path path) {
    var before = kept.get(key);
    try {
      var stamp = stamp(key.file(), path);
      if (before != null && before.stamp().equals(stamp)) {
        return before.prompt();
      }
      // A change after this stamp and before the reading shows in the next stamp.
      var now = new Kept(stamp, prompt(flow, key.file(), path));
      kept.put(key, now);
      warned.remove(broken(key));
      return now.prompt();
    } catch (BrokenFlow e) {
      if (before == null) {
        throw e;
      }
      if (warned.add(broken(key))) {
        log.warn("{}; Habitline keeps using the text that it read before", e.getMessage());
      }
      return before.prompt();
    }
  }

  private static String missing(Key key) {
    return "missing " + key;
  }

  private static String broken(Key key) {
    return "broken " + key;
  }

  private static Stamp stamp(String file, Path path) {
    try {
      var attributes = Files.readAttributes(path, BasicFileAttributes.class);
      return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    } catch (IOException e) {
      throw unreadable(file);
    }
  }

  private static Prompt prompt(Flow flow, String file, Path path) {
    if (Files.isDirectory(path)) {
      throw broken(file, "expected a text file, found a folder");
    }
    try {
      return prompt(flow, file, Files.readAllBytes(path), false);
    } catch (IOException e) {
      throw unreadable(file);
    }
  }

  private static Prompt prompt(Flow flow, String file, byte[] bytes, boolean builtIn) {
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      if (text.isBlank()) {
        throw broken(file, "the file is blank; expected the text of a prompt");
      }
      flow.unknownPlaceholder(text)
          .ifPresent(unknown -> {
            throw broken(
                file,
                "unknown placeholder "
                    + unknown
                    + "; expected "
                    + String.join(" or ", flow.placeholders().keySet())
                    + (unknown.equals(Flow.DAILY_PROMPT_AT)
                        ? ", because the flow '" + flow.id() + "' has no daily_prompt"
                        : ""));
          });
      return new Prompt(file, flow.fill(text), DigestUtils.sha256Hex(bytes), text, builtIn);
    } catch (CharacterCodingException e) {
      throw broken(file, "expected text in UTF-8");
    }
  }

  private static BrokenFlow unreadable(String file) {
    return broken(file, "the file exists but cannot be read; expected a readable text file");
  }

  private static BrokenFlow broken(String file, String sentence) {
    return new BrokenFlow("prompts/" + file, sentence);
  }

  private Prompt builtIn(Flow flow, Key key) {
    var before = shipped.get(key);
    if (before != null) {
      return before;
    }
    if (!Shipped.isFlow(flow.id())) {
      throw broken(
          key.file(),
          "the file is missing; expected it because the flow '"
              + flow.id()
              + "' has no built-in text");
    }
    var bytes = Shipped.prompt(key.file());
    if (bytes.isPresent()) {
      var prompt = prompt(flow, key.file(), bytes.get(), true);
      shipped.put(key, prompt);
      return prompt;
    }
    if (key.file().equals(BASE)) {
      throw new IllegalStateException("the program was packaged without prompts/" + BASE);
    }
    var base = read(flow, BASE);
    return new Prompt(key.file(), base.text(), base.sha256(), base.content(), base.builtIn());
  }

  /** Returns the warning about a missing file, for staff. */
  String warning(Flow flow, String file) {
    return "prompts/" + file + " is missing; " + instead(new Key(flow.id(), file));
  }

  private String instead(Key key) {
    if (kept.containsKey(key)) {
      return "Habitline keeps using the text that it read before";
    }
    return Shipped.prompt(key.file()).isPresent()
        ? "Habitline uses the text packaged with the program"
        : "Habitline uses the shared base prompt " + BASE;
  }
}
