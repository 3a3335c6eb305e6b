package org.habitline.ops.database;

import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Tells how much room is left on the disk that Habitline writes to: that of the folder {@code
 * data}, or, with PostgreSQL, of the key files.
 */
@Singleton
public class FreeSpace {

  /** Staff are told when fewer bytes are free. */
  public static final long LITTLE = 1L << 30;

  /** They are told again when fewer bytes are free. */
  public static final long VERY_LITTLE = 200L << 20;

  private static final long TO_START = 20L << 20;

  private final Path home;
  private final boolean onPostgresql;

  FreeSpace(
      @Value("${habitline.home}") String home, @Value("${database.url:}") String databaseUrl) {
    this.home = Path.of(home);
    this.onPostgresql = !databaseUrl.isBlank();
  }

  private Path folder() throws IOException {
    return onPostgresql
        ? PrivateFiles.folderOf(home.resolve(ErasureFile.NAME))
        : home.resolve("data");
  }

  /**
   * Checks that a file can be written and forced to the disk, and that there is room to start with.
   *
   * @throws DatabaseRefused with one sentence if not
   */
  void check() {
    Path folder = home;
    try {
      folder = folder();
      var probe = folder.resolve("probe" + ProcessHandle.current().pid());
      try (var file =
          PrivateFiles.open(probe, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        file.write(ByteBuffer.wrap(new byte[] {1}));
        file.force(true);
      } finally {
        Files.deleteIfExists(probe);
      }
      PrivateFiles.forceFolder(folder);
    } catch (IOException e) {
      throw new DatabaseRefused(
          "HABITLINE_HOME: a file cannot be written in '"
              + folder
              + "' and forced to its disk. Give the user that runs the service write access to that"
              + " folder, and check its disk and the free space.");
    }
    if (bytes().filter(free -> free < TO_START).isPresent()) {
      throw new DatabaseRefused(
          "HABITLINE_HOME: less than 20 MB are free on the disk of '"
              + folder
              + "'; the service starts when there is more room.");
    }
  }

  /** Returns how many bytes are free, or empty if the system does not tell. */
  public Optional<Long> bytes() {
    try {
      return Optional.of(Files.getFileStore(folder()).getUsableSpace());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
