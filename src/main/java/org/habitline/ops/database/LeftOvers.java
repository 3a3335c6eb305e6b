package org.habitline.ops.database;

import io.micronaut.context.annotation.Value;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes files with participants' data that a killed process left behind: unfinished backups, the
 * copy read by a move to PostgreSQL, an unfinished export, and H2's trace file if tracing was on.
 */
@Singleton
final class LeftOvers {

  private static final Logger log = LoggerFactory.getLogger(LeftOvers.class);

  /** A file touched more recently than this may still be being written. */
  private static final Duration UNTOUCHED = Duration.ofMinutes(15);

  private final Path data;
  private final Path backups;
  private final Path temporary;
  private final Clock systemClock;

  LeftOvers(
      @Value("${habitline.home}") String home,
      @Value("${java.io.tmpdir}") String temporary,
      @Named("system") Clock systemClock) {
    this.data = Path.of(home, "data");
    this.backups = Path.of(home, "backups");
    this.temporary = Path.of(temporary);
    this.systemClock = systemClock;
  }

  /** Deletes these files; logs those that cannot be deleted. */
  void delete() {
    matching(data, "*.trace.db*").forEach(LeftOvers::delete);
    matching(data, "moving-*").stream().filter(LeftOvers::isLeft).forEach(LeftOvers::deleteAll);
    matching(backups, "*" + Backups.UNFINISHED + "*").stream()
        .filter(this::isUntouched)
        .forEach(LeftOvers::delete);
    matching(temporary, "habitline-export-*.json").stream()
        .filter(this::isUntouched)
        .forEach(LeftOvers::delete);
  }

  private static List<Path> matching(Path folder, String names) {
    var found = new ArrayList<Path>();
    if (Files.isDirectory(folder)) {
      try (var files = Files.newDirectoryStream(folder, names)) {
        files.forEach(found::add);
      } catch (IOException e) {
        log.warn("The folder {} cannot be searched for leftover files: {}", folder, e.toString());
      }
    }
    return found;
  }

  private boolean isUntouched(Path file) {
    try {
      return Files.isWritable(file)
          && Files.getLastModifiedTime(file)
              .toInstant()
              .isBefore(systemClock.instant().minus(UNTOUCHED));
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns whether the move that made this folder is over: a running one has the copy open. */
  private static boolean isLeft(Path folder) {
    return matching(folder, "*.mv.db").stream().allMatch(LeftOvers::isUnlocked);
  }

  private static boolean isUnlocked(Path file) {
    try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      var lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException | IOException e) {
      return false;
    }
  }

  private static void deleteAll(Path folder) {
    try (var files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(LeftOvers::delete);
    } catch (IOException e) {
      log.warn(
          "The leftover file {} cannot be deleted; delete it by hand: {}", folder, e.toString());
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      log.warn("The leftover file {} cannot be deleted; delete it by hand: {}", file, e.toString());
    }
  }
}
