package org.habitline.flows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.Hashes;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads prompt files: of the flow's own folder {@code prompts}, else of the folder {@code prompts}
 * that flows share. A file is read when it is first needed, and again when it changes on disk, so
 * that an edit takes effect with the next turn. If an edit cannot be used, or the file disappears,
 * the text that was read before stays in use.
 *
 * <p>If a file is missing at startup, the program does not start. A flow packaged with the program
 * is the exception: it uses its packaged text, with a warning. A packaged flow without prompts of
 * its own uses the packaged shared prompts, and in place of an unknown one the shared base prompt
 * (seed 003).
 *
 * <p>A translated flow reads each file in the folder of its language first, such as {@code
 * prompts/es/}; a file that is missing there is read in the flow's standard language.
 */
final class PromptFiles {

  /** The base prompt of a module that names no file (seed 003). */
  static final String BASE = "conversation_system_3bot.txt";

  /** The name of a folder of prompt files. */
  static final String FOLDER = "prompts";

  /** In UTF-16, as the database counts; no model reads that much. */
  private static final int LONGEST = 1_000_000;

  private static final Pattern COMMENT = Pattern.compile("<!--.*?-->\\s*", Pattern.DOTALL);

  private static final Logger log = LoggerFactory.getLogger(PromptFiles.class);

  /** Identifies one version of a file. The key, if the system has one, reveals a replaced file. */
  private record Stamp(FileTime modified, long size, @Nullable Object key) {}

  /** Identifies a file with the texts of one flow filled in. */
  private record Key(String flow, String language, String file) {

    Key(Flow flow, String file) {
      this(flow.id(), flow.languages().own(), file);
    }
  }

  private record Kept(Path path, Stamp stamp, Prompt prompt) {}

  private final Path shared;
  private final Function<String, Optional<PromptFolder>> own;
  private final Predicate<String> expected;
  private final Map<Key, Kept> kept = new ConcurrentHashMap<>();

  /** Packaged texts, each read only once because they never change. */
  private final Map<Key, Prompt> shipped = new ConcurrentHashMap<>();

  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /** Grows with every other content that is read. */
  private final AtomicLong edition = new AtomicLong();

  /**
   * Creates a reader.
   *
   * @param shared the folder of the prompts that flows share
   * @param own the folder of a flow's own prompts, by the flow's id
   * @param expected whether to warn about a missing file, by the flow's id
   */
  PromptFiles(
      Path shared, Function<String, Optional<PromptFolder>> own, Predicate<String> expected) {
    this.shared = shared;
    this.own = own;
    this.expected = expected;
  }

  /**
   * Returns the prompt.
   *
   * @throws BrokenFlow if the file was never read before and is missing or cannot be used
   */
  Prompt read(Flow flow, String file) {
    return readFile(flow, translation(flow, file).orElse(file));
  }

  /**
   * Returns the name of a prompt file in the language of a translated flow, or empty if there is
   * none, and for a flow in its standard language.
   */
  private Optional<String> translation(Flow flow, String file) {
    if (!flow.languages().isTranslation()) {
      return Optional.empty();
    }
    var name = flow.languages().own() + "/" + file;
    var key = new Key(flow, name);
    return existing(key).isPresent()
            || kept.containsKey(key)
            || Shipped.prompt(flow.id(), name).isPresent()
        ? Optional.of(name)
        : Optional.empty();
  }

  /**
   * Returns one sentence for each prompt file that a translated flow has in its standard language
   * only, or one for all of them.
   */
  List<String> untranslated(Flow flow) {
    var languages = flow.languages();
    var missing =
        flow.promptFiles().stream().filter(file -> translation(flow, file).isEmpty()).toList();
    if (!languages.isTranslation() || missing.isEmpty()) {
      return List.of();
    }
    if (missing.size() == flow.promptFiles().size()) {
      return List.of(
          "The flow %s has texts in %s, but no prompt files in a folder prompts/%s; the model gets the prompts in %s"
              .formatted(flow.id(), languages.own(), languages.own(), languages.standard()));
    }
    return missing.stream()
        .map(file ->
            "%s is missing; for people who get the flow %s in %s, the model gets the prompt in %s"
                .formatted(
                    at(new Key(flow, languages.own() + "/" + file)),
                    flow.id(),
                    languages.own(),
                    languages.standard()))
        .toList();
  }

