package org.habitline.staff.safety;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.format.TextStyle;
import java.util.List;
import java.util.Locale;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.protocol.WeekHours;
import org.habitline.safety.alerts.Alert;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.rules.RiskKind;
import org.habitline.staff.web.Times;

/** Words for pages about incidents. None of them promises help. */
final class IncidentWords {

  private IncidentWords() {}

  static String level(Incident incident) {
    if (incident.isAboutAge()) {
      return "Age check";
    }
    if (incident.isCrisis()) {
      return "Crisis";
    }
    return incident.urgent() ? "Urgent" : "Concern";
  }

  /** Returns that a text came after the acknowledgement, or empty if none did. */
  static String news(Incident incident, Instant now) {
    return incident
        .newTextAt()
        .map(at -> "New text " + Times.inTwoUnits(Duration.between(at, now)) + " ago")
        .orElse("");
  }

  static String kind(RiskKind kind) {
    return switch (kind) {
      case OVERDOSE_OR_MEDICAL -> "Possible overdose or medical emergency";
      case SUICIDE_OR_SELF_HARM -> "Possible suicide or self-harm";
      case ABUSE -> "Possible abuse";
      case THREAT_TO_OTHERS -> "Possible threat to others";
      case DANGER -> "Possible danger";
      case ADVERSE_EVENT -> "Adverse event";
      case MEDICATION_STOPPED -> "Medicine stopped or changed";
      case WANTS_A_PERSON -> "Wants a person";
      case OTHER -> "Something else";
      case UNDERAGE -> "Possibly younger than the study allows";
    };
  }

  /** Returns how an incident ended, or empty if it has not. */
  static String outcome(Incident incident) {
    var outcome = incident.outcome();
    return outcome == null ? "" : outcome(outcome, incident.isAboutAge());
  }

  static String outcome(IncidentOutcome outcome, boolean aboutAge) {
    return switch (outcome) {
      case NO_CONCERN_FOUND -> "No concern found";
      case REFERRED -> "Referred to a clinician or a service";
      case EMERGENCY_SERVICES -> "Emergency services involved";
      case NOT_REACHED ->
          aboutAge ? "Not reached, the study team decided" : "Not reached, a clinician decided";
      case AGE_CONFIRMED -> "Age confirmed: old enough to take part";
      case WITHDRAWN_UNDERAGE -> "Too young: withdrawn from the study";
      case GUARDIAN_CONTACTED -> "Parent or guardian contacted";
      case STUDY_TEAM_CONTACTED -> "Study team contacted";
      case ERASED -> "The participant was erased";
    };
  }

  static String entry(EntryKind kind, boolean aboutAge) {
    return switch (kind) {
      case TEXT -> "A rule found this text";
      case FLAG -> "The coach flagged it";
      case OPINION -> "A second opinion found this text";
      case SENT -> "Safety message planned";
      case NOT_SENT -> "No safety message was sent";
      case ACKNOWLEDGED -> "Acknowledged";
      case ATTEMPT -> "Tried to reach them";
      case CONTACT -> "In contact with them";
      case DECISION -> aboutAge ? "Decision" : "Clinical decision";
      case RELEASED -> "Released";
    };
  }

  /** Returns the kinds of entries that staff add, as they say it. */
  static List<IncidentPage.Choice> added(boolean aboutAge) {
    return List.of(
        new IncidentPage.Choice(EntryKind.ATTEMPT.word(), "I tried to reach them, without success"),
        new IncidentPage.Choice(EntryKind.CONTACT.word(), "I was in contact with them"),
        new IncidentPage.Choice(
            EntryKind.DECISION.word(),
            aboutAge ? "The study team decided" : "A clinician decided"));
  }

  /** Returns by when somebody must acknowledge an incident, and how much of that is left. */
  static String target(Duration within, Duration waited) {
    var left = within.minus(waited);
    return "Acknowledge within "
        + Times.inTwoUnits(within).replace(" h 0 min", " h")
        + (left.isNegative()
            ? ": " + Times.inTwoUnits(left.negated()) + " late"
            : ": " + Times.inTwoUnits(left) + " left");
  }

  /** Returns what became of an alert, with its tries and why the last one failed. */
  static String alert(Alert alert, IncidentTimes times) {
    var which = "Alert by " + alert.channel().title();
    var why = alert.why().isEmpty() ? "" : ": " + alert.why();
    return switch (alert.status()) {
      case SENT -> which + " sent (" + alert.tries() + ")";
      case SENDING -> which + " is being sent (" + alert.tries() + ")";
      case FAILED ->
          which
              + (alert.attempts() == 0 ? " was not sent" : " failed after " + tries(alert, times))
              + why;
      case DROPPED -> which + " was no longer needed (" + alert.tries() + ")";
      case PLANNED ->
          why.isEmpty()
              ? which + " is being sent (" + alert.tries() + ")"
              : which + " failed after " + tries(alert, times) + why + ". It will be tried again";
    };
  }

  private static String tries(Alert alert, IncidentTimes times) {
    var last = alert.triedAt();
    return alert.tries() + (last == null ? "" : ", the last at " + times.at(last));
  }

  /** Returns what to do about a field of the forms that is empty or has an unknown word. */
  static String missing(String field) {
    return switch (field) {
      case "outcome" -> "Choose an outcome.";
      case "kind" -> "Choose what happened.";
      case "message" ->
          "Write the first message to them. It is sent when you release the incident.";
      default -> "Write what you did, and the result.";
    };
  }

  /** Returns hours of the week, such as "Mon to Fri 09:00–17:00". */
  static String hours(WeekHours hours) {
    var names = hours.days().stream().map(IncidentWords::day).toList();
    var first = hours.days().getFirst();
    var inARow = hours.days().getLast().getValue() - first.getValue() == names.size() - 1;
    var days =
        inARow && names.size() > 2
            ? names.getFirst() + " to " + names.getLast()
            : String.join(", ", names);
    return hours.from().equals(hours.to()) && hours.from().equals(LocalTime.MIDNIGHT)
        ? days + " all day"
        : days + " " + hours.from() + "–" + hours.to();
  }

  private static String day(DayOfWeek day) {
    return day.getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
  }

  static String delivery(Outbox.Stage stage) {
    return switch (stage) {
      case FAILED -> "Not delivered";
      case CANCELLED -> "Not sent";
      case SENT -> "On its way";
      case DELIVERED -> "Delivered";
      case READ -> "Read";
    };
  }
}
