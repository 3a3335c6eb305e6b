package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.value.PropertyResolver;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;
import org.habitline.ops.database.PostgresMigration;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * The command {@code move-to-postgresql}: copies the data of the home folder's H2 file to the
 * database named by {@code DATABASE_URL}. Exit code 0 if everything was copied; 1 with one sentence
 * if nothing was; 2 for wrong arguments.
 */
public final class PostgresMigrationCommand {

  public static final String NAME = "move-to-postgresql";

  private static final int MOVED = 0;
  private static final int NOT_MOVED = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private PostgresMigrationCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    var command = new CommandLine(spec());
    try {
      if (command.parseArgs(arguments.toArray(String[]::new)).isUsageHelpRequested()) {
        command.usage(out);
        return MOVED;
      }
    } catch (ParameterException e) {
      err.println("It takes no arguments; " + NAME + " --help describes it.");
      return WRONG_ARGUMENTS;
    }
    try (var context = ApplicationContext.builder().build()) {
      var environment = context.getEnvironment();
      environment.start();
      return run(environment, out, err);
    }
  }

  /** Runs the command with these settings; returns its exit code. */
  public static int run(PropertyResolver settings, PrintStream out, PrintStream err) {
    try {
      PostgresMigration.of(settings).carryOut(out);
      return MOVED;
    } catch (PostgresMigration.Refused e) {
      err.println("Nothing was moved. " + e.getMessage());
    } catch (SQLException e) {
      err.println(
          "Nothing was moved. "
              + StartFailure.sentence(e)
                  .orElse("A database refused the command with SQLSTATE " + e.getSQLState() + "."));
    } catch (IOException e) {
      err.println(
          "Nothing was moved. The file cannot be copied within its folder. Make sure that"
              + " there is space for a second file and that this user may write there.");
    }
    return NOT_MOVED;
  }

  private static CommandSpec spec() {
    var spec = CommandSpec.create().name(NAME);
    spec.usageMessage()
        .description(
            "Copies everything from the H2 file in the home's data folder to the PostgreSQL"
                + " database that DATABASE_URL, DATABASE_USER and DATABASE_PASSWORD name. Stop the"
                + " service first; the PostgreSQL database must be empty. The file is not changed.")
        .width(100);
    return spec.addOption(
        OptionSpec.builder("--help", "-h")
            .type(boolean.class)
            .usageHelp(true)
            .description("shows this help")
            .build());
  }
}
