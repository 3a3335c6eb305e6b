package org.habitline.ops.start;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.BrokenStudy;
import org.habitline.protocol.StudyFile;

/**
 * The command {@code check-study}: reads {@code config/study.yaml} as a start does, and prints
 * every mistake, or whom a crisis alerts and when nobody is on duty. Looks at no secret, starts
 * neither the service nor the database, and alerts nobody. Exit code 0 if somebody is alerted; 1 if
 * nobody is, or the file has a mistake; 2 if the arguments are wrong.
 */
public final class CheckStudyCommand {

  public static final String NAME = "check-study";

  private static final int WELL = 0;
  private static final int NOT_WELL = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private CheckStudyCommand() {}

  /** Runs the command and returns its exit code. */
  public static int run(List<String> arguments, Path home, PrintStream out, PrintStream err) {
    if (!arguments.isEmpty()) {
      err.println(NAME + " expects no arguments: it reads " + StudyFile.NAME + ".");
      return WRONG_ARGUMENTS;
    }
    StudyFile study;
    try {
      study = StudyFile.read(home);
    } catch (BrokenStudy e) {
      e.mistakes().forEach(err::println);
      return NOT_WELL;
    }
    if (study.safety().isEmpty()) {
      out.println(
          StudyFile.NAME
              + " has no section safety: a crisis is shown on the pages, and nobody is alerted.");
      return NOT_WELL;
    }
    var plan = study.safety().get();
    out.println("A crisis alerts these people " + channels(plan) + ", in this order:");
    plan.rota().forEach(person -> out.println("  " + person.name()));
    out.println(
        "The next one is alerted if nobody acknowledges the incident within "
            + plan.escalateAfter().toMinutes()
            + " minutes.");
    plan.gap().ifPresent(out::println);
    return WELL;
  }

  private static String channels(AlertPlan plan) {
    var mail = plan.mailServer().isPresent();
    var webhook = plan.webhook().isPresent();
    return mail && webhook ? "by e-mail and webhook" : mail ? "by e-mail" : "by webhook";
  }
}
