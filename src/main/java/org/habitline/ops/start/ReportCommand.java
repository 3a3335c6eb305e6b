package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.habitline.study.report.PublicationBundle;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command {@code report}: writes the publication bundle of the study to a new folder. Exit code
 * 0 if the folder is complete; 1 with one sentence if it is not; 2 for wrong arguments.
 */
public final class ReportCommand {

  public static final String NAME = "report";

  private static final String OUT = "--out";
  private static final String REHEARSAL = "--rehearsal";

  private static final int WRITTEN = 0;
  private static final int NOT_WRITTEN = 1;

  private ReportCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    return run(
        arguments, ApplicationContext.builder().mainClass(ReportCommand.class).build(), out, err);
  }

  /**
   * Runs the command with the settings of a context that was not started; returns its exit code.
   */
  public static int run(
      List<String> arguments, ApplicationContext context, PrintStream out, PrintStream err) {
    return accepted().read(arguments, out, err, given -> report(given, context, out, err));
  }

  private static int report(
      ParseResult given, ApplicationContext context, PrintStream out, PrintStream err) {
    Path folder = given.matchedOptionValue(OUT, Path.of(NAME));
    Path rehearsal = given.matchedOptionValue(REHEARSAL, null);
    try (context) {
      context.start();
      var written =
          context
              .getBean(PublicationBundle.class)
              .write(
                  new PublicationBundle.Wanted(
                      folder, Optional.ofNullable(rehearsal), "command line", "system"));
      out.println(
          "Report written to %s: %d files with %d tables of numbers. Open %s."
              .formatted(folder, written.files(), written.figures(), folder.resolve("index.html")));
      return WRITTEN;
    } catch (PublicationBundle.Failed e) {
      err.println("No report was written. " + e.getMessage());
    } catch (RuntimeException e) {
      err.println(
          "No report was written. "
              + StartFailure.sentence(e).orElse("The cause was " + e.getClass().getName() + "."));
    }
    return NOT_WRITTEN;
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Writes what a journal needs of the study to a new folder: web pages with the flow of"
                + " participants, figures, the configuration, deviations and prefilled checklists,"
                + " and each number as CSV with its query. De-identified. With an H2 file, stop the"
                + " service first.",
            "Expected --out FOLDER and optionally --rehearsal FILE");
    accepted
        .spec()
        .addOption(
            OptionSpec.builder(OUT)
                .type(Path.class)
                .paramLabel("FOLDER")
                .required(true)
                .description("the folder to write; it must not exist yet, or be empty")
                .build())
        .addOption(
            OptionSpec.builder(REHEARSAL)
                .type(Path.class)
                .paramLabel("FILE")
                .description("the report of a rehearsal to include, made with rehearse --json FILE")
                .build());
    return accepted;
  }
}
