package org.habitline.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of exported forms, one for each conversation: {@code exports/{conversation_id}.json} in
 * the home folder. They are copies on the node that wrote them; the record is what counts.
 *
 * <p>A file is {@linkplain #prepare prepared} under another name while the turn runs, and
 * {@linkplain #publish published} once the turn is committed. Safe for several threads if each
 * works on a conversation of its own.
 */
public final class ExportFiles {

  private static final Logger log = LoggerFactory.getLogger(ExportFiles.class);

  private static final String FOLDER = "exports";
  private static final String PUBLISHED = ".json";
  private static final String PREPARED = ".json.tmp";

  /** Matches the files of this class; others in the folder are left alone. */
  private static final Pattern NAME = Pattern.compile("(conv_[A-Za-z0-9]+)\\.json(?:\\.tmp)?");

  private final Path folder;
  private volatile Optional<String> trouble = Optional.empty();

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
   * @throws IOException if it cannot be written; the health page then says so
   */
  void prepare(String conversationId, String content) throws IOException {
    try {
      Files.createDirectories(folder);
      try (var file =
          FileChannel.open(
              prepared(conversationId),
              Set.of(
                  StandardOpenOption.CREATE,
                  StandardOpenOption.TRUNCATE_EXISTING,
                  StandardOpenOption.WRITE),
              ownerOnly())) {
        var bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
          file.write(bytes);
        }
        file.force(true);
      }
      trouble = Optional.empty();
    } catch (IOException e) {
      failed(e);
      throw e;
    }
  }

  private static FileAttribute<?>[] ownerOnly() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  /**
   * Gives the prepared file its name, in place of an earlier export. Does nothing if none is
   * prepared. Never throws: a file that cannot be renamed stays prepared, and the log and the
   * health page say so.
   */
  public void publish(String conversationId) {
    try {
      Files.move(
          prepared(conversationId),
          published(conversationId),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      trouble = Optional.empty();
    } catch (NoSuchFileException e) {
      log.debug("The export of {} is published already", conversationId);
    } catch (IOException e) {
      failed(e);
      log.warn(
          "{} is stored but its file could not be renamed ({}); the next attempt is within the hour",
          name(conversationId),
          e.getClass().getSimpleName());
    }
  }

  /** Returns the conversations that have files here, prepared or published. */
  public Set<String> conversations() {
    var found = new TreeSet<String>();
    if (Files.isDirectory(folder)) {
      try (var files = Files.newDirectoryStream(folder)) {
        for (var file : files) {
          var name = NAME.matcher(String.valueOf(file.getFileName()));
          if (name.matches()) {
            found.add(name.group(1));
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        throw unusable();
      }
    }
    return found;
  }

  /** Returns when a conversation's file was prepared, or empty if none is waiting. */
  public Optional<Instant> preparedAt(String conversationId) {
    try {
      return Optional.of(Files.getLastModifiedTime(prepared(conversationId)).toInstant());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw unusable();
    }
  }

  /** Returns whether the prepared file has exactly this content. */
  public boolean isPrepared(String conversationId, String content) {
    try {
      return Files.readString(prepared(conversationId)).equals(content);
    } catch (IOException e) {
      // Also a file that a crash cut off within a character.
      return false;
    }
  }

  /** Writes and publishes a file, whatever was prepared. */
  public void replace(String conversationId, String content) {
    try {
      prepare(conversationId, content);
      publish(conversationId);
    } catch (IOException e) {
      throw unusable();
    }
  }

  /** Deletes what was prepared and not published. */
  public void discard(String conversationId) {
    delete(prepared(conversationId));
  }

  /** Deletes all files of a conversation. */
  public void erase(String conversationId) {
    delete(prepared(conversationId));
    delete(published(conversationId));
  }

  /** Deletes all files of a conversation; if that fails, only logs that they stay for now. */
  public void eraseQuietly(String conversationId) {
    try {
      erase(conversationId);
    } catch (UncheckedIOException e) {
      log.warn(
          "{} belongs to a participant who was erased and could not be deleted; the next attempt is"
              + " within the hour",
          name(conversationId));
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw unusable();
    }
  }

  /** Returns one sentence if files cannot be written now, for the health page. */
  public Optional<String> warning() {
    if (trouble.isPresent()) {
      return trouble;
    }
    return Files.exists(folder) && !(Files.isDirectory(folder) && Files.isWritable(folder))
        ? Optional.of(warning("it is not a folder that can be written"))
        : Optional.empty();
  }

  private void failed(IOException e) {
    trouble = Optional.of(warning("the last attempt failed with " + e.getClass().getSimpleName()));
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

  private Path prepared(String conversationId) {
    return folder.resolve(conversationId + PREPARED);
  }

  private Path published(String conversationId) {
    return folder.resolve(conversationId + PUBLISHED);
  }
}
