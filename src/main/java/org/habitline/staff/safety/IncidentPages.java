package org.habitline.staff.safety;

import io.micronaut.http.HttpStatus;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.habitline.conversation.stored.Author;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.safety.alerts.Alert;
import org.habitline.safety.alerts.AlertTest;
import org.habitline.safety.alerts.Alerting;
import org.habitline.safety.alerts.TestAlerts;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentEntry;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/** Builds the pages about incidents. */
@Singleton
final class IncidentPages {

  private static final int RELEASED = 100;

  /** The forms, as the ids of their fields begin. */
  static final String ENTRY = "entry";

  static final String RELEASE = "release";

  private static final Map<String, List<String>> FIELDS =
      Map.of(ENTRY, List.of("kind", "note"), RELEASE, List.of("outcome", "message", "note"));

  /** The fields whose value is chosen from a list. */
  private static final Set<String> CHOSEN = Set.of("kind", "outcome");

  private final IncidentReader reader;
  private final IncidentRows rows;
  private final PageFrames frames;
  private final AlertTestDesk tests;
  private final Alerting alerting;
  private final Optional<AlertPlan> plan;

  /** The time zone of the rota; other pages show staff UTC. */
  private final ZoneId staffZone;

  IncidentPages(
      IncidentReader reader,
      IncidentRows rows,
      PageFrames frames,
      AlertTestDesk tests,
      Alerting alerting,
      StudyFile study) {
    this.tests = tests;
    this.alerting = alerting;
    this.plan = study.safety();
    this.staffZone = plan.map(AlertPlan::zone).orElse(ZoneId.of("UTC"));
    this.reader = reader;
    this.rows = rows;
    this.frames = frames;
  }

  /**
   * Returns the list of incidents, and the test alerts.
   *
   * @param complaint why the last form was refused, or empty
   */
  IncidentsPage list(Authentication by, String complaint) {
    return new IncidentsPage(
        frames.frame("Safety incidents", by, "/events"),
        rows.of(reader.list("unreleased")),
        rows.of(reader.list("released").stream().limit(RELEASED).toList()),
        tests(),
        tests.unalerted().orElse(""),
        complaint);
  }

  private IncidentsPage.Tests tests() {
    var newest = tests.newest();
    return new IncidentsPage.Tests(
        tests.mayStart(),
        tests.warning().orElse(""),
        newest
            .map(AlertTestDesk.Report::test)
            .filter(test -> test.acknowledgedAt() == null)
            .map(AlertTest::id)
            .orElse(""),
        newest.map(IncidentPages::test).orElse(""),
        newest.stream()
            .flatMap(report -> report.alerts().stream())
            .map(alert -> alert(alert, new IncidentTimes(staffZone, staffZone)))
            .toList());
  }

  private static String test(AlertTestDesk.Report report) {
    return (test(report.test()) + " " + TestAlerts.says(report.missing())).strip();
  }

  private static String test(AlertTest test) {
    var sent =
        "The last test alert was sent by %s at %s UTC."
            .formatted(test.startedBy(), Times.minutes(test.startedAt(), ZoneOffset.UTC));
    return test.acknowledgedAt() == null
        ? sent + " No one has acknowledged it."
        : sent
            + " %s acknowledged it at %s UTC."
                .formatted(
                    test.acknowledgedBy(), Times.minutes(test.acknowledgedAt(), ZoneOffset.UTC));
  }

  /**
   * A form that was refused.
   *
   * @param form the name of the form, with which the ids of its fields begin
   * @param said what was in it, by the name of the field
   */
  record Refused(String form, Map<String, String> said, ApiProblem problem) {}

  /**
   * Returns the page of an incident and records that it was read.
   *
   * @param refused the last form, if it was refused
   */
  IncidentPage page(Authentication by, String id, @Nullable Refused refused) {
    var report = reader.report(by, id);
    var person = report.person();
    var times = new IncidentTimes(person == null ? staffZone : person.zone(), staffZone);
    var name = IncidentRows.name(person);
    var title = (refused == null ? "" : "Error: ") + "Safety incident, " + name;
    return new IncidentPage(
        frames.frame(title, by, "/events", "/safety/" + id),
        id,
        name,
        person == null || person.contact() ? "" : "/participants/" + person.id(),
        person == null ? "" : person.phone().e164(),
        clock(report, times),
        facts(report, times),
        plan.map(it -> duty(it, report, times)).orElse(null),
        lines(report, true, times),
        lines(report, false, times),
        report.entries().reversed().stream()
            .map(it -> entry(it, report.incident().isAboutAge(), times))
            .toList(),
        report.alerts().reversed().stream().map(it -> alert(it, times)).toList(),
        form(report, refused));
  }

