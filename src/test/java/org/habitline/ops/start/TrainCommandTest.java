package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TrainCommandTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... arguments) {
    return TrainCommand.run(
        List.of(arguments),
        settings -> {
          throw new AssertionError("The service was started.");
        },
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  @Test
  void theHelpSaysWhatTheCommandDoesAndStartsNothing() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("-XX:AOTCacheOutput", "No real", "your data is not touched");
  }

  @Test
  void argumentsAreRefused() {
    assertThat(run("--days=2")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("train takes no arguments");
  }
}
