package org.habitline.knowledge;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder and its sub-folders at one moment. Links are followed, because mounted
 * configuration consists of links; hidden files and folders are left out.
 *
 * @param files the files to read and their stamps, by their path in the folder with {@code /}
 * @param warnings one sentence for each file or folder that is left out
 */
record FolderListing(Map<String, Stamp> files, List<String> warnings) {

  /** The most files; a folder with more was most likely named by mistake. */
  static final int MOST_FILES = 5_000;

  /** Endings of documents that someone may expect to be searched. */
  private static final Set<String> OTHER_DOCUMENTS =
      Set.of("doc", "docx", "odt", "rtf", "htm", "html", "markdown", "epub", "pptx", "xlsx");

  /** What changes when a file is written or replaced. */
  record Stamp(FileTime modified, long size, @Nullable Object key) {

    static Stamp of(BasicFileAttributes attributes) {
      return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }
  }

  /** Lists the folder; a missing folder has no files. Never throws for what is in the folder. */
  static FolderListing of(Path folder) {
    var visit = new Visit(folder);
    if (Files.isDirectory(folder)) {
      try {
        Files.walkFileTree(
            folder, EnumSet.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, visit);
      } catch (IOException e) {
        visit.cannotBeListed(folder);
      }
    }
    return new FolderListing(visit.files, List.copyOf(visit.warnings));
  }

  private static final class Visit extends SimpleFileVisitor<Path> {

    private final Path folder;
    private final Map<String, Stamp> files = new TreeMap<>();
    private final List<String> warnings = new ArrayList<>();

    Visit(Path folder) {
      this.folder = folder;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
      return !directory.equals(folder) && isHidden(directory)
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      var name = String.valueOf(file.getFileName());
      if (isHidden(file) || attributes.isOther()) {
        return FileVisitResult.CONTINUE;
      }
      if (!DocumentReader.isAccepted(name)) {
        if (OTHER_DOCUMENTS.contains(ending(name))) {
          warnings.add(
              warning(
                  inFolder(file),
                  "is not an accepted kind of file; expected " + DocumentReader.ACCEPTED));
        }
        return FileVisitResult.CONTINUE;
      }
      if (files.size() == MOST_FILES) {
        warnings.add(
            "Knowledge search: the folder "
                + folder.getFileName()
                + " has more than "
                + MOST_FILES
                + " files, and the files beyond that number are not searched; expected at most "
                + MOST_FILES
                + ".");
        return FileVisitResult.TERMINATE;
      }
      files.put(inFolder(file), Stamp.of(attributes));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
      // A link to a folder above it leads to files that are listed anyway.
      if (!isHidden(file) && !(failure instanceof FileSystemLoopException)) {
        cannotBeListed(file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) {
      if (failure != null) {
        cannotBeListed(directory);
      }
      return FileVisitResult.CONTINUE;
    }

    private void cannotBeListed(Path path) {
      warnings.add(
          warning(
              inFolder(path),
              "cannot be opened; expected a file or folder that the user that runs the service can"
                  + " read"));
    }

    private static boolean isHidden(Path path) {
      return String.valueOf(path.getFileName()).startsWith(".");
    }

    private static String ending(String name) {
      return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }

    private String inFolder(Path path) {
      return path.equals(folder)
          ? String.valueOf(folder.getFileName())
          : StreamSupport.stream(folder.relativize(path).spliterator(), false)
              .map(Path::toString)
              .collect(Collectors.joining("/"));
    }
  }

  /** Returns the sentence for a file that is left out. */
  static String warning(String file, String why) {
    return "Knowledge search leaves out " + file + ": it " + why + ".";
  }
}
