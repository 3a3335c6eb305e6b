package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;
import org.habitline.RunningLine;
import org.junit.jupiter.api.Test;

/** The command as somebody types it. */
final class ExportCommandTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(Path home, String... arguments) {
    out.reset();
    err.reset();
    return ExportCommand.run(
        List.of(arguments),
        ApplicationContext.builder()
            .properties(Map.of("database.url", "", "habitline.home", home.toString()))
            .build(),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String told() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aStoppedStudyIsExportedToANewFile() throws IOException {
    Path home;
    try (var line = RunningLine.onFile(ExportCommandTest.class).start()) {
      home = line.home();
      line.answered(line.greeted(), "hello");
    }
    var file = home.resolve("study.zip");
    assertThat(run(home, "--out", file.toString())).as(told()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .matches("\\d+ rows exported to .*study\\.zip \\(deidentified\\)\\.\\s+");
    try (var zip = new ZipFile(file.toFile())) {
      assertThat(zip.getEntry("datapackage.json")).isNotNull();
      assertThat(zip.getEntry("messages.csv").getSize()).isPositive();
    }
    assertThat(run(home, "--out", file.toString())).isEqualTo(2);
    assertThat(told()).contains("exists already");
    var nowhere = home.resolve("missing").resolve("study.zip");
    assertThat(run(home, "--out", nowhere.toString(), "--scope", "texts", "--spreadsheet"))
        .isEqualTo(1);
    assertThat(told())
        .startsWith("Nothing was exported. The folder of the file cannot be written.");
    assertThat(Files.exists(nowhere)).isFalse();
  }

  @Test
  void wrongArgumentsAreRefusedWithOneSentence() {
    var here = Path.of("").toAbsolutePath();
    assertThat(run(here)).isEqualTo(2);
    assertThat(told()).startsWith("Expected --out FILE");
    assertThat(run(here, "--out", "study.zip", "--scope", "all")).isEqualTo(2);
    assertThat(told()).startsWith("--scope: unknown; expected deidentified, texts or identified.");
  }
}
