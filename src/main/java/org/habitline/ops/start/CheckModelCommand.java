package org.habitline.ops.start;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micronaut.context.ApplicationContext;
import io.micronaut.core.value.PropertyResolver;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.habitline.llm.check.CheckReport;
import org.habitline.llm.check.ModelCheck;
import org.habitline.llm.openai.ConfiguredModel;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The command {@code check-model}: plays ten short exchanges with the configured model and prints
 * what works, what Habitline adapts, and what a study must not rely on. Starts neither the service
 * nor the database. Exit code 0 if every exchange works; 1 if one does not, or with one sentence if
 * the server gives no reply; 2 for wrong arguments, and if no model is configured.
 */
public final class CheckModelCommand {

  public static final String NAME = "check-model";

  private static final String JSON = "--json";
  private static final int WELL = 0;
  private static final int NOT_WELL = 1;
  private static final int NO_MODEL = 2;

  private CheckModelCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    try (var context = ApplicationContext.builder().build()) {
      var environment = context.getEnvironment();
      environment.start();
      return run(arguments, environment, out, err);
    }
  }

  /** Runs the command with these settings; returns its exit code. */
  public static int run(
      List<String> arguments, PropertyResolver settings, PrintStream out, PrintStream err) {
    return accepted()
        .read(
            arguments,
            out,
            err,
            given -> check(given.matchedOptionValue(JSON, false), settings, out, err));
  }

  private static int check(
      boolean json, PropertyResolver settings, PrintStream out, PrintStream err) {
    var configured = ConfiguredModel.of(settings, Clock.systemUTC());
    if (configured.isEmpty()) {
      err.println(
          "No model is configured, so none was checked; set OPENAI_API_KEY for the OpenAI API, or"
              + " OPENAI_BASE_URL for another server.");
      return NO_MODEL;
    }
    try (var model = configured.get()) {
      return check(model, settings, json, out, err);
    }
  }

  private static int check(
      ConfiguredModel model,
      PropertyResolver settings,
      boolean json,
      PrintStream out,
      PrintStream err) {
    var turn = settings.getRequiredProperty(Setting.TURN_DEADLINE.key(), Duration.class);
    var check = new ModelCheck(model.server(), model.patience(), turn, System::nanoTime);
    return switch (check.play()) {
      case ModelCheck.Outcome.Played(CheckReport report) -> {
        if (json) {
          out.println(json(report));
        } else {
          report.print(out);
        }
        yield report.allWork() ? WELL : NOT_WELL;
      }
      case ModelCheck.Outcome.NoReply(String sentence) -> {
        err.println("The model was not checked. " + sentence);
        yield NOT_WELL;
      }
    };
  }

  private static String json(CheckReport report) {
    try {
      return JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build()
          .writeValueAsString(report);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("The report cannot be written as JSON.", e);
    }
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Plays ten short exchanges with the model of OPENAI_MODEL and prints what works, what"
                + " Habitline adapts, and what a study must not rely on. Uses the settings of the"
                + " service: OPENAI_*, MODEL_* and TURN_DEADLINE. The texts are made up, and"
                + " nothing is sent to a participant. The exit code is 0 if every exchange works, 1"
                + " if one does not or the server gives no reply, and 2 if no model is configured.",
            "The only options are " + JSON + " and --help");
    accepted
        .spec()
        .addOption(
            OptionSpec.builder(JSON)
                .type(boolean.class)
                .description("prints the report as JSON")
                .build());
    return accepted;
  }
}
