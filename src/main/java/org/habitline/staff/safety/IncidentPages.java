package org.habitline.staff.safety;

import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.habitline.conversation.stored.Author;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.safety.alerts.Alert;
import org.habitline.safety.alerts.AlertTest;
import org.habitline.safety.alerts.TestAlerts;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentEntry;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/** Builds the pages about incidents. */
@Singleton
final class IncidentPages {

  private static final int RELEASED = 100;

  private final IncidentReader reader;
  private final IncidentRows rows;
  private final PageFrames frames;
  private final AlertTestDesk tests;
  private final String clinician;

  IncidentPages(
      IncidentReader reader,
      IncidentRows rows,
      PageFrames frames,
      AlertTestDesk tests,
      StudyFile study) {
    this.tests = tests;
    this.clinician =
        study.safety().flatMap(AlertPlan::clinician).map(IncidentPages::clinician).orElse("");
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
            .map(alert -> alert(alert, ZoneOffset.UTC))
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
   * Returns the page of an incident and records that it was read.
   *
   * @param problem why the last form was refused
   * @param said what was in that form, by the name of the field
   */
  IncidentPage page(
      Authentication by, String id, IncidentPage.Problem problem, Map<String, String> said) {
    var report = reader.report(by, id);
    var incident = report.incident();
    var person = report.person();
    var zone = person == null ? ZoneOffset.UTC : person.zone();
    var name = IncidentRows.name(person);
    return new IncidentPage(
        frames.frame("Safety incident, " + name, by, "/events", "/safety/" + id),
        id,
        name,
        person == null || person.contact() ? "" : "/participants/" + person.id(),
        person == null ? "" : person.phone().e164(),
        zone.getId(),
        person == null ? "" : Times.minutes(report.now(), zone),
        clinician,
        facts(incident, report.entries(), zone),
        Times.inTwoUnits(Duration.between(incident.openSince(), report.now())),
        lines(report, true, zone),
        lines(report, false, zone),
        report.entries().reversed().stream().map(it -> entry(it, zone)).toList(),
        report.alerts().reversed().stream().map(it -> alert(it, zone)).toList(),
        form(report, problem, said));
  }

  private static String clinician(AlertPlan.Clinician clinician) {
    return clinician.contact() == null
        ? clinician.name()
        : clinician.name() + ", " + clinician.contact();
  }

  private static IncidentPage.Facts facts(
      Incident incident, List<IncidentEntry> entries, ZoneId zone) {
    return new IncidentPage.Facts(
        incident.isCrisis(),
        incident.status() == IncidentStatus.OPEN,
        IncidentWords.level(incident),
        IncidentWords.kind(incident.kind()),
        foundBy(incident, entries),
        who(incident.acknowledgedBy(), incident.acknowledgedAt(), zone),
        incident.status() == IncidentStatus.RELEASED
            ? IncidentWords.outcome(incident.outcome())
                + ", "
                + who(incident.releasedBy(), incident.releasedAt(), zone)
            : "");
  }

  private static String foundBy(Incident incident, List<IncidentEntry> entries) {
    return switch (entries.isEmpty() ? EntryKind.TEXT : entries.getFirst().kind()) {
      case FLAG -> "the coach";
      case OPINION -> "a second opinion";
      default -> "rule " + incident.rule() + ", rules " + incident.rulesVersion();
    };
  }

  private static String who(@Nullable String by, @Nullable Instant at, ZoneId zone) {
    return (by == null ? "" : by + ", ") + Times.minutes(at, zone);
  }

  private static List<IncidentPage.Line> lines(
      IncidentReader.Report report, boolean theirs, ZoneId zone) {
    return report.lines().stream()
        .filter(line -> (line.author() == Author.PARTICIPANT) == theirs)
        .map(line ->
            new IncidentPage.Line(
                line.authorName() == null ? "" : line.authorName(),
                line.text(),
                Times.minutes(line.at(), zone),
                delivery(line.delivery(), zone),
                line.delivery() != null
                    && (line.delivery().status() == Outbox.Stage.FAILED
                        || line.delivery().status() == Outbox.Stage.CANCELLED)))
        .toList();
  }

  private static String delivery(IncidentReader.@Nullable Delivery delivery, ZoneId zone) {
    if (delivery == null) {
      return "";
    }
    var word = IncidentWords.delivery(delivery.status());
    return switch (delivery.status()) {
      case FAILED, CANCELLED -> delivery.reason() == null ? word : word + ": " + delivery.reason();
      case SENT -> word;
      case DELIVERED, READ -> word + " " + Times.minutes(delivery.at(), zone);
    };
  }

  private static IncidentPage.Entry entry(IncidentEntry entry, ZoneId zone) {
    return new IncidentPage.Entry(
        Times.minutes(entry.at(), zone),
        IncidentWords.entry(entry.kind()),
        entry.madeBy() == null ? "" : entry.madeBy(),
        entry.note() == null ? "" : entry.note());
  }

  private static IncidentPage.Entry alert(Alert alert, ZoneId zone) {
    var sentAt = alert.sentAt();
    return new IncidentPage.Entry(
        Times.minutes(sentAt == null ? alert.plannedAt() : sentAt, zone),
        IncidentWords.alert(alert, zone),
        alert.recipient(),
        "");
  }

  private static IncidentPage.Form form(
      IncidentReader.Report report, IncidentPage.Problem problem, Map<String, String> said) {
    return new IncidentPage.Form(
        UUID.randomUUID().toString(),
        notYet(report),
        report.silence().orElse(""),
        Arrays.stream(IncidentOutcome.values())
            .filter(it -> it != IncidentOutcome.ERASED)
            .map(it -> new IncidentPage.Choice(it.word(), IncidentWords.outcome(it)))
            .toList(),
        problem,
        said.getOrDefault("kind", ""),
        said.containsKey("kind") || !said.containsKey("message") ? note(said) : "",
        said.getOrDefault("outcome", ""),
        said.getOrDefault("message", ""),
        said.containsKey("message") ? note(said) : "");
  }

  private static String note(Map<String, String> said) {
    return said.getOrDefault("note", "");
  }

  /** Returns what must happen before the release, in a sentence, or empty. */
  private static String notYet(IncidentReader.Report report) {
    if (report.incident().status() == IncidentStatus.OPEN) {
      return report.incident().isCrisis()
          ? "Acknowledge the incident and record a contact or a clinical decision first."
          : "Acknowledge the incident first.";
    }
    var decided =
        report.entries().stream()
            .map(IncidentEntry::kind)
            .anyMatch(it -> it == EntryKind.CONTACT || it == EntryKind.DECISION);
    return report.incident().isCrisis() && !decided
        ? "Record a contact or a clinical decision first."
        : "";
  }
}