  private Prompt readFile(Flow flow, String file) {
    var key = new Key(flow, file);
    var path = existing(key);
    if (path.isPresent()) {
      warned.remove(missing(key));
      return fromDisk(flow, key, path.get());
    }
    var before = kept.get(key);
    var instead = before == null ? builtIn(flow, key) : before.prompt();
    if (expected.test(flow.id()) && warned.add(missing(key))) {
      log.warn("{}", warning(key));
    }
    return instead;
  }

  /** Returns a number that grows whenever a prompt file was read with another content. */
  long edition() {
    return edition.get();
  }

  /**
   * Returns where the text of a prompt file comes from, and the prompt as it is in force; empty if
   * it cannot be used.
   */
  Optional<Map.Entry<String, Prompt>> inForce(Flow flow, String file) {
    try {
      var prompt = read(flow, file);
      var at =
          prompt.builtIn() ? "packaged:" + flow.id() + "/" + prompt.file() : at(key(flow, file));
      return Optional.of(Map.entry(at, prompt));
    } catch (BrokenFlow e) {
      return Optional.empty();
    }
  }

  /** Returns one sentence for each mistake in the prompt files that a flow names. */
  List<String> mistakes(Flow flow) {
    return flow.promptFiles().stream()
        .filter(Section::isPromptFile)
        .flatMap(file -> {
          try {
            read(flow, file);
            return Stream.of();
          } catch (BrokenFlow broken) {
            return broken.mistakes().stream();
          }
        })
        .toList();
  }

  /** Returns whether a file that should be on disk is missing now. */
  boolean missing(Flow flow, String file) {
    return expected.test(flow.id()) && existing(key(flow, file)).isEmpty();
  }

  private Key key(Flow flow, String file) {
    return new Key(flow, translation(flow, file).orElse(file));
  }

  /**
   * Returns the file in the flow's own folder, else in the shared one. A file that was read from
   * the flow's folder and has gone is not replaced by the shared file of its name.
   */
  private Optional<Path> existing(Key key) {
    var places = places(key);
    var before = kept.get(key);
    return places.stream()
        .limit(before == null ? places.size() : places.indexOf(before.path()) + 1)
        .filter(Files::exists)
        .findFirst();
  }

  private List<Path> places(Key key) {
    return Stream.concat(own.apply(key.flow()).map(PromptFolder::path).stream(), Stream.of(shared))
        .map(folder -> folder.resolve(key.file()))
        .toList();
  }

  /** Returns where a prompt file of a flow is, or where it should be, for messages. */
  private String at(Key key) {
    var found = existing(key);
    return own.apply(key.flow())
            .filter(folder ->
                found.isPresent()
                    ? found.get().startsWith(folder.path())
                    : Files.isDirectory(folder.path()))
            .map(PromptFolder::name)
            .orElse(FOLDER)
        + "/"
        + key.file();
  }

