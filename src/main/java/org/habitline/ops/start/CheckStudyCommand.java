package org.habitline.ops.start;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.BrokenStudy;
import org.habitline.protocol.ConsentPlan;
import org.habitline.protocol.ReplyGate;
import org.habitline.protocol.StudyContact;
import org.habitline.protocol.StudyFile;

/**
 * The command {@code check-study}: reads {@code config/study.yaml} as a start does, and prints
 * every mistake, or whom a crisis alerts and when nobody is on duty, and what the consent text does
 * not mention. Looks at no secret, starts neither the service nor the database, and alerts nobody.
 * Exit code 0 if somebody is alerted; 1 if nobody is, or the file has a mistake; 2 if the arguments
 * are wrong.
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
    study.budgets().sentences().forEach(out::println);
    consent(study, out);
    if (!study.gates().off().isEmpty()) {
      out.println(
          "These gates are off, so that a model's words are not checked for them: "
              + study.gates().off().stream().map(ReplyGate::word).collect(Collectors.joining(", "))
              + ".");
    }
    if (study.safety().isEmpty()) {
      out.println(
          StudyFile.NAME
              + " has no section safety: a crisis is shown on the pages, and nobody is alerted.");
      return NOT_WELL;
    }
    var plan = study.safety().get();
    out.println(
        "A crisis alerts these people by "
            + String.join(" and ", plan.roads())
            + ", in this order:");
    plan.rota()
        .forEach(person -> out.println("  " + person.name() + " (" + roads(plan, person) + ")"));
    out.println(
        "The next one is alerted if nobody acknowledges the incident within "
            + plan.escalateAfter().toMinutes()
            + " minutes.");
    plan.gap().ifPresent(out::println);
    study
        .incidents()
        .ifPresent(kept ->
            out.println(
                "The words of an incident are removed "
                    + kept.days()
                    + " days after its release."));
    out.println(
        plan.coverage().isPresent()
            ? "The texts to participants say when a person reads messages."
            : "The texts to participants say no time at which a person reads messages: safety.coverage is missing.");
    plan.lacksARoad()
        .ifPresentOrElse(
            out::println,
            () ->
                out.println(
                    "Real channels stay off until a test alert is acknowledged on the page Safety."));
    return WELL;
  }

  /** Prints how people are asked, and what the text does not mention: hints, never a mistake. */
  private static void consent(StudyFile study, PrintStream out) {
    if (study.contact().isEmpty()) {
      out.println(StudyContact.MISSING);
    }
    var plan = study.consent();
    if (plan.flatMap(ConsentPlan::version).isEmpty()) {
      out.println(
          "Habitline asks nobody for consent: "
              + StudyFile.NAME
              + " has no consent text. Record with each enrolment which consent was obtained"
              + " elsewhere (consent_version).");
      return;
    }
    out.println(
        "People are asked for consent to version "
            + plan.get().version().orElseThrow()
            + (plan.get().minAge() == 0
                ? "; nobody is asked how old they are."
                : ", after they said that they are at least " + plan.get().minAge() + "."));
    var hints = plan.get().hints();
    if (!hints.isEmpty()) {
      out.println(
          "These are hints, found by looking for words. They do not change the exit code; have"
              + " somebody read the text:");
      hints.forEach(hint -> out.println("  " + hint));
    }
  }

  private static String roads(AlertPlan plan, AlertPlan.OnCall person) {
    return Stream.of(
            person.email().isPresent() ? "e-mail" : "",
            plan.webhook().isPresent() ? "webhook" : "",
            person.phone().isPresent() ? "SMS" : "")
        .filter(road -> !road.isEmpty())
        .collect(Collectors.joining(", "));
  }
}
