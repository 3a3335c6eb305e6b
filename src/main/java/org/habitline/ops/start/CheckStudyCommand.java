package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.value.PropertyResolver;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.BrokenStudy;
import org.habitline.protocol.ConsentPlan;
import org.habitline.protocol.EnrolmentTarget;
import org.habitline.protocol.GatePlan;
import org.habitline.protocol.IncidentRetention;
import org.habitline.protocol.ReplyGate;
import org.habitline.protocol.SecondOpinionPlan;
import org.habitline.protocol.StudyContact;
import org.habitline.protocol.StudyFile;
import org.habitline.safety.alerts.Alerting;

/**
 * The command {@code check-study}: reads {@code config/study.yaml} as a start does, and prints
 * every mistake, or what applies, part by part, and then warnings: for example, that nobody is
 * alerted or on duty, and what the consent text does not mention. Looks at no secret, starts
 * neither the service nor the database, and alerts nobody. Exit code 0 if the file has no mistake,
 * whatever the warnings say; 1 if it has one; 2 if the arguments are wrong.
 */
public final class CheckStudyCommand {

  public static final String NAME = "check-study";

  private static final int RIGHT = 0;
  private static final int MISTAKES = 1;

  private final StudyFile study;
  private final PropertyResolver settings;
  private final PrintStream out;
  private final List<String> warnings = new ArrayList<>();

