package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;
import org.habitline.RunningLine;
import org.junit.jupiter.api.Test;

/** The command as somebody types it. */
final class ExportCommandTest {

  private final TypedCommand command = new TypedCommand(ExportCommand::run);

  @Test
  void aStoppedStudyIsExportedToANewFile() throws IOException {
    Path home;
    try (var line = RunningLine.onFile(ExportCommandTest.class).start()) {
      home = line.home();
      line.answered(line.greeted(), "hello");
    }
    var file = home.resolve("study.zip");
    assertThat(command.run(home, "--out", file.toString())).as(command.told()).isZero();
    assertThat(command.printed())
        .matches("\\d+ rows exported to .*study\\.zip \\(deidentified\\)\\.\\s+");
    try (var zip = new ZipFile(file.toFile())) {
      assertThat(zip.getEntry("datapackage.json")).isNotNull();
      assertThat(zip.getEntry("messages.csv").getSize()).isPositive();
    }
    assertThat(command.run(home, "--out", file.toString())).isEqualTo(2);
    assertThat(command.told()).contains("exists already");
    var nowhere = home.resolve("missing").resolve("study.zip");
    assertThat(command.run(home, "--out", nowhere.toString(), "--scope", "texts", "--spreadsheet"))
        .isEqualTo(1);
    assertThat(command.told())
        .startsWith("Nothing was exported. The folder of the file cannot be written.");
    assertThat(Files.exists(nowhere)).isFalse();
  }

  @Test
  void wrongArgumentsAreRefusedWithOneSentence() {
    var here = Path.of("").toAbsolutePath();
    assertThat(command.run(here)).isEqualTo(2);
    assertThat(command.told()).startsWith("Expected --out FILE");
    assertThat(command.run(here, "--out", "study.zip", "--scope", "all")).isEqualTo(2);
    assertThat(command.told())
        .startsWith("--scope: unknown; expected deidentified, texts or identified.");
  }
}
