package org.habitline.ops.database;

import io.micronaut.context.annotation.Value;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.h2.mvstore.SteadyCopy;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.messaging.Restored;
import org.habitline.ops.access.Access;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes backups of the H2 file while the service runs. Each holds everything committed when it
 * began, in a zip file under {@code backups} in the home folder that only its owner can read. Only
 * one is made at a time. Not for PostgreSQL, which has its own tools.
 */
@Singleton
public final class Backups {

  private static final Logger log = LoggerFactory.getLogger(Backups.class);

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("'habitline-'uuuuMMdd'T'HHmmss.SSS'Z.zip'")
          .withZone(ZoneOffset.UTC);
  static final String UNFINISHED = ".unfinished";

  /** Is beside a database file that was restored, and says when the backup was made. */
  static final String MARK = "restored.txt";

  /** Shorter than clients wait for a response. */
  private static final Duration FOR_ERASURES = Duration.ofSeconds(20);

  private final Transactions transactions;
  private final ErasedSpace erasedSpace;
  private final AuditLog audit;
  private final Restored restored;
  private final OwnConnections connections;
  private final Clock systemClock;
  private final Path folder;
  private final ReentrantLock one = new ReentrantLock();

  Backups(
      Transactions transactions,
      ErasedSpace erasedSpace,
      AuditLog audit,
      Restored restored,
      OwnConnections connections,
      @Named("system") Clock systemClock,
      @Value("${habitline.home}") String home) {
    this.transactions = transactions;
    this.erasedSpace = erasedSpace;
    this.audit = audit;
    this.restored = restored;
    this.connections = connections;
    this.systemClock = systemClock;
    this.folder = Path.of(home, "backups");
  }

  /** One backup. */
  public record Backup(String file, long bytes, Instant createdAt) {}

  /**
   * Moves the mark of a backup that was put back from its file into the database, which all nodes
   * and later backups see. Call it before anything that waits is done.
   *
   * @throws DatabaseRefused if the file cannot be deleted
   */
  public void recognise() {
    var mark = connections.file().map(file -> file.resolveSibling(MARK)).filter(Files::exists);
    if (mark.isPresent()) {
      try {
        restored.mark(madeAt(mark.get()));
        Files.delete(mark.get());
        PrivateFiles.forceFolder(Objects.requireNonNull(mark.get().getParent()));
      } catch (IOException e) {
        throw new DatabaseRefused(
            "HABITLINE_HOME: "
                + MARK
                + " in its data folder cannot be read and deleted; let the user that runs the"
                + " service do so.");
      }
    }
  }

  private static Instant madeAt(Path mark) throws IOException {
    try {
      return Instant.parse(Files.readString(mark).strip());
    } catch (DateTimeParseException e) {
      return Files.getLastModifiedTime(mark).toInstant();
    }
  }

  /** Returns whether backups can be made: the database is the H2 file. */
  public boolean possible() {
    return transactions.readWith(connection -> Database.isFile(connection));
  }

  /**
   * Makes a backup.
   *
   * @throws ApiProblem 409 on PostgreSQL, while another backup is being made, while a participant
   *     is being erased, or if the folder cannot be written
   */
  public Backup make(Access.Who by) {
    if (!possible()) {
      throw ApiProblem.conflict(
          "The data is in PostgreSQL. Back it up with pg_dump or with the backups of the"
              + " database server.");
    }
    if (!one.tryLock()) {
      throw ApiProblem.conflict("A backup is already being made. Try again when it is finished.");
    }
    try {
      if (!erasedSpace.finishWithin(FOR_ERASURES)) {
        throw ApiProblem.conflict(
            "A participant is being erased, and a backup made now would still contain their data. GET /erasures shows"
                + " when the erasure is finished; try again then.");
      }
      return copied(by);
    } finally {
      one.unlock();
    }
  }

  private Backup copied(Access.Who by) {
    try {
      // Backups hold participants' data, so only the owner may read them.
      PrivateFiles.createFolder(folder);
      var name = NAME.format(systemClock.instant());
      var unfinished = folder.resolve(name + UNFINISHED);
      var copy = folder.resolve(name + UNFINISHED + OwnConnections.SUFFIX);
      Files.deleteIfExists(unfinished);
      PrivateFiles.create(unfinished);
      try {
        copyTo(copy);
        checkReadable(copy);
        pack(copy, unfinished);
        move(unfinished, folder.resolve(name));
        PrivateFiles.forceFolder(folder);
      } finally {
        Files.deleteIfExists(copy);
        Files.deleteIfExists(unfinished);
      }
      var made = backup(folder.resolve(name));
      audit.record(
          AuditEntry.of(by.name(), by.kind().word(), AuditAction.BACKUP_MADE)
              .about(made.file())
              .changed(null, made.bytes() + " bytes"));
      return made;
    } catch (IOException e) {
      log.warn(
          "A backup could not be written to the backups folder in the home folder: {}",
          e.toString());
      throw ApiProblem.conflict(
          "The backups folder in the home folder cannot be written. Give the user that runs"
              + " the service write access, check that there is free space, and try again.");
    }
  }

  /**
   * Copies the file without blocking writers, because it may have gigabytes. The connection is
   * returned at once: the store outlives it.
   */
  private void copyTo(Path file) throws IOException {
    var store =
        transactions
            .readWith(connection -> FileCompaction.store(connection))
            .orElseThrow(() -> new IllegalStateException("There is no H2 file to copy."));
    try (var channel =
            PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var out = new BufferedOutputStream(Channels.newOutputStream(channel));
        var copy = SteadyCopy.of(store).orElseThrow()) {
      copy.writeTo(out);
    }
  }

  /** Opens a copy and reads its newest event: a backup that nobody can open is none. */
  private void checkReadable(Path copy) throws IOException {
    try (var connection = connections.to(copy, ";ACCESS_MODE_DATA=r").open();
        var statement = connection.createStatement();
        var newest = statement.executeQuery("SELECT * FROM event ORDER BY seq DESC LIMIT 1")) {
      var _ = newest.next();
    } catch (SQLException e) {
      throw new IOException("The copy cannot be read: error " + e.getErrorCode(), e);
    }
  }

  /** Writes a zip with the copy and the mark that it is a backup. */
  private void pack(Path copy, Path file) throws IOException {
    var database = connections.file().orElseThrow();
    try (var channel = PrivateFiles.open(file, StandardOpenOption.WRITE);
        var zip =
            new ZipOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)))) {
      zip.putNextEntry(new ZipEntry(String.valueOf(database.getFileName())));
      Files.copy(copy, zip);
      zip.closeEntry();
      zip.putNextEntry(new ZipEntry(MARK));
      zip.write((systemClock.instant() + "\n").getBytes(StandardCharsets.US_ASCII));
      zip.closeEntry();
      zip.finish();
      zip.flush();
      channel.force(true);
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

  /** Returns whether this is a possible name of a backup. */
  static boolean isName(String file) {
    return file.matches("habitline-[0-9]{8}T[0-9]{6}\\.[0-9]{3}Z\\.zip");
  }

  /** Returns the backups in the folder, newest first. */
  public List<Backup> list() {
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

  /** Deletes backups made before an instant, except the newest one; returns how many those were. */
  public long forget(Instant before) {
    var old = list().stream().skip(1).filter(it -> it.createdAt().isBefore(before)).toList();
    for (var backup : old) {
      try {
        Files.deleteIfExists(folder.resolve(backup.file()));
      } catch (IOException e) {
        throw new UncheckedIOException("An old backup cannot be deleted.", e);
      }
    }
    return old.size();
  }
}
