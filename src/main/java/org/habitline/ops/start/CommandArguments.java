package org.habitline.ops.start;

import java.io.PrintStream;
import java.util.List;
import java.util.function.ToIntFunction;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The arguments that a command of the jar accepts. Every command begins with them: {@code --help}
 * prints what it does, and wrong arguments are refused with one sentence.
 *
 * @param expected what is accepted, such as {@code Expected one or more files}
 */
record CommandArguments(CommandSpec spec, String expected) {

  private static final int HELPED = 0;
  private static final int WRONG_ARGUMENTS = 2;

  /** Creates the arguments of a command that accepts only {@code --help} so far. */
  CommandArguments(String name, String description, String expected) {
    this(CommandSpec.create().name(name), expected);
    spec.usageMessage().description(description).width(100);
    spec.addOption(
        OptionSpec.builder("--help", "-h")
            .type(boolean.class)
            .usageHelp(true)
            .description("shows this help")
            .build());
  }

  /**
   * Runs a command with its arguments and returns its exit code. It is 0 after {@code --help}, and
   * 2 for wrong arguments.
   */
  int read(
      List<String> given, PrintStream out, PrintStream err, ToIntFunction<ParseResult> command) {
    var line = new CommandLine(spec);
    ParseResult arguments;
    try {
      arguments = line.parseArgs(given.toArray(String[]::new));
    } catch (ParameterException e) {
      err.println(expected + "; see " + spec.name() + " --help.");
      return WRONG_ARGUMENTS;
    }
    if (arguments.isUsageHelpRequested()) {
      line.usage(out);
      return HELPED;
    }
    return command.applyAsInt(arguments);
  }
}
