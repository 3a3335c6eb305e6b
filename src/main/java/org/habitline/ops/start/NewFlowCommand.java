package org.habitline.ops.start;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.habitline.flows.NewFlow;
import org.habitline.flows.NewFlow.Outcome;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The command {@code new-flow NAME}: writes the folder of a flow that works as it is, and prints
 * what to do next. Never changes a flow that exists. Exit code 0 if the folder was written, 1 with
 * one sentence if not, 2 for wrong arguments.
 */
public final class NewFlowCommand {

  public static final String NAME = "new-flow";

  private static final int WRITTEN = 0;
  private static final int NOT_WRITTEN = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private NewFlowCommand() {}

  /**
   * Runs the command and returns its exit code.
   *
   * @param home the home folder that gets the flow
   */
  public static int run(List<String> arguments, Path home, PrintStream out, PrintStream err) {
    return accepted()
        .read(
            arguments,
            out,
            err,
            given -> write(given.matchedPositionalValue(0, ""), home, out, err));
  }

  private static int write(String name, Path home, PrintStream out, PrintStream err) {
    return switch (NewFlow.write(home, name)) {
      case Outcome.Written(String at) -> {
        out.print(
            """
            Wrote %s. The flow works as it is: try it, then change it step by step.

              1. Edit flow.yaml and the files in prompts and knowledge. docs/flows.md lists every key.
              2. Check it:  %s
              3. Start it:  %s
              4. Open the address that the start prints, http://127.0.0.1:8080 by default, and sign in
                 with the login link. Enrol a participant and press "Reply as participant".

            Participants who are enrolled already stay in their flows.
            """
                .formatted(
                    home.resolve(at),
                    command(CheckFlowCommand.NAME + " " + name),
                    command("--" + Setting.HABITLINE_FLOW.key() + "=" + name)));
        yield WRITTEN;
      }
      case Outcome.BadName(String sentence) -> {
        err.println(sentence);
        yield WRONG_ARGUMENTS;
      }
      case Outcome.NotWritten(String sentence) -> {
        err.println("No flow was written. " + sentence);
        yield NOT_WRITTEN;
      }
    };
  }

  /** Returns how to run the program with these arguments, in the way that it runs now. */
  private static String command(String arguments) {
    return Boolean.getBoolean(StartArguments.UNDER_MAVEN)
        ? "mvn mn:run -Dmn.watch=false -Dmn.appArgs=\"" + arguments + "\""
        : "java -jar habitline.jar " + arguments;
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Writes the folder of a new flow with this name into config/flows of the home folder."
                + " The flow works as it is, and comments explain it. Nothing that exists is"
                + " changed. The exit code is 0 if the folder was written and 1 if not.",
            "Expected one argument, the name of the new flow");
    accepted
        .spec()
        .addPositional(
            PositionalParamSpec.builder()
                .paramLabel("NAME")
                .type(String.class)
                .arity("1")
                .required(true)
                .description("the name: lower-case letters, digits, - and _")
                .build());
    return accepted;
  }
}
