package org.habitline.ops.health;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.habitline.messaging.Channels;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.StudyContact;
import org.habitline.protocol.StudyFile;
import org.habitline.safety.alerts.Alerting;
import org.habitline.safety.alerts.TestAlerts;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.incidents.Incidents;
import org.habitline.safety.opinions.SecondOpinions;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.staff.web.Times;

/** Says what is wrong with the handling of safety incidents, for health and the staff pages. */
@Singleton
final class SafetyWatch {

  /** A crisis that no one has acknowledged for longer than this is a warning. */
  static final Duration ACKNOWLEDGED_WITHIN = Duration.ofMinutes(15);

  private final Incidents incidents;
  private final CrisisRules rules;
  private final Alerting alerting;
  private final Channels channels;
  private final StudyFile study;
  private final TestAlerts tests;
  private final boolean saysWhen;
  private final SecondOpinions opinions;
  private final Clock clock;

  SafetyWatch(
      Incidents incidents,
      CrisisRules rules,
      Alerting alerting,
      TestAlerts tests,
      SecondOpinions opinions,
      Channels channels,
      StudyFile study,
      Clock clock) {
    this.channels = channels;
    this.study = study;
    this.saysWhen = study.safety().flatMap(AlertPlan::coverage).isPresent();
    this.incidents = incidents;
    this.rules = rules;
    this.alerting = alerting;
    this.tests = tests;
    this.opinions = opinions;
    this.clock = clock;
  }

  /** Returns the crises that no one has acknowledged. */
  List<Incident> unacknowledgedCrises() {
    return unacknowledged(Incident::isDanger);
  }

  /** Returns the urgent flags that no one has acknowledged. */
  List<Incident> unacknowledgedFlags() {
    return unacknowledged(it -> it.alertsStaff() && !it.isDanger());
  }

  private List<Incident> unacknowledged(Predicate<Incident> which) {
    return incidents.unreleased(Integer.MAX_VALUE).stream()
        .filter(it -> it.status() == IncidentStatus.OPEN)
        .filter(which)
        .toList();
  }

  /**
   * Something that somebody must see to.
   *
   * @param urgent whether a crisis reaches no one, or would not
   */
  record Finding(String sentence, boolean urgent) {}

  /** Returns what somebody must see to, in sentences. */
  List<String> warnings() {
    return findings().stream().map(Finding::sentence).toList();
  }

  /** Returns what somebody must see to. */
  List<Finding> findings() {
    var findings = new ArrayList<Finding>();
    late(unacknowledgedCrises(), "a crisis")
        .ifPresent(sentence -> findings.add(new Finding(sentence, true)));
    late(unacknowledgedFlags(), "an urgent flag")
        .ifPresent(sentence -> findings.add(new Finding(sentence, true)));
    alerting
        .warnings()
        .forEach(warning ->
            findings.add(new Finding(warning.sentence(), warning.problem().keepsAlertsAway())));
    others().forEach(sentence -> findings.add(new Finding(sentence, false)));
    return List.copyOf(findings);
  }

  private List<String> others() {
    var warnings = new ArrayList<String>();
    warnings.addAll(opinions.warnings());
    if (study.contact().isEmpty() && !channels.usual().isSimulated()) {
      warnings.add(StudyContact.MISSING);
    }
    warnings.addAll(rules.warnings());
    if (saysWhen && !rules.languagesThatDoNotSayWhen().isEmpty()) {
      warnings.add(
          "Not every crisis text of "
              + String.join(", ", rules.languagesThatDoNotSayWhen())
              + " has {reading}, so people are not told when a person reads messages. Add it in"
              + " config/safety/<language>/texts.yaml.");
    }
    return List.copyOf(warnings);
  }

  /**
   * Returns what is missing without being wrong, in sentences: while only the simulator is used,
   * nobody needs to be alerted.
   */
  List<String> notes() {
    return tests.unalerted().stream().toList();
  }

  /** Returns whether the notes are about people outside the simulator. */
  boolean usesRealChannels() {
    return tests.usesRealChannels();
  }

  private Optional<String> late(List<Incident> unacknowledged, String what) {
    return unacknowledged.stream()
        .map(it -> Duration.between(it.openSince(), clock.instant()))
        .max(Duration::compareTo)
        .filter(open -> open.compareTo(ACKNOWLEDGED_WITHIN) > 0)
        .map(open ->
            "No one has acknowledged "
                + what
                + " for "
                + Times.inOneUnit(open)
                + ". Someone with the Safety role must open the incident now.");
  }
}
