package org.habitline.protocol;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.habitline.config.Mistakes;
import org.habitline.config.YamlText;

/**
 * What {@code config/study.yaml} in the home folder says. Every part is optional, and so is the
 * file. {@code docs/safety.md} describes it.
 *
 * @param safety whom to alert of a crisis
 */
public record StudyFile(Optional<AlertPlan> safety) {

  /** The file in error messages. */
  public static final String NAME = "config/study.yaml";

  /**
   * Reads the file.
   *
   * @throws BrokenStudy with every mistake if the file is there and cannot be used
   */
  public static StudyFile read(Path home) {
    var file = home.resolve("config").resolve("study.yaml");
    if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
      return new StudyFile(Optional.empty());
    }
    var mistakes = new Mistakes(NAME);
    var root = YamlText.parse(text(file), mistakes);
    root.ifPresent(keys -> {
      keys.only("safety");
      if (keys.keys().contains("safety") && !keys.has("safety")) {
        keys.refuse("safety", "expected keys with values, found nothing");
      }
    });
    var safety = root.flatMap(keys -> keys.optionalSection("safety")).map(AlertPlan::read);
    if (!mistakes.all().isEmpty()) {
      throw new BrokenStudy(mistakes.all());
    }
    return new StudyFile(safety);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw broken("expected text in UTF-8");
    } catch (IOException e) {
      throw broken("the file exists but cannot be read; expected a readable text file");
    }
  }

  private static BrokenStudy broken(String expected) {
    return new BrokenStudy(List.of(NAME + ": " + expected));
  }
}
