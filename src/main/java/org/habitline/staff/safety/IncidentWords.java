package org.habitline.staff.safety;

import org.habitline.messaging.outbox.Outbox;
import org.habitline.safety.alerts.Alert;
import org.habitline.safety.alerts.AlertFault;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.rules.RiskKind;
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

  static String alert(Alert alert) {
    var by =
        switch (alert.channel()) {
          case EMAIL -> "by e-mail";
          case WEBHOOK -> "by webhook";
          case SMS -> "by SMS";
        };
    var fault = alert.fault();
    return switch (alert.status()) {
      case SENT -> "Alert sent " + by;
      case SENDING -> "Alert " + by + " is being sent";
      case FAILED -> "Alert " + by + " did not arrive" + (fault == null ? "" : ": " + fault(fault));
      case DROPPED -> "Alert " + by + " was not needed any more";
      case PLANNED ->
          "Alert "
              + by
              + (fault == null
                  ? " is being sent"
                  : " failed (" + fault(fault) + ") and will be tried again");
    };
  }

  private static String fault(AlertFault fault) {
    return switch (fault) {
      case UNREACHABLE -> "its server cannot be reached";
      case TOO_SLOW -> "its server did not answer in time";
      case REFUSED -> "its server refused it";
      case MISCONFIGURED -> "its recipient or its server in config/study.yaml cannot be used";
      case OPTED_OUT -> "the number opted out";
      case UNDELIVERED -> "the provider could not deliver it in time";
    };
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