  private CheckStudyCommand(StudyFile study, PropertyResolver settings, PrintStream out) {
    this.study = study;
    this.settings = settings;
    this.out = out;
  }

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, Path home, PrintStream out, PrintStream err) {
    try (var context = ApplicationContext.builder().build()) {
      var environment = context.getEnvironment();
      environment.start();
      return run(arguments, home, environment, out, err);
    }
  }

  /** Runs the command with these settings; returns its exit code. */
  static int run(
      List<String> arguments,
      Path home,
      PropertyResolver settings,
      PrintStream out,
      PrintStream err) {
    return new CommandArguments(
            NAME,
            "Reads "
                + StudyFile.NAME
                + " in the home folder as a start does. Prints every mistake with its key, its line"
                + " and what is accepted, or what applies, part by part, and then warnings. Starts"
                + " nothing, sends nothing and looks at no secret. The exit code is 0 if the file"
                + " has no mistake, whatever the warnings say, or if there is no file; 1 if it has"
                + " a mistake; and 2 for wrong arguments.",
            "The only option is --help; the command reads " + StudyFile.NAME)
        .read(arguments, out, err, given -> check(home, settings, out, err));
  }

  private static int check(Path home, PropertyResolver settings, PrintStream out, PrintStream err) {
    try {
      new CheckStudyCommand(StudyFile.read(home), settings, out).print();
      return RIGHT;
    } catch (BrokenStudy e) {
      e.mistakes().forEach(err::println);
      return MISTAKES;
    }
  }

  private void print() {
    out.println("What applies:");
    study
        .safety()
        .ifPresentOrElse(
            this::alerts,
            () -> {
              part("safety", "a crisis is shown on the pages, and no one is alerted.");
              warnings.add(
                  StudyFile.NAME
                      + " has no section safety: no one is alerted of a crisis, but messages are still sent. Agree who checks the page Safety, and at what times.");
            });
    part(
        "safety.second_opinion",
        study
            .secondOpinion()
            .map(CheckStudyCommand::secondOpinion)
            .orElse("off; the rules decide alone."));
    if (study.secondOpinion().isEmpty()) {
      warnings.add(SecondOpinionPlan.OFF);
    }
    part(
        "safety.retention",
        study
            .incidents()
            .map(IncidentRetention::days)
            .map(
                days -> "the words of an incident are removed " + days + " days after its release.")
            .orElse("the words of incidents are kept."));
    consent();
    part("contact", study.contact().map(StudyContact::line).orElse("none."));
    if (study.contact().isEmpty()) {
      warnings.add(StudyContact.MISSING);
    }
    study.budgets().sentences().forEach(sentence -> part("budgets", sentence));
    part("gates", gates(study.gates()));
    part(
        "coding",
        String.format(
            Locale.ROOT,
            "staff code a share of %s of the daily prompts with a reply.",
            BigDecimal.valueOf(study.coding().share()).stripTrailingZeros().toPlainString()));
    fields();
    part("model_policy", study.models().sentence());
    part("monitoring", study.monitoring().sentence());
    study.retention().sentences().forEach(sentence -> part("retention", sentence));
    part(
        "target",
        study
            .target()
            .map(EnrolmentTarget::sentence)
            .orElse("the study names no number to enrol."));
    if (!warnings.isEmpty()) {
      out.println();
      out.println("Warnings (they do not change the exit code):");
      warnings.forEach(warning -> out.println("  " + warning));
    }
  }

  private void fields() {
    if (study.fields().all().isEmpty()) {
      part("fields", "none of its own.");
    }
    study
        .fields()
        .all()
        .forEach(field ->
            part("fields", field.name() + " (" + field.label() + "): " + field.accepts() + "."));
  }

  private void part(String name, String says) {
    out.printf("  %-22s  %s%n", name, says);
  }

  private void alerts(AlertPlan plan) {
    part(
        "safety.rota",
        "a crisis alerts these people by "
            + String.join(" and ", plan.methods())
            + ", in this order: "
            + plan.rota().stream()
                .map(person -> person.name() + " (" + methods(plan, person) + ")")
                .collect(Collectors.joining(", "))
            + ".");
    part(
        "safety.escalate_after",
        "the next one is alerted if no one acknowledges the incident within "
            + plan.escalateAfter().toMinutes()
            + " minutes.");
    part(
        "safety.coverage",
        plan.coverage().isPresent()
            ? "the texts to participants say when a person reads messages."
            : "the texts to participants say no time at which a person reads messages.");
    part(
        "safety.clinician",
        plan.clinician().map(AlertPlan.Clinician::name).orElse("no one is shown on an incident."));
    plan.gap().ifPresent(warnings::add);
    if (Setting.HABITLINE_PUBLIC_URL.in(settings).isEmpty()) {
      warnings.add(Alerting.NO_LINK);
    }
    warnings.add(
        plan.lacksAMethod()
            .orElse(
                "Real channels stay off until a test alert is acknowledged on the page Safety."));
  }

  private static String methods(AlertPlan plan, AlertPlan.OnCall person) {
    return Stream.of(
            person.email().isPresent() ? "e-mail" : "",
            plan.webhook().isPresent() ? "webhook" : "",
            person.phone().isPresent() ? "SMS" : "")
        .filter(method -> !method.isEmpty())
        .collect(Collectors.joining(", "));
  }

  private static String secondOpinion(SecondOpinionPlan plan) {
    return "by %s (%s); a reply waits for it for %d s at most."
        .formatted(
            plan.by().word(),
            plan.model() == null ? "the usual one" : plan.model(),
            plan.timeout().toSeconds());
  }

  /** Prints how people are asked; what the text does not mention is a hint, never a mistake. */
  private void consent() {
    var plan = study.consent();
    var version = plan.flatMap(ConsentPlan::version);
    if (version.isEmpty()) {
      part(
          "consent",
          "Habitline asks no one. Record with each enrolment which consent was obtained elsewhere"
              + " (consent_version).");
      plan.filter(it -> it.minAge() > 0)
          .ifPresent(it ->
              part(
                  "consent.min_age",
                  "coaching pauses for someone who says that they are younger than "
                      + it.minAge()
                      + "."));
      return;
    }
    part(
        "consent",
        "people are asked for consent to version "
            + version.get()
            + (plan.get().minAge() == 0
                ? "; no one is asked how old they are."
                : ", after they said that they are at least " + plan.get().minAge() + "."));
    plan.get()
        .hints()
        .forEach(hint ->
            warnings.add(hint + " (A hint, found by looking for words: have someone read it.)"));
  }

  private static String gates(GatePlan gates) {
    return gates.off().isEmpty()
        ? "all on."
        : "on, but for "
            + gates.off().stream().map(ReplyGate::word).collect(Collectors.joining(", "))
            + ": a model's words are not checked for that.";
  }
}
