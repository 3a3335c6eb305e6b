package org.habitline.staff.safety;

import java.time.ZoneId;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.safety.alerts.Alert;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.rules.RiskKind;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/** Words for pages about incidents. None of them promises help. */
final class IncidentWords {

  private IncidentWords() {}

  static String level(Incident incident) {
    if (incident.isCrisis()) {
      return "Crisis";
    }
    return incident.urgent() ? "Urgent" : "Concern";
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

  static String outcome(@Nullable IncidentOutcome outcome) {
    return switch (outcome) {
      case null -> "";
      case NO_CONCERN_FOUND -> "No concern found";
      case REFERRED -> "Referred to a clinician or a service";
      case EMERGENCY_SERVICES -> "Emergency services involved";
      case NOT_REACHED -> "Not reached, a clinician decided";
      case ERASED -> "The participant was erased";
    };
  }

  static String entry(EntryKind kind) {
    return switch (kind) {
      case TEXT -> "A rule found this text";
      case FLAG -> "The coach flagged it";
      case OPINION -> "A second opinion found this text";
      case SENT -> "Safety message planned";
      case NOT_SENT -> "No safety message was sent";
      case ACKNOWLEDGED -> "Acknowledged";
      case ATTEMPT -> "Tried to reach them";
      case CONTACT -> "In contact with them";
      case DECISION -> "Clinical decision";
      case RELEASED -> "Released";
    };
  }

  /** Returns what became of an alert, with its tries and why the last one failed. */
  static String alert(Alert alert, ZoneId zone) {
    var which = "Alert by " + alert.channel().title();
    var why = alert.why().isEmpty() ? "" : ": " + alert.why();
    return switch (alert.status()) {
      case SENT -> which + " sent (" + alert.tries() + ")";
      case SENDING -> which + " is being sent (" + alert.tries() + ")";
      case FAILED ->
          which
              + (alert.attempts() == 0 ? " was not sent" : " failed after " + tries(alert, zone))
              + why;
      case DROPPED -> which + " was not needed any more (" + alert.tries() + ")";
      case PLANNED ->
          why.isEmpty()
              ? which + " is being sent (" + alert.tries() + ")"
              : which + " failed after " + tries(alert, zone) + why + ". It will be tried again";
    };
  }

  private static String tries(Alert alert, ZoneId zone) {
    var last = alert.triedAt();
    return alert.tries() + (last == null ? "" : ", the last at " + Times.minutes(last, zone));
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
