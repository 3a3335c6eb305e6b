package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.habitline.RunningLine;
import org.junit.jupiter.api.Test;

/** The command as somebody types it. */
final class ReportCommandTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(Path home, String... arguments) {
    out.reset();
    err.reset();
    return ReportCommand.run(
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
  void aStoppedStudyIsReportedInANewFolder() {
    Path home;
    try (var line = RunningLine.onFile(ReportCommandTest.class).start()) {
      home = line.home();
      line.answered(line.greeted(), "hello");
    }
    var folder = home.resolve("report");
    assertThat(run(home, "--out", folder.toString())).as(told()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .matches(
            "Report written to .*report: \\d+ files with \\d+ tables of numbers\\. Open"
                + " .*index\\.html\\.\\s+");
    assertThat(folder.resolve("index.html")).isRegularFile();
    assertThat(run(home, "--out", folder.toString())).isEqualTo(1);
    assertThat(told())
        .startsWith("No report was written. ")
        .contains("is not empty. Choose a new folder");
    assertThat(run(home, "--out", home.resolve("other").toString(), "--rehearsal", "no-file.json"))
        .isEqualTo(1);
    assertThat(told()).contains("no-file.json cannot be read.");
  }

  @Test
  void wrongArgumentsAreRefusedWithOneSentence() {
    assertThat(run(Path.of("").toAbsolutePath())).isEqualTo(2);
    assertThat(told()).startsWith("Expected --out FOLDER");
  }
}
