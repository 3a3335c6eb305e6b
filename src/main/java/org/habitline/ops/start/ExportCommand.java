package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.habitline.study.exports.ExportScope;
import org.habitline.study.exports.StudyExports;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command {@code export}: writes the whole study to a data package. Exit code 0 if the file is
 * complete; 1 with one sentence if it is not; 2 for wrong arguments.
 */
public final class ExportCommand {

  public static final String NAME = "export";

  private static final String OUT = "--out";
  private static final String SCOPE = "--scope";
  private static final String SPREADSHEET = "--spreadsheet";

  private static final int EXPORTED = 0;
  private static final int NOT_EXPORTED = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private ExportCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    return run(
        arguments, ApplicationContext.builder().mainClass(ExportCommand.class).build(), out, err);
  }

  /**
   * Runs the command with the settings of a context that was not started; returns its exit code.
   */
  public static int run(
      List<String> arguments, ApplicationContext context, PrintStream out, PrintStream err) {
    return accepted().read(arguments, out, err, given -> export(given, context, out, err));
  }

  private static int export(
      ParseResult given, ApplicationContext context, PrintStream out, PrintStream err) {
    Path file = given.matchedOptionValue(OUT, Path.of("study.zip"));
    var scope = ExportScope.of(given.matchedOptionValue(SCOPE, ExportScope.DEIDENTIFIED.word()));
    if (scope.isEmpty()) {
      err.println("--scope: unknown; expected deidentified, texts or identified.");
      return WRONG_ARGUMENTS;
    }
    if (Files.exists(file)) {
      err.println("--out: " + file + " exists already. Choose another name, or delete it first.");
      return WRONG_ARGUMENTS;
    }
    try (context) {
      context.start();
      var rows =
          context
              .getBean(StudyExports.class)
              .write(
                  file,
                  new StudyExports.Wanted(
                      scope.get(),
                      given.matchedOptionValue(SPREADSHEET, false),
                      "command line",
                      "system"));
      out.println("%d rows exported to %s (%s).".formatted(rows, file, scope.get().word()));
      return EXPORTED;
    } catch (StudyExports.Failed e) {
      err.println("Nothing was exported. " + e.getMessage());
    } catch (RuntimeException e) {
      err.println(
          "Nothing was exported. "
              + StartFailure.sentence(e).orElse("The cause was " + e.getClass().getName() + "."));
    }
    return NOT_EXPORTED;
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Writes the whole study to a zip: a CSV file for each table and datapackage.json, which"
                + " describes them (Frictionless Data Package v1). With an H2 file, stop the"
                + " service first.",
            "Expected --out FILE and optionally --scope SCOPE and --spreadsheet");
    accepted
        .spec()
        .addOption(
            OptionSpec.builder(OUT)
                .type(Path.class)
                .paramLabel("FILE")
                .required(true)
                .description("the file to write; it must not exist yet")
                .build())
        .addOption(
            OptionSpec.builder(SCOPE)
                .type(String.class)
                .paramLabel("SCOPE")
                .description("deidentified (default), texts or identified")
                .build())
        .addOption(
            OptionSpec.builder(SPREADSHEET)
                .type(boolean.class)
                .description("guards texts that a spreadsheet program takes for formulas")
                .build());
    return accepted;
  }
}
