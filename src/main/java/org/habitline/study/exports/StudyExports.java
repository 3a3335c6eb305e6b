package org.habitline.study.exports;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Database;
import org.habitline.storage.Ids;
import org.habitline.storage.Snapshots;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports of the whole study as data packages. An export is written to a file under {@code
 * exports/study} in the home folder that only its owner can read, from one snapshot, one at a time
 * on a node. What was interrupted is marked as failed and starts anew when somebody asks. Files are
 * deleted after {@value #DAYS_KEPT} days, and all of them when a participant is erased.
 */
public final class StudyExports implements ParticipantListener {

  private static final Logger log = LoggerFactory.getLogger(StudyExports.class);

  static final int DAYS_KEPT = 7;

  private static final Duration TOLD_EVERY = Duration.ofSeconds(1);

  /** A running export says how far it is more often than this. */
  private static final Duration SILENT = Duration.ofMinutes(15);

  private static final String ZIP = ".zip";
  private static final String UNFINISHED = ".unfinished";

  private final JdbcStudyExports rows;
  private final Pseudonyms pseudonyms;
  private final Snapshots snapshots;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;
  private final Path folder;
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile boolean closing;

  StudyExports(
      JdbcStudyExports rows,
      Pseudonyms pseudonyms,
      Snapshots snapshots,
      AuditLog audit,
      Transactions transactions,
      Clock clock,
      Clock systemClock,
      Path folder) {
    this.rows = rows;
    this.pseudonyms = pseudonyms;
    this.snapshots = snapshots;
    this.audit = audit;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
    this.folder = folder;
  }

  /**
   * What to export, and for whom.
   *
   * @param spreadsheet whether texts that a spreadsheet program takes for formulas are guarded
   * @param actor the name of whoever asks, for the audit log
   */
  public record Wanted(ExportScope scope, boolean spreadsheet, String actor, String role) {}

  /**
   * An export as it is now.
   *
   * @param askedBy the name of whoever started it; {@code null} for those who may see no names
   * @param failure why it failed, in a sentence
   * @param tables how many tables it has in all
   */
  public record Export(
      String id,
      ExportStatus status,
      ExportScope scope,
      boolean spreadsheet,
      @Nullable String askedBy,
      Instant askedAt,
      @Nullable Instant finishedAt,
      int tablesDone,
      int tables,
      long rows,
      @Nullable Long bytes,
      @Nullable String failure) {

    /** Returns this without the name of whoever started it. */
    public Export withoutName() {
      return new Export(
          id,
          status,
          scope,
          spreadsheet,
          null,
          askedAt,
          finishedAt,
          tablesDone,
          tables,
          rows,
          bytes,
          failure);
    }
  }

  /**
   * One page of exports, newest first.
   *
   * @param next where the next page starts, or {@code null} on the last page
   */
  public record Page(List<Export> exports, @Nullable Long next) {}

  /** An export that did not succeed. */
  public static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExportFailure why;

    Failed(ExportFailure why, Throwable cause) {
      super(why.sentence(), cause);
      this.why = why;
    }

    public ExportFailure why() {
      return why;
    }
  }

  /** Ends an export that nobody waits for any more. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Starts an export in the background and returns its id, or empty if one is running on this node.
   */
  public Optional<String> start(Wanted wanted) {
    if (!busy.compareAndSet(false, true)) {
      return Optional.empty();
    }
    var id = Ids.next("exp");
    try {
      record(id, wanted);
    } catch (RuntimeException e) {
      busy.set(false);
      throw e;
    }
    Thread.ofVirtual()
        .name("study-export")
        .start(() -> {
          try {
            run(id, wanted);
          } finally {
            busy.set(false);
          }
        });
    return Optional.of(id);
  }

  private void record(String id, Wanted wanted) {
    transactions.write(() -> {
      rows.insert(id, wanted.scope(), wanted.spreadsheet(), wanted.actor(), systemClock.instant());
      audit(wanted, AuditAction.STUDY_EXPORTED, id);
    });
  }

  private void audit(Wanted wanted, AuditAction action, String id) {
    audit.record(
        AuditEntry.of(wanted.actor(), wanted.role(), action)
            .about(id)
            .changed(null, wanted.scope().word()));
  }

  private void run(String id, Wanted wanted) {
    var unfinished = folder.resolve(id + ZIP + UNFINISHED);
    try {
      makeFolder();
      var tables = ExportCatalogue.tables(wanted.scope()).size();
      var count = write(unfinished, wanted, telling(id));
      var size = Files.size(unfinished);
      Files.move(unfinished, file(id), StandardCopyOption.ATOMIC_MOVE);
      if (transactions.write(() -> rows.ready(id, tables, count, size, systemClock.instant()))
          == 0) {
        Files.deleteIfExists(file(id));
      }
    } catch (Failed e) {
      fail(id, e.why(), e);
    } catch (IOException e) {
      fail(id, ExportFailure.of(e, folder), e);
    } catch (Stopped e) {
      log.info("Export {} was stopped", id);
    } catch (RuntimeException e) {
      fail(id, ExportFailure.NOT_READ, e);
    } finally {
      deleteQuietly(unfinished);
    }
  }

  private void fail(String id, ExportFailure why, Exception cause) {
    if (closing) {
      // The next start marks it as interrupted.
      return;
    }
    log.warn("Export {} failed: {} ({})", id, why.sentence(), cause.getClass().getName());
    try {
      transactions.write(() -> rows.failed(id, why, systemClock.instant()));
    } catch (RuntimeException e) {
      log.warn("Export {} counts as running until the next start", id);
    }
  }

  /** Stores how far an export is, once a second; stops it if it was deleted or the service ends. */
  private DataPackage.Progress telling(String id) {
    var told = new long[] {System.nanoTime()};
    return (tables, count) -> {
      if (closing) {
        throw new Stopped();
      }
      if (System.nanoTime() - told[0] >= TOLD_EVERY.toNanos()) {
        told[0] = System.nanoTime();
        if (transactions.write(() -> rows.moved(id, tables, count, systemClock.instant())) == 0) {
          throw new Stopped();
        }
      }
    };
  }

  /**
   * Writes an export to a new file, for the command, and returns the number of rows. The file has
   * its name only once it is complete.
   *
   * @throws Failed if it cannot be written or read; nothing is left of the file then
   */
  public long write(Path file, Wanted wanted) {
    var unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
    transactions.write(() -> audit(wanted, AuditAction.STUDY_EXPORTED, "a file of the command"));
    try {
      Files.deleteIfExists(unfinished);
      var count = write(unfinished, wanted, (tables, done) -> {});
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      return count;
    } catch (IOException e) {
      throw new Failed(
          ExportFailure.of(e, Objects.requireNonNull(file.toAbsolutePath().getParent())), e);
    } finally {
      deleteQuietly(unfinished);
    }
  }

  private long write(Path unfinished, Wanted wanted, DataPackage.Progress progress) {
    pseudonyms.complete();
    try {
      return snapshots.readSideBySide(connections -> {
        try (var channel =
                FileChannel.open(
                    unfinished,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    ownersOnly("rw-------"));
            var out = new BufferedOutputStream(Channels.newOutputStream(channel))) {
          var count =
              new DataPackage(wanted.scope(), wanted.spreadsheet(), clock.instant(), progress)
                  .write(connections, out);
          out.flush();
          channel.force(true);
          return count;
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      });
    } catch (UncheckedIOException e) {
      var cause = Objects.requireNonNull(e.getCause());
      throw new Failed(
          ExportFailure.of(cause, Objects.requireNonNull(unfinished.toAbsolutePath().getParent())),
          cause);
    } catch (SQLException e) {
      log.warn("An export cannot be read: SQLSTATE {}", e.getSQLState());
      throw new Failed(ExportFailure.NOT_READ, e);
    }
  }

  /** Returns the codebook of the scope {@code deidentified}: {@code datapackage.json}. */
  public static byte[] codebook() {
    return DataPackage.codebook(ExportScope.DEIDENTIFIED);
  }

  /** Returns a page of at most {@code most} exports before a position. */
  public Page list(long before, int most) {
    return page(transactions.read(() -> rows.newest(before, most + 1)), most);
  }

  /** Returns a page of exports of the scope {@code deidentified}, without who started them. */
  public Page listDeidentified(long before, int most) {
    var page = page(transactions.read(() -> rows.newestDeidentified(before, most + 1)), most);
    return new Page(page.exports().stream().map(Export::withoutName).toList(), page.next());
  }

  private static Page page(List<JdbcStudyExports.Row> found, int most) {
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(
        page.stream().map(StudyExports::shown).toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  public Optional<Export> find(String id) {
    return transactions.read(() -> rows.find(id)).map(StudyExports::shown);
  }

  /** Returns the file of an export that is ready, or empty if this node does not have it. */
  public Optional<Path> fileOf(Export export) {
    return Optional.of(file(export.id()))
        .filter(file -> export.status() == ExportStatus.READY && Files.isRegularFile(file));
  }

  /** Records that somebody downloads an export. */
  public void downloaded(Export export, String actor, String role) {
    transactions.write(() ->
        audit(
            new Wanted(export.scope(), export.spreadsheet(), actor, role),
            AuditAction.STUDY_EXPORT_DOWNLOADED,
            export.id()));
  }

  private static Export shown(JdbcStudyExports.Row row) {
    return new Export(
        row.id(),
        row.status(),
        row.scope(),
        row.spreadsheet(),
        row.askedBy(),
        row.askedAt(),
        row.finishedAt(),
        row.tablesDone(),
        ExportCatalogue.tables(row.scope()).size(),
        row.rowsDone(),
        row.bytes(),
        row.failure() == null ? null : row.failure().sentence());
  }

  /** Marks what the last run left as interrupted and deletes its files. */
  public void atStart() {
    closing = false;
    // Nobody else can have the H2 file open, so nothing can be running.
    var silent =
        transactions.readWith(connection -> Database.isFile(connection)) ? Duration.ZERO : SILENT;
    var now = systemClock.instant();
    transactions.write(() -> rows.interrupted(now.minus(silent), now));
    try {
      tidy();
    } catch (UncheckedIOException e) {
      log.warn("{} This is tried again every hour", e.getMessage());
    }
  }

  /** Stops the export that is running; the next start marks it as interrupted. */
  public void stop() {
    closing = true;
  }

  /**
   * Deletes files that are old, or whose export was deleted or interrupted.
   *
   * @throws UncheckedIOException if a file cannot be deleted
   */
  public void tidy() {
    var now = systemClock.instant();
    transactions.write(() -> {
      rows.interrupted(now.minus(SILENT), now);
      rows.expired(now.minus(Duration.ofDays(DAYS_KEPT)));
    });
    deleteFiles();
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.deleteAll();
    transactions.afterCommit(() -> {
      try {
        deleteFiles();
      } catch (UncheckedIOException e) {
        log.warn(
            "Exports of the study that contain an erased participant could not be deleted; this is"
                + " tried again every hour");
      }
    });
  }

  private void deleteFiles() {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (var file : files) {
        var id = String.valueOf(file.getFileName()).replaceFirst("\\.zip(\\.unfinished)?$", "");
        var status = transactions.read(() -> rows.find(id)).map(JdbcStudyExports.Row::status);
        if (status.isEmpty()
            || status.get() == ExportStatus.FAILED
            || status.get() == ExportStatus.DELETED) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Old exports of the study cannot be deleted.", e);
    }
  }

  private Path file(String id) {
    return folder.resolve(id + ZIP);
  }

  private void makeFolder() throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, ownersOnly("rwx------"));
    }
  }

  /**
   * Returns the attributes of a new file or folder, such as {@code rw-------}, if it can have them.
   */
  public static FileAttribute<?>[] ownersOnly(String permissions) {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      log.warn("{} could not be deleted", file.getFileName());
    }
  }
}
