package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import org.habitline.messaging.Restored;

/**
 * The command {@code restored}: marks a PostgreSQL database as restored from a backup, so that the
 * next start does nothing that waits in it before an admin decides. The time of the backup is that
 * of the newest event. A backup of the H2 file has its mark already. Exit code 0 if it is marked; 1
 * with one sentence if it is not; 2 for wrong arguments. It may be repeated.
 */
public final class RestoredCommand {

  public static final String NAME = "restored";

  private static final int MARKED = 0;
  private static final int NOT_MARKED = 1;

  private RestoredCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    return run(
        arguments, ApplicationContext.builder().mainClass(RestoredCommand.class).build(), out, err);
  }

  /**
   * Runs the command with the settings of a context that was not started; returns its exit code.
   */
  public static int run(
      List<String> arguments, ApplicationContext context, PrintStream out, PrintStream err) {
    return new CommandArguments(
            NAME,
            "Marks the database as restored from a backup, after pg_restore and before the first"
                + " start. That start answers and sends nothing that waits until an admin decides on"
                + " the page Today.",
            "It takes no arguments")
        .read(arguments, out, err, given -> mark(context, out, err));
  }

  private static int mark(ApplicationContext context, PrintStream out, PrintStream err) {
    try (context) {
      context.start();
      var restored = context.getBean(Restored.class);
      var madeAt = restored.newestEvent().orElseGet(() -> context.getBean(Clock.class).instant());
      restored.mark(madeAt);
      out.println(
          "The database is marked as the backup of "
              + madeAt
              + ". Start the service; nothing that waits is done until an admin decides on Today.");
      return MARKED;
    } catch (RuntimeException e) {
      err.println(
          "The database is not marked. "
              + StartFailure.sentence(e).orElse("The cause was " + e.getClass().getName() + "."));
      return NOT_MARKED;
    }
  }
}
