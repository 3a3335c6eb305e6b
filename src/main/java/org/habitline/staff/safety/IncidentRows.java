package org.habitline.staff.safety;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.habitline.participants.Participant;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/** Lists incidents for pages. */
@Singleton
public final class IncidentRows {

  private final IncidentReader reader;
  private final Clock clock;

  IncidentRows(IncidentReader reader, Clock clock) {
    this.reader = reader;
    this.clock = clock;
  }

  /** Returns these incidents as rows of a list, in the same order. */
  public List<IncidentRow> of(List<Incident> incidents) {
    var people = reader.people(incidents);
    var now = clock.instant();
    return incidents.stream()
        .map(incident ->
            new IncidentRow(
                incident.id(),
                name(Optional.ofNullable(incident.participantId()).map(people::get).orElse(null)),
                IncidentWords.level(incident),
                IncidentWords.kind(incident.kind()),
                incident.openedAt().toString(),
                Times.inOneUnit(Duration.between(incident.openedAt(), now)),
                status(incident),
                open(incident),
                IncidentWords.news(incident, now)))
        .toList();
  }

  private static String open(Incident incident) {
    if (incident.status() != IncidentStatus.OPEN || !incident.alertsStaff()) {
      return "";
    }
    return incident.isDanger() ? "failed" : "pressing";
  }

  private static String status(Incident incident) {
    return switch (incident.status()) {
      case OPEN -> "No one has acknowledged it.";
      case ACKNOWLEDGED -> incident.acknowledgedBy() + " is handling it.";
      case RELEASED -> IncidentWords.outcome(incident) + ".";
    };
  }

  /** Returns the name of a person, or who they are if they have none. */
  static String name(@Nullable Participant person) {
    if (person == null) {
      return "unknown sender";
    }
    return person.shownName();
  }
}
