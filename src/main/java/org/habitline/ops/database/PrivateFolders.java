package org.habitline.ops.database;

import io.micronaut.configuration.jdbc.hikari.DatasourceConfiguration;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the folders {@code data}, {@code backups} and {@code exports} private before the database
 * is opened: sets the permissions of everything in them to 0700 and 0600, and creates the H2 file
 * with 0600. Files that appear later are protected by their folder.
 */
@Singleton
final class PrivateFolders implements BeanCreatedEventListener<DatasourceConfiguration> {

  private static final Logger log = LoggerFactory.getLogger(PrivateFolders.class);

  private static final String H2_FILE = "jdbc:h2:file:";
  private static final String H2_SUFFIX = ".mv.db";

  private static final String FOLDER = "rwx------";
  private static final String FILE = "rw-------";

  private final Path home;
  private final boolean h2;

  PrivateFolders(
      @Value("${habitline.home}") String home, @Value("${database.url:}") String databaseUrl) {
    this.home = Path.of(home);
    this.h2 = databaseUrl.isBlank();
  }

  @Override
  public DatasourceConfiguration onCreated(BeanCreatedEvent<DatasourceConfiguration> event) {
    var datasource = event.getBean();
    var url = String.valueOf(datasource.getUrl());
    if (h2 && url.startsWith(H2_FILE)) {
      var file = Path.of(url.substring(H2_FILE.length()).replaceFirst(";.*", "") + H2_SUFFIX);
      make(file.toAbsolutePath());
      tighten(Objects.requireNonNull(file.toAbsolutePath().getParent())).ifPresent(log::warn);
    } else {
      // Files from before a move to PostgreSQL.
      tighten(home.resolve("data")).ifPresent(log::warn);
    }
    tighten(home.resolve("backups")).ifPresent(log::warn);
    tighten(home.resolve("exports")).ifPresent(log::warn);
    return datasource;
  }

  /**
   * Creates an empty file, which H2 takes for a new database. If that fails, H2 itself reports it.
   */
  private static void make(Path file) {
    try {
      var folder = Objects.requireNonNull(file.getParent());
      if (!Files.isDirectory(folder)) {
        Files.createDirectories(folder, PrivateFiles.ownersOnly(FOLDER));
      }
      if (!Files.exists(file)) {
        Files.createFile(file, PrivateFiles.ownersOnly(FILE));
      }
    } catch (IOException e) {
      log.debug("{} cannot be created", file, e);
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
