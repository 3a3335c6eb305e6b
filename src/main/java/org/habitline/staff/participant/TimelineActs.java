package org.habitline.staff.participant;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.habitline.audit.AuditAction;

/** The actions of the audit log that a participant's timeline shows, each with its kind. */
final class TimelineActs {

  /** Actions that another table tells better, and those that only read. */
  private static final Set<AuditAction> ELSEWHERE =
      EnumSet.of(
          AuditAction.PARTICIPANT_ENROLLED,
          AuditAction.PROFILE_CHANGED,
          AuditAction.FLOW_CHANGED,
          AuditAction.NOTE_ADDED,
          AuditAction.OUTCOME_RECORDED,
          AuditAction.CONVERSATION_READ,
          AuditAction.INCIDENT_READ,
          AuditAction.PHONE_NUMBER_SHOWN,
          AuditAction.ROW_TAKEN,
          AuditAction.ROW_GIVEN_BACK,
          AuditAction.PARTICIPANT_EXPORTED,
          AuditAction.PARTICIPANT_EXPORTED_WITH_SAFETY_INCIDENTS);

  /** Kinds of actions; all others are of the kind {@link TimelineKind#STAFF}. */
  private static final Map<AuditAction, TimelineKind> KINDS = kinds();

  private TimelineActs() {}

  private static Map<AuditAction, TimelineKind> kinds() {
    var kinds = new EnumMap<AuditAction, TimelineKind>(AuditAction.class);
    kinds.put(AuditAction.PARTICIPANT_CHANGED, TimelineKind.SETTINGS);
    kinds.put(AuditAction.PHONE_NUMBER_CHANGED, TimelineKind.SETTINGS);
    kinds.put(AuditAction.LANGUAGE_CHANGED, TimelineKind.SETTINGS);
    kinds.put(AuditAction.SUB_STATE_FORCED, TimelineKind.MODULE);
    kinds.put(AuditAction.SCHEDULE_ADDED, TimelineKind.SCHEDULE);
    kinds.put(AuditAction.SCHEDULE_CHANGED, TimelineKind.SCHEDULE);
    kinds.put(AuditAction.SCHEDULE_ENDED, TimelineKind.SCHEDULE);
    kinds.put(AuditAction.PROMPT_SKIPPED, TimelineKind.SCHEDULE);
    kinds.put(AuditAction.SKIP_UNDONE, TimelineKind.SCHEDULE);
    kinds.put(AuditAction.PROMPT_SENT_NOW, TimelineKind.SCHEDULE);
    kinds.put(AuditAction.COACH_MUTED, TimelineKind.TAKEOVER);
    kinds.put(AuditAction.CONVERSATION_HANDED_BACK, TimelineKind.TAKEOVER);
    kinds.put(AuditAction.NOTE_CHANGED, TimelineKind.NOTE);
    kinds.put(AuditAction.NOTE_REMOVED, TimelineKind.NOTE);
    return kinds;
  }

  /** Returns the stored words of the actions that the timeline does not show, as an SQL list. */
  static String elsewhere() {
    return "'" + String.join("', '", ELSEWHERE.stream().map(AuditAction::word).toList()) + "'";
  }

  /** Returns the SQL that gives the kind of an action. */
  static String kind(String column) {
    var cases = new StringBuilder("CASE " + column);
    KINDS.forEach((action, kind) ->
        cases
            .append(" WHEN '")
            .append(action.word())
            .append("' THEN '")
            .append(kind.word())
            .append("'"));
    return cases.append(" ELSE '" + TimelineKind.STAFF.word() + "' END").toString();
  }
}
