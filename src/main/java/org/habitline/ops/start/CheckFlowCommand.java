package org.habitline.ops.start;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.List;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.FlowCheck;
import org.habitline.messaging.inbox.ConsentKeywords;
import org.habitline.tools.ToolCatalog;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The command {@code check-flow [NAME|FOLDER]}: reads flows and their prompt files as the service
 * does when it starts, and prints every mistake. Opens no port and no database, and writes nothing.
 * Exit code 0 if there is no mistake, 1 if there is any, 2 for wrong arguments.
 */
public final class CheckFlowCommand {

  public static final String NAME = "check-flow";

  private static final int RIGHT = 0;
  private static final int MISTAKES = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private CheckFlowCommand() {}

  /**
   * Runs the command with the settings of this process and returns its exit code.
   *
   * @param home the home folder that holds {@code config/flows} and {@code prompts}
   */
  public static int run(List<String> arguments, Path home, PrintStream out, PrintStream err) {
    return accepted()
        .read(
            arguments,
            out,
            err,
            given -> check(given.matchedPositionalValue(0, null), home, out, err));
  }

  private static int check(@Nullable String named, Path home, PrintStream out, PrintStream err) {
    try (var beans = ToolBeans.start(home)) {
      var usual = Setting.DEFAULT_SCHEDULE.in(beans.getEnvironment()).map(LocalTime::parse);
      var check =
          new FlowCheck(
              home, beans.getBean(ToolCatalog.class), usual, ConsentKeywords.read(home)::isAny);
      var ids =
          named == null
              ? check.all(Setting.HABITLINE_FLOW.in(beans.getEnvironment()).orElseThrow())
              : check.one(named);
      if (ids.isEmpty()) {
        err.println(
            "There is no flow '%s'; expected a folder in config/flows of the home folder, or any folder with a flow.yaml."
                .formatted(named));
        return WRONG_ARGUMENTS;
      }
      out.println(
          ids.size() == 1
              ? "No mistakes in the flow %s.".formatted(ids.iterator().next())
              : "No mistakes in the flows %s.".formatted(String.join(", ", ids)));
      return RIGHT;
    } catch (BrokenFlow broken) {
      var mistakes = broken.mistakes();
      mistakes.forEach(out::println);
      out.println(mistakes.size() == 1 ? "1 mistake." : mistakes.size() + " mistakes.");
      return MISTAKES;
    }
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Reads a flow and its prompt files as the service does when it starts, and prints every"
                + " mistake with the file, the key, the line and what was expected. Starts nothing."
                + " The exit code is 0 if there is no mistake and 1 if there is any.",
            "Expected at most one argument, the name of a flow or a folder");
    accepted
        .spec()
        .addPositional(
            PositionalParamSpec.builder()
                .paramLabel("NAME|FOLDER")
                .type(String.class)
                .arity("0..1")
                .description(
                    "a flow in config/flows of the home folder, or a folder with a flow.yaml; without"
                        + " it, every flow of the home folder")
                .build());
    return accepted;
  }
}
