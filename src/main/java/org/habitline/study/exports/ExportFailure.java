package org.habitline.study.exports;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Why an export of the study failed. */
public enum ExportFailure {
  INTERRUPTED("The service stopped before the export was finished. Start a new export."),
  DISK_FULL("The disk is full. Free some space, and start a new export."),
  NOT_WRITTEN(
      "The folder of the file cannot be written. Give the user that runs Habitline write access,"
          + " and start a new export."),
  NOT_READ("The database could not be read to the end. The log says why. Start a new export.");

  /** Less than this is as good as nothing. */
  private static final long FULL = 1 << 20;

  private final String sentence;

  ExportFailure(String sentence) {
    this.sentence = sentence;
  }

  /** Returns what happened and what to do, in a sentence for people. */
  public String sentence() {
    return sentence;
  }

  /** Returns why a file in this folder could not be written. */
  public static ExportFailure of(IOException failure, Path folder) {
    return saysFull(failure) || isFull(folder) ? DISK_FULL : NOT_WRITTEN;
  }

  /** The JDK has no type for a full disk: what the operating system says is all there is. */
  private static boolean saysFull(IOException failure) {
    var said = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    return said.contains("no space left")
        || said.contains("not enough space")
        || said.contains("quota exceeded");
  }

  private static boolean isFull(Path folder) {
    try {
      return Files.getFileStore(folder).getUsableSpace() < FULL;
    } catch (IOException e) {
      return false;
    }
  }
}
