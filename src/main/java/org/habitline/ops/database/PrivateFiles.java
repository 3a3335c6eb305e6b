package org.habitline.ops.database;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;

/** Creates files and folders that only their owner can read, from the first byte on. */
public final class PrivateFiles {

  private static final int KEY_BYTES = 32;

  private PrivateFiles() {}

  /** Opens a file; a file that the options create is private. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return FileChannel.open(file, Set.of(options), ownersOnly("rw-------"));
  }

  /**
   * Returns the key in a private file of 64 hexadecimal digits, which is created with a random key
   * when first needed; processes that need it at the same time get the same one.
   *
   * @throws IllegalArgumentException if the file holds something else
   */
  public static byte[] key(Path file) throws IOException {
    var isNew = !Files.exists(file);
    try (var channel =
            open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        var _ = channel.lock()) {
      // A key that a crash cut off was never used.
      if (channel.size() < 2 * KEY_BYTES) {
        var random = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(random);
        var line = HexFormat.of().formatHex(random) + "\n";
        channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)), 0);
        channel.force(true);
      }
    }
    if (isNew) {
      forceFolder(folderOf(file));
    }
    return HexFormat.of().parseHex(Files.readString(file).strip());
  }

  /** Returns the folder that a file is in, or will be: in a container it is a link to a volume. */
  static Path folderOf(Path file) throws IOException {
    var real =
        Files.isSymbolicLink(file) ? file.resolveSibling(Files.readSymbolicLink(file)) : file;
    return Objects.requireNonNull(real.toAbsolutePath().getParent());
  }

  static void create(Path file) throws IOException {
    Files.createFile(file, ownersOnly("rw-------"));
  }

  static void createFolder(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, ownersOnly("rwx------"));
    }
  }

  /** Waits until the names in a folder are on the disk, where the system can tell. */
  static void forceFolder(Path folder) throws IOException {
    try (var names = FileChannel.open(folder)) {
      names.force(true);
    } catch (AccessDeniedException e) {
      // Windows opens no folder; it keeps names by itself.
    }
  }

  static FileAttribute<?>[] ownersOnly(String permissions) {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }
}
