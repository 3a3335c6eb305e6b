package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.habitline.RunningLine;
import org.junit.jupiter.api.Test;

/** The command as somebody types it. */
final class ReportCommandTest {

  private final TypedCommand command = new TypedCommand(ReportCommand::run);

  @Test
  void aStoppedStudyIsReportedInANewFolder() {
    Path home;
    try (var line = RunningLine.onFile(ReportCommandTest.class).start()) {
      home = line.home();
      line.answered(line.greeted(), "hello");
    }
    var folder = home.resolve("report");
    assertThat(command.run(home, "--out", folder.toString())).as(command.told()).isZero();
    assertThat(command.printed())
        .matches(
            "Report written to .*report: \\d+ files with \\d+ tables of numbers\\. Open"
                + " .*index\\.html\\.\\s+");
    assertThat(folder.resolve("index.html")).isRegularFile();
    assertThat(command.run(home, "--out", folder.toString())).isEqualTo(1);
    assertThat(command.told())
        .startsWith("No report was written. ")
        .contains("is not empty. Choose a new folder");
    assertThat(
            command.run(
                home, "--out", home.resolve("other").toString(), "--rehearsal", "no-file.json"))
        .isEqualTo(1);
    assertThat(command.told()).contains("no-file.json cannot be read.");
  }

  @Test
  void wrongArgumentsAreRefusedWithOneSentence() {
    assertThat(command.run(Path.of("").toAbsolutePath())).isEqualTo(2);
    assertThat(command.told()).startsWith("Expected --out FOLDER");
  }
}
