package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.value.PropertyResolver;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;
import org.habitline.ops.database.DatabaseRefused;
import org.habitline.ops.database.PostgresMigration;

/**
 * The command {@code move-to-postgresql}: copies the data of the home folder's H2 file to the
 * database named by {@code DATABASE_URL}. Exit code 0 if everything was copied; 1 with one sentence
 * if nothing was; 2 for wrong arguments.
 */
public final class PostgresMigrationCommand {

  public static final String NAME = "move-to-postgresql";

  private static final int MOVED = 0;
  private static final int NOT_MOVED = 1;

  private PostgresMigrationCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    return accepted().read(arguments, out, err, given -> move(out, err));
  }

  private static int move(PrintStream out, PrintStream err) {
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
    } catch (DatabaseRefused e) {
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

  private static CommandArguments accepted() {
    return new CommandArguments(
        NAME,
        "Copies everything from the H2 file in the home's data folder to the PostgreSQL"
            + " database that DATABASE_URL, DATABASE_USER and DATABASE_PASSWORD name. Stop the"
            + " service first; the PostgreSQL database must be empty. The file is not changed.",
        "It takes no arguments");
  }
}
