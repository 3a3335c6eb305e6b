package org.habitline.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.Hashes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of exported forms, one for each conversation: {@code exports/{conversation_id}.json} in
 * the home folder. They are copies on the node that wrote them; the record is what counts.
 *
 * <p>A file is {@linkplain #prepare prepared} under another name while the turn runs, and
 * {@linkplain #publish published} once the turn is committed. The other name comes from the
 * content, so that no export writes over what another has prepared. Safe for any number of threads.
 */
public final class ExportFiles {

  private static final Logger log = LoggerFactory.getLogger(ExportFiles.class);

  private static final String FOLDER = "exports";
  private static final String PUBLISHED = ".json";
  private static final String PREPARED = ".tmp";

  /** Matches the files of this class, with the edition of a prepared one; others are left alone. */
  private static final Pattern NAME =
      Pattern.compile("(conv_[A-Za-z0-9]+)(?:\\.json|\\.([0-9a-f]{64})\\.tmp)");

  private final Path folder;

  /** Why a file could not be prepared, until one can. */
  private volatile Optional<String> trouble = Optional.empty();

  /** The conversations whose file could not be renamed or deleted, until it can. */
  private final Set<String> stuck = ConcurrentHashMap.newKeySet();

  ExportFiles(Path home) {
    this.folder = home.resolve(FOLDER);
  }

  /** Returns the name of a conversation's file in the home folder. */
  static String name(String conversationId) {
    return FOLDER + "/" + conversationId + PUBLISHED;
  }

  /**
   * Writes a conversation's file under another name and returns when it is on disk. Only the user
   * that runs the service can read it.
   *
   * @return the edition to {@linkplain #publish publish}; the same content has the same
   * @throws IOException if it cannot be written; the health page then says so
   */
  String prepare(String conversationId, String content) throws IOException {
    var edition = Hashes.sha256(content);
    var file = prepared(conversationId, edition);
    try {
      if (!holds(file, content)) {
        Files.createDirectories(folder, ownerOnly("rwx------"));
        write(file, content);
        forceNames();
      }
      trouble = Optional.empty();
      return edition;
    } catch (IOException e) {
      trouble = Optional.of("the last attempt failed with " + e.getClass().getSimpleName());
      throw e;
    }
  }

  private static void write(Path path, String content) throws IOException {
    try (var file =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE),
            ownerOnly("rw-------"))) {
      var bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
      file.force(true);
    }
  }

  /** Forces the names of the files to disk too; only systems with POSIX files can do that. */
  private void forceNames() throws IOException {
    if (isPosix()) {
      try (var names = FileChannel.open(folder, StandardOpenOption.READ)) {
        names.force(true);
      }
    }
  }

  private static boolean isPosix() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
  }

  private static FileAttribute<?>[] ownerOnly(String permissions) {
    return isPosix()
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  /**
   * Gives a prepared file its name, in place of an earlier export. Does nothing if it is not there.
   * Never throws: a file that cannot be renamed stays prepared, and the log and the health page say
   * so.
   */
  public void publish(String conversationId, String edition) {
    try {
      Files.move(
          prepared(conversationId, edition),
          published(conversationId),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      forceNames();
      stuck.remove(conversationId);
    } catch (NoSuchFileException e) {
      log.debug("The export of {} is published already", conversationId);
    } catch (IOException e) {
      if (stuck.add(conversationId)) {
        log.warn(
            "{} is stored but its file could not be renamed ({}); this is tried again within the"
                + " hour",
            name(conversationId),
            e.getClass().getSimpleName());
      }
    }
  }

  /** Returns the conversations that have files here, prepared or published. */
  public Set<String> conversations() {
    return files().stream().map(file -> file.group(1)).collect(Collectors.toSet());
  }

  private List<MatchResult> files() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var files = Files.list(folder)) {
      return files
          .map(file -> NAME.matcher(String.valueOf(file.getFileName())))
          .filter(Matcher::matches)
          .map(Matcher::toMatchResult)
          .toList();
    } catch (IOException | UncheckedIOException e) {
      throw unusable();
    }
  }

  /** Writes and publishes a file, unless it is published with exactly this content. */
  public void keep(String conversationId, String content) {
    if (holds(published(conversationId), content)) {
      stuck.remove(conversationId);
      return;
    }
    try {
      publish(conversationId, prepare(conversationId, content));
    } catch (IOException e) {
      throw unusable();
    }
  }

  private static boolean holds(Path file, String content) {
    try {
      return Files.readString(file).equals(content);
    } catch (IOException e) {
      // Also a file that a crash cut off within a character.
      return false;
    }
  }

  /** Deletes what was prepared for a conversation before a time and not published. */
  public void discard(String conversationId, Instant before) {
    for (var file : prepared(conversationId)) {
      try {
        if (Files.getLastModifiedTime(file).toInstant().isBefore(before)) {
          Files.deleteIfExists(file);
        }
      } catch (NoSuchFileException e) {
        log.debug("An export of {} was published at this moment", conversationId);
      } catch (IOException e) {
        throw unusable();
      }
    }
  }

  /** Deletes all files of a conversation. */
  public void erase(String conversationId) {
    prepared(conversationId).forEach(ExportFiles::delete);
    delete(published(conversationId));
    stuck.remove(conversationId);
  }

  /**
   * Deletes all files of a conversation and returns whether none is left. The log and the health
   * page say if one is.
   */
  public boolean isErased(String conversationId) {
    try {
      erase(conversationId);
      return true;
    } catch (UncheckedIOException e) {
      if (stuck.add(conversationId)) {
        log.warn(
            "{} belongs to a participant who was erased and could not be deleted; this is tried"
                + " again until it can",
            name(conversationId));
      }
      return false;
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw unusable();
    }
  }

  /** Looks whether files can be written again after an attempt that failed. */
  public void lookAgain() {
    if (trouble.isEmpty()) {
      return;
    }
    try {
      Files.createDirectories(folder, ownerOnly("rwx------"));
      Files.delete(Files.createTempFile(folder, ".look", null));
      trouble = Optional.empty();
    } catch (IOException e) {
      log.debug("The folder of exports cannot be written yet: {}", e.getClass().getSimpleName());
    }
  }

  /** Returns one sentence if files cannot be written or renamed now, for the health page. */
  public Optional<String> warning() {
    if (trouble.isPresent()) {
      return trouble.map(ExportFiles::warning);
    }
    if (!stuck.isEmpty()) {
      return Optional.of(
          warning("%d of its files cannot be renamed or deleted".formatted(stuck.size())));
    }
    return Files.exists(folder) && !(Files.isDirectory(folder) && Files.isWritable(folder))
        ? Optional.of(warning("it is not a folder that can be written"))
        : Optional.empty();
  }

  private static String warning(String why) {
    return "The folder "
        + FOLDER
        + " in the home folder cannot be used: "
        + why
        + ". While this lasts, "
        + ExportData.NAME
        + " tells the model that the export did not work; expected a folder that the user that runs"
        + " the service can write";
  }

  /** Returns the failure without its cause, whose message would name a participant's file. */
  private static UncheckedIOException unusable() {
    return new UncheckedIOException(new IOException("the folder " + FOLDER + " cannot be used"));
  }

  private List<Path> prepared(String conversationId) {
    return files().stream()
        .filter(file -> file.group(1).equals(conversationId) && file.group(2) != null)
        .map(file -> folder.resolve(file.group()))
        .toList();
  }

  private Path prepared(String conversationId, String edition) {
    return folder.resolve(conversationId + "." + edition + PREPARED);
  }

  private Path published(String conversationId) {
    return folder.resolve(conversationId + PUBLISHED);
  }
}
