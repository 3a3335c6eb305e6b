package org.habitline.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the instructions for a model from the home folder, or else the packaged ones. */
public final class HomeText {

  /** The comment at the beginning of a file, for people who edit it; no model reads it. */
  private static final Pattern COMMENT = Pattern.compile("\\A\\s*<!--.*?-->", Pattern.DOTALL);

  private HomeText() {}

  /**
   * Returns a text without the comment with which it begins, or empty if the file is blank or
   * cannot be read as UTF-8.
   *
   * @param folder the folder in the home folder, such as {@code config/safety}
   */
  public static Optional<String> read(Path home, String folder, String file) {
    var own = home.resolve(folder).resolve(file);
    var found =
        Files.exists(own, LinkOption.NOFOLLOW_LINKS)
            ? own
            : Packaged.folder("shipped/" + folder).orElseThrow().resolve(file);
    try {
      return Optional.of(COMMENT.matcher(Files.readString(found)).replaceFirst("").strip())
          .filter(text -> !text.isEmpty());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