  private static IncidentPage.LocalClock clock(IncidentReader.Report report, IncidentTimes times) {
    var person = report.person();
    return new IncidentPage.LocalClock(
        times.theirs().getId(),
        person == null ? "" : times.theirs(report.now()),
        times.differ(report.now()) ? times.ours(report.now()) : "",
        person != null && person.zoneAssumed());
  }

  private IncidentPage.Facts facts(IncidentReader.Report report, IncidentTimes times) {
    var incident = report.incident();
    var kind = IncidentWords.kind(incident.kind());
    var fixed = fixedText(report, times);
    var waited = Duration.between(incident.openSince(), report.now());
    var open = incident.status() == IncidentStatus.OPEN;
    var within = plan.filter(it -> open && incident.alertsStaff()).map(AlertPlan::escalateAfter);
    return new IncidentPage.Facts(
        incident.isCrisis(),
        incident.isDanger(),
        incident.isAboutAge(),
        open,
        Times.inTwoUnits(waited),
        IncidentWords.news(incident, report.now()),
        incident.isAboutAge() ? kind : IncidentWords.level(incident) + ": " + kind,
        incident.alertsStaff(),
        foundBy(report.entries()),
        rule(incident, report.entries()),
        fixed.says(),
        fixed.failed(),
        within.map(it -> IncidentWords.target(it, waited)).orElse(""),
        within.filter(it -> waited.compareTo(it) > 0).isPresent(),
        who(incident.acknowledgedBy(), incident.acknowledgedAt(), times),
        incident.status() == IncidentStatus.RELEASED
            ? IncidentWords.outcome(incident)
                + ", "
                + who(incident.releasedBy(), incident.releasedAt(), times)
            : "");
  }

  private record FixedText(String says, boolean failed) {}

  /** Returns what became of the newest fixed text, or why there was none. */
  private static FixedText fixedText(IncidentReader.Report report, IncidentTimes times) {
    var newest =
        report.entries().reversed().stream()
            .filter(it -> it.kind() == EntryKind.SENT || it.kind() == EntryKind.NOT_SENT)
            .findFirst();
    if (newest.isPresent() && newest.get().kind() == EntryKind.NOT_SENT) {
      var why = newest.get().note();
      return new FixedText("Not sent" + (why == null ? "" : ": " + why), true);
    }
    return newest
        .flatMap(sent ->
            report.lines().stream()
                .filter(it -> it.messageId() != null && it.messageId().equals(sent.messageId()))
                .findFirst())
        .map(line -> new FixedText(delivery(line.delivery(), times), failed(line.delivery())))
        .orElseGet(() -> new FixedText("", false));
  }

  private IncidentPage.Duty duty(
      AlertPlan whom, IncidentReader.Report report, IncidentTimes times) {
    var names = alerting.onDuty();
    var clinician = whom.clinician();
    return new IncidentPage.Duty(
        names.isEmpty()
            ? "No one. Everyone on the rota is alerted in turn."
            : String.join(", ", names),
        report
            .next()
            .map(it ->
                (it.left().isZero() ? "now" : Times.until(it.left()) + ", " + times.at(it.at()))
                    + ", to "
                    + it.recipient())
            .orElse(""),
        whom.coverage()
            .map(hours -> IncidentWords.hours(hours) + " in " + whom.zone().getId())
            .orElse(""),
        clinician.map(AlertPlan.Clinician::name).orElse(""),
        clinician.flatMap(it -> Optional.ofNullable(it.contact())).orElse(""),
        clinician.flatMap(AlertPlan.Clinician::telephone).orElse(""));
  }

  private static String foundBy(List<IncidentEntry> entries) {
    return switch (first(entries)) {
      case FLAG -> "the coach";
      case OPINION -> "a second opinion";
      default -> "a safety rule";
    };
  }

  private static String rule(Incident incident, List<IncidentEntry> entries) {
    return switch (first(entries)) {
      case FLAG, OPINION -> "";
      default ->
          "Rule " + incident.rule() + ", version " + incident.rulesVersion() + " of the rules.";
    };
  }

  private static EntryKind first(List<IncidentEntry> entries) {
    return entries.isEmpty() ? EntryKind.TEXT : entries.getFirst().kind();
  }

  private static String who(@Nullable String by, @Nullable Instant at, IncidentTimes times) {
    return (by == null ? "" : by + ", ") + times.at(at);
  }

