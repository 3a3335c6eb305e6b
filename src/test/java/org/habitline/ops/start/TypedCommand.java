package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A command on a study that is stopped, as somebody types it, with what it prints. */
final class TypedCommand {

  /** What a command's class does with its arguments. */
  @FunctionalInterface
  interface Run {
    int of(List<String> arguments, ApplicationContext context, PrintStream out, PrintStream err);
  }

  private final Run run;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  TypedCommand(Run run) {
    this.run = run;
  }

  /** Runs the command and returns its exit code. */
  int run(Path home, String... arguments) {
    out.reset();
    err.reset();
    return run.of(
        List.of(arguments),
        ApplicationContext.builder()
            .properties(Map.of("database.url", "", "habitline.home", home.toString()))
            .build(),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  /** Returns what the last run printed. */
  String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Returns what the last run said went wrong. */
  String told() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