  private Prompt fromDisk(Flow flow, Key key, Path path) {
    var before = kept.get(key);
    try {
      var stamp = stamp(at(key), path);
      if (before != null && before.path().equals(path) && before.stamp().equals(stamp)) {
        return before.prompt();
      }
      // A change after this stamp and before the reading shows in the next stamp.
      var now = new Kept(path, stamp, prompt(flow, key, path));
      kept.put(key, now);
      if (before == null || !before.prompt().sha256().equals(now.prompt().sha256())) {
        edition.incrementAndGet();
      }
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

  private static Stamp stamp(String at, Path path) {
    try {
      var attributes = Files.readAttributes(path, BasicFileAttributes.class);
      return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    } catch (IOException e) {
      throw unreadable(at);
    }
  }

  private Prompt prompt(Flow flow, Key key, Path path) {
    if (Files.isDirectory(path)) {
      throw new BrokenFlow(at(key), "expected a text file, found a folder");
    }
    try {
      return prompt(flow, key, Files.readAllBytes(path), false);
    } catch (IOException e) {
      throw unreadable(at(key));
    }
  }

  private Prompt prompt(Flow flow, Key key, byte[] bytes, boolean builtIn) {
    try {
      var content = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      checkStorable(key, content);
      var comment = comment(key, content);
      var text = content.substring(comment.length());
      if (text.isBlank()) {
        throw new BrokenFlow(at(key), "the file is blank; expected the text of a prompt");
      }
      // The lines of the comment count in the sentence about a mistake.
      var unknown = flow.placeholders().unknown(comment.replaceAll("[^\n]", "") + text);
      if (!unknown.isEmpty()) {
        throw new BrokenFlow(
            unknown.stream().map(it -> unknownPlaceholder(flow, key, it)).distinct().toList());
      }
      var filled = flow.fill(text);
      checkStorable(key, filled);
      return new Prompt(key.file(), filled, Hashes.sha256(bytes), content, builtIn);
    } catch (CharacterCodingException e) {
      throw new BrokenFlow(at(key), "expected text in UTF-8");
    }
  }

  /** Refuses what the database cannot keep: a turn keeps the prompts that it uses. */
  private void checkStorable(Key key, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new BrokenFlow(at(key), "found a NUL character; expected text in UTF-8");
    }
    if (text.length() > LONGEST) {
      throw new BrokenFlow(
          at(key),
          "the prompt has %d characters; at most %d are accepted"
              .formatted(text.length(), LONGEST));
    }
  }

  /** Returns the comment with which a file begins, for people who edit it; no model reads it. */
  private String comment(Key key, String content) {
    var found = COMMENT.matcher(content);
    if (found.lookingAt()) {
      return found.group();
    }
    if (content.startsWith("<!--")) {
      throw new BrokenFlow(
          at(key), "the comment that begins with <!-- has no end; expected --> (line 1)");
    }
    return "";
  }

  private String unknownPlaceholder(Flow flow, Key key, Placeholders.Unknown unknown) {
    return "%s: unknown placeholder %s; expected one that the flow '%s' fills in: %s (line %d)"
        .formatted(
            at(key), unknown.name(), flow.id(), flow.placeholders().listed(), unknown.line());
  }

  private static BrokenFlow unreadable(String at) {
    return new BrokenFlow(at, "the file exists but cannot be read; expected a readable text file");
  }

  private Prompt builtIn(Flow flow, Key key) {
    var before = shipped.get(key);
    if (before != null) {
      return before;
    }
    var bytes = Shipped.prompt(flow.id(), key.file());
    if (bytes.isPresent()) {
      var prompt = prompt(flow, key, bytes.get(), true);
      shipped.put(key, prompt);
      return prompt;
    }
    if (!Shipped.usesSharedPrompts(flow.id())) {
      throw new BrokenFlow(
          at(key),
          "the file is missing; expected it because the flow '"
              + flow.id()
              + "' has no built-in text");
    }
    if (key.file().equals(BASE)) {
      throw new IllegalStateException("the program was packaged without prompts/" + BASE);
    }
    var base = read(flow, BASE);
    return new Prompt(key.file(), base.text(), base.sha256(), base.content(), base.builtIn());
  }

  /** Returns the warning about a missing file, for staff. */
  String warning(Flow flow, String file) {
    return warning(key(flow, file));
  }

  private String warning(Key key) {
    return at(key) + " is missing; " + instead(key);
  }

  private String instead(Key key) {
    if (kept.containsKey(key)) {
      return "Habitline keeps using the text that it read before";
    }
    return Shipped.prompt(key.flow(), key.file()).isPresent()
        ? "Habitline uses the text packaged with the program"
        : "Habitline uses the shared base prompt " + BASE;
  }
}