  private static List<IncidentPage.Line> lines(
      IncidentReader.Report report, boolean theirs, IncidentTimes times) {
    return report.lines().stream()
        .filter(line -> (line.author() == Author.PARTICIPANT) == theirs)
        .map(line ->
            new IncidentPage.Line(
                line.authorName() == null ? "" : line.authorName(),
                line.text(),
                times.at(line.at()),
                delivery(line.delivery(), times),
                failed(line.delivery())))
        .toList();
  }

  private static boolean failed(IncidentReader.@Nullable Delivery delivery) {
    return delivery != null
        && (delivery.status() == Outbox.Stage.FAILED
            || delivery.status() == Outbox.Stage.CANCELLED);
  }

  private static String delivery(IncidentReader.@Nullable Delivery delivery, IncidentTimes times) {
    if (delivery == null) {
      return "";
    }
    var word = IncidentWords.delivery(delivery.status());
    return switch (delivery.status()) {
      case FAILED, CANCELLED -> delivery.reason() == null ? word : word + ": " + delivery.reason();
      case SENT -> word;
      case DELIVERED, READ -> word + " " + times.at(delivery.at());
    };
  }

  private static IncidentPage.Entry entry(
      IncidentEntry entry, boolean aboutAge, IncidentTimes times) {
    return new IncidentPage.Entry(
        times.at(entry.at()),
        IncidentWords.entry(entry.kind(), aboutAge),
        entry.madeBy() == null ? "" : entry.madeBy(),
        entry.note() == null ? "" : entry.note());
  }

  private static IncidentPage.Entry alert(Alert alert, IncidentTimes times) {
    var sentAt = alert.sentAt();
    return new IncidentPage.Entry(
        times.at(sentAt == null ? alert.plannedAt() : sentAt),
        IncidentWords.alert(alert, times),
        alert.recipient(),
        "");
  }

  private static IncidentPage.Form form(IncidentReader.Report report, @Nullable Refused refused) {
    var incident = report.incident();
    var said = refused == null ? Map.<String, String>of() : refused.said();
    var ofEntry = refused != null && refused.form().equals(ENTRY);
    return new IncidentPage.Form(
        UUID.randomUUID().toString(),
        notYet(report),
        report.silence().orElse(""),
        IncidentWords.added(incident.isAboutAge()),
        IncidentOutcome.choices(incident.kind()).stream()
            .map(it ->
                new IncidentPage.Choice(
                    it.word(), IncidentWords.outcome(it, incident.isAboutAge())))
            .toList(),
        refused == null ? List.of() : problems(report, refused),
        said.getOrDefault("kind", ""),
        ofEntry ? said.getOrDefault("note", "") : "",
        said.getOrDefault("outcome", ""),
        said.getOrDefault("message", ""),
        ofEntry ? "" : said.getOrDefault("note", ""));
  }

  /** Returns the error of a form, and with it everything else that is missing there. */
  private static List<IncidentPage.Problem> problems(
      IncidentReader.Report report, Refused refused) {
    var problem = refused.problem();
    var about = problem.field().orElse("");
    var fields = FIELDS.getOrDefault(refused.form(), List.of());
    if (!fields.contains(about)) {
      return List.of(new IncidentPage.Problem("", problem.onPage()));
    }
    var unknown = problem.status() == HttpStatus.BAD_REQUEST && CHOSEN.contains(about);
    return fields.stream()
        .filter(field -> field.equals(about) || isMissing(report, refused, field))
        .map(field ->
            new IncidentPage.Problem(
                refused.form() + "-" + field,
                unknown || isBlank(refused, field)
                    ? IncidentWords.missing(field)
                    : problem.besideField()))
        .toList();
  }

  private static boolean isMissing(IncidentReader.Report report, Refused refused, String field) {
    var optional =
        refused.form().equals(RELEASE)
            && (field.equals("note")
                || (field.equals("message")
                    && !(report.incident().isCrisis() && report.silence().isEmpty())));
    return !optional && isBlank(refused, field);
  }

  private static boolean isBlank(Refused refused, String field) {
    return refused.said().getOrDefault(field, "").isBlank();
  }

  /** Returns what must happen before the release, in a sentence, or empty. */
  private static String notYet(IncidentReader.Report report) {
    var incident = report.incident();
    var decision = incident.isAboutAge() ? "a decision" : "a clinical decision";
    if (incident.status() == IncidentStatus.OPEN) {
      return incident.isCrisis()
          ? "Acknowledge the incident and record a contact or " + decision + " first."
          : "Acknowledge the incident first.";
    }
    var decided =
        report.entries().stream()
            .map(IncidentEntry::kind)
            .anyMatch(it -> it == EntryKind.CONTACT || it == EntryKind.DECISION);
    return incident.isCrisis() && !decided ? "Record a contact or " + decision + " first." : "";
  }
}
