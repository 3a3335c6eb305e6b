package org.habitline.ops.database;

import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the folders {@code data}, {@code backups} and {@code exports} private: sets the permissions
 * of everything in them to 0700 and 0600. Files that appear later are protected by their folder.
 */
@Singleton
final class PrivateFolders {

  private static final Logger log = LoggerFactory.getLogger(PrivateFolders.class);

  private static final String FOLDER = "rwx------";
  private static final String FILE = "rw-------";

  private final Path home;

  PrivateFolders(@Value("${habitline.home}") String home) {
    this.home = Path.of(home);
  }

  /**
   * Makes them private.
   *
   * @param data the folder of the H2 file, which is created; on PostgreSQL that of the home may
   *     hold files from before a move
   */
  void tighten(Optional<Path> data) {
    data.ifPresent(PrivateFolders::create);
    tighten(data.orElse(home.resolve("data"))).ifPresent(log::warn);
    tighten(home.resolve("backups")).ifPresent(log::warn);
    tighten(home.resolve("exports")).ifPresent(log::warn);
  }

  private static void create(Path folder) {
    try {
      PrivateFiles.createFolder(folder);
    } catch (IOException e) {
      // The database file cannot be created either, which the start reports.
      log.debug("{} cannot be created", folder, e);
    }
  }

  /**
   * Removes other users' permissions from a folder and everything in it; does nothing if there is
   * no such folder.
   *
   * @return a warning for the log if that is not possible
   */
  static Optional<String> tighten(Path folder) {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try {
      if (!Files.getFileStore(folder).supportsFileAttributeView("posix")) {
        return Optional.of(
            "The file system of "
                + folder
                + " has no file permissions. Make sure that only the user that runs the service can"
                + " read that folder.");
      }
      Files.walkFileTree(folder.toRealPath(), new Tightening());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "Other users of this machine may be able to read "
              + folder
              + ", and the service could not change that ("
              + e.getClass().getSimpleName()
              + "). Make the user that runs the service the owner of that folder and all files in"
              + " it.");
    }
  }

  private static final class Tightening extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      tighten(folder, FOLDER);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (attributes.isRegularFile()) {
        tighten(file, FILE);
      }
      return FileVisitResult.CONTINUE;
    }

    private static void tighten(Path path, String permissions) throws IOException {
      var wanted = PosixFilePermissions.fromString(permissions);
      if (!wanted.containsAll(Files.getPosixFilePermissions(path))) {
        Files.setPosixFilePermissions(path, wanted);
      }
    }
  }
}
