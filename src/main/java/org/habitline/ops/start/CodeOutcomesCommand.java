package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import java.io.PrintStream;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import org.habitline.llm.ModelConfigured;
import org.habitline.study.coding.OutcomeCoding;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command {@code code-outcomes}: lets a model code what came of the daily prompts, from the
 * participants' own texts, on the database of the home folder. Exit code 0 if every prompt has its
 * code; 1 if one has none yet, or with one sentence if nothing could be done; 2 for wrong
 * arguments, and if no model is configured. It may be repeated: it codes only what is new or has
 * changed.
 */
public final class CodeOutcomesCommand {

  public static final String NAME = "code-outcomes";

  private static final String FROM = "--from";
  private static final String TO = "--to";
  private static final int CODED = 0;
  private static final int NOT_ALL_CODED = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private CodeOutcomesCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    return run(
        arguments,
        ApplicationContext.builder().mainClass(CodeOutcomesCommand.class).build(),
        out,
        err);
  }

  /**
   * Runs the command with the settings of a context that was not started; returns its exit code.
   */
  public static int run(
      List<String> arguments, ApplicationContext context, PrintStream out, PrintStream err) {
    return accepted().read(arguments, out, err, given -> code(given, context, out, err));
  }

  private static int code(
      ParseResult given, ApplicationContext context, PrintStream out, PrintStream err) {
    LocalDate from = given.matchedOptionValue(FROM, null);
    LocalDate to = given.matchedOptionValue(TO, null);
    if (from != null && to != null && from.isAfter(to)) {
      err.println(
          "No outcome was coded. " + FROM + ": expected a date that is not after " + TO + ".");
      return WRONG_ARGUMENTS;
    }
    try (context) {
      context.getEnvironment().start();
      if (!ModelConfigured.in(context)) {
        err.println(
            "No outcome was coded, because no model is configured; set OPENAI_API_KEY for the"
                + " OpenAI API, or OPENAI_BASE_URL for another server.");
        return WRONG_ARGUMENTS;
      }
      context.start();
      return code(from, to, context, out, err);
    } catch (RuntimeException e) {
      err.println(
          "Not every outcome was coded; run the command again. "
              + StartFailure.sentence(e).orElse("The cause was " + e.getClass().getName() + "."));
      return NOT_ALL_CODED;
    }
  }

  private static int code(
      @Nullable LocalDate from,
      @Nullable LocalDate to,
      ApplicationContext context,
      PrintStream out,
      PrintStream err) {
    var patience = context.getRequiredProperty(Setting.TURN_DEADLINE.key(), Duration.class);
    var report = context.getBean(OutcomeCoding.class).code(from, to, patience);
    out.printf("Coder: %s%n", report.version());
    out.printf("  %6d coded by the model (%d tokens)%n", report.byModel(), report.tokens());
    out.printf("  %6d without a text: no_answer%n", report.withoutText());
    out.printf("  %6d coded before%n", report.before());
    if (report.failed() == 0) {
      return CODED;
    }
    err.println(
        report.failed()
            + (report.failed() == 1 ? " prompt has" : " prompts have")
            + " no code: the model was not asked, or its answer was missing or could not be read. "
            + report
                .usedUp()
                .map(budget ->
                    "The run ended early, because "
                        + budget.reason()
                        + ". Run the command tomorrow, or raise the limit. ")
                .orElse("")
            + (report.stopped()
                ? "The model server did not respond, so the remaining prompts were not tried. "
                : "")
            + "Run the command again; it codes only what is left.");
    return NOT_ALL_CODED;
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Lets a model code what came of each daily prompt, from the participant's own texts of"
                + " the day after it. The model is not told who wrote, in which arm, what the coach"
                + " wrote or what was recorded. Each prompt is coded once for each version of the"
                + " coder; run the command again to code what is new. With an H2 file, stop the"
                + " service first; with PostgreSQL it may run. No messages are sent. The exit code"
                + " is 0 if every prompt has its code, 1 if one has none yet, and 2 for wrong"
                + " arguments or if no model is configured.",
            "The only options are "
                + FROM
                + " and "
                + TO
                + ", each with a date such as 2026-11-21, and --help");
    accepted
        .spec()
        .addOption(date(FROM, "the local date of the first prompts; all if not given"))
        .addOption(date(TO, "the local date of the last prompts; all if not given"));
    return accepted;
  }

  private static OptionSpec date(String name, String meaning) {
    return OptionSpec.builder(name)
        .paramLabel("<date>")
        .type(LocalDate.class)
        .description(meaning)
        .build();
  }
}
