package org.habitline.ops;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpStatus;
import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.Database;
import org.habitline.staff.ApiProblem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of the H2 file, made while the line runs: each holds everything that was committed when it
 * began, in a zip of its own under {@code backups} in the home folder, readable by its owner only.
 * One at a time. A PostgreSQL database has tools of its own for that.
 */
@Singleton
final class Backups {

  private static final Logger log = LoggerFactory.getLogger(Backups.class);

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("'habitline-'uuuuMMdd'T'HHmmss.SSS'Z.zip'")
          .withZone(ZoneOffset.UTC);
  private static final String UNFINISHED = ".unfinished";

  private final TransactionOperations<Connection> transactions;
  private final AuditLog audit;
  private final Clock systemClock;
  private final Path folder;
  private final ReentrantLock one = new ReentrantLock();

  Backups(
      TransactionOperations<Connection> transactions,
      AuditLog audit,
      @Named("system") Clock systemClock,
      @Value("${habitline.home}") String home) {
    this.transactions = transactions;
    this.audit = audit;
    this.systemClock = systemClock;
    this.folder = Path.of(home, "backups");
  }

  /** One copy. */
  record Backup(String file, long bytes, Instant createdAt) {}

  /** Whether copies are made here at all. */
  boolean possible() {
    return transactions.executeRead(status -> Database.isFile(status.getConnection()));
  }

  /**
   * Makes a copy.
   *
   * @throws ApiProblem 409 on PostgreSQL, while another copy is being made, or if the folder cannot
   *     be written
   */
  Backup make(Access.Who by) {
    if (!possible()) {
      throw new ApiProblem(
          HttpStatus.CONFLICT,
          "This line keeps its data in PostgreSQL; back it up with pg_dump, or as the server's operator does.");
    }
    if (!one.tryLock()) {
      throw new ApiProblem(
          HttpStatus.CONFLICT, "A backup is being made at this moment; ask again in a while.");
    }
    try {
      return copied(by);
    } finally {
      one.unlock();
    }
  }

  private Backup copied(Access.Who by) {
    try {
      prepareFolder();
      var name = NAME.format(systemClock.instant());
      var unfinished = folder.resolve(name + UNFINISHED);
      Files.deleteIfExists(unfinished);
      Files.createFile(unfinished, ownersOnly("rw-------"));
      try {
        transactions.executeWrite(status -> {
          copy(status.getConnection(), unfinished);
          return true;
        });
        move(unfinished, folder.resolve(name));
      } finally {
        Files.deleteIfExists(unfinished);
      }
      var made = backup(folder.resolve(name));
      audit.record(
          AuditEntry.of(by.name(), by.kind().word(), "backup made")
              .about(made.file())
              .changed(null, made.bytes() + " bytes"));
      return made;
    } catch (IOException e) {
      log.warn("A backup could not be written to the folder backups of the home: {}", e.toString());
      throw new ApiProblem(
          HttpStatus.CONFLICT,
          "The folder backups of the home cannot be written; let the user that runs the line write there, see"
              + " that there is space, and ask again.");
    }
  }

  /** What is in there belongs to people; nobody else on the machine reads it. */
  private void prepareFolder() throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, ownersOnly("rwx------"));
    }
  }

  private static FileAttribute<?>[] ownersOnly(String permissions) {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private static void copy(Connection connection, Path to) {
    try (var backup = connection.prepareStatement("BACKUP TO ?")) {
      backup.setString(1, to.toString());
      backup.execute();
    } catch (SQLException e) {
      throw new IllegalStateException(
          "H2 cannot write the backup: its error " + e.getErrorCode(), e);
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to);
    }
  }

  private static Backup backup(Path file) throws IOException {
    return new Backup(
        String.valueOf(file.getFileName()),
        Files.size(file),
        Files.getLastModifiedTime(file).toInstant());
  }

  /** Whether a copy could be called so. */
  static boolean isName(String file) {
    return file.matches("habitline-[0-9]{8}T[0-9]{6}\\.[0-9]{3}Z\\.zip");
  }

  /** Returns the copies that are there, newest first. */
  List<Backup> list() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var files = Files.newDirectoryStream(folder, "habitline-*.zip")) {
      var found = new ArrayList<Backup>();
      for (var file : files) {
        found.add(backup(file));
      }
      found.sort(Comparator.comparing(Backup::file).reversed());
      return List.copyOf(found);
    } catch (IOException e) {
      throw new UncheckedIOException("The folder of backups cannot be read.", e);
    }
  }
}
