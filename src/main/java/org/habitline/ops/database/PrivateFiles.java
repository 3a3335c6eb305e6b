package org.habitline.ops.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Creates files and folders that only their owner can read, from the first byte on. */
public final class PrivateFiles {

  private PrivateFiles() {}

  /** Opens a file; a file that the options create is private. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return FileChannel.open(file, Set.of(options), ownersOnly("rw-------"));
  }

  static void create(Path file) throws IOException {
    Files.createFile(file, ownersOnly("rw-------"));
  }

  static void createFolder(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, ownersOnly("rwx------"));
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
