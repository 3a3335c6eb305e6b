package org.habitline.staff.participant;

import java.util.Locale;

/**
 * An event of a participant's timeline and where it is stored, in the order of cause: of events of
 * one time, the later one here is told as the later one, and of one kind the later row. Each query
 * takes the participant's id once and returns {@code at, ref, who, a, b, c, turn, other}: study
 * time, what tells two events of one time apart, the staff member, three values, a turn, and a
 * second time.
 */
enum TimelineEvent {
  ENROLLED(
      TimelineKind.ENROLMENT,
      """
      SELECT p.enrolled_at AS at, p.id AS ref,
             (SELECT MIN(u.actor) FROM audit_event u WHERE u.participant_id = p.id
                 AND u.action = 'participant enrolled') AS who,
             p.channel AS a, :text AS b, :text AS c, :turn AS turn, :time AS other
      FROM participant p WHERE p.id = ?\
      """),
  CONFIGURED(
      TimelineKind.CONFIGURATION,
      """
      SELECT m.started_at AS at, LPAD(CAST(m.number AS varchar), 19, '0') AS ref, :text AS who,
             CAST(m.earlier AS varchar) AS a, CAST(m.configuration AS varchar) AS b, :text AS c,
             m.number AS turn, :time AS other
      FROM (SELECT y.number, y.configuration, y.started_at,
                   LAG(y.configuration) OVER (ORDER BY y.number) AS earlier
            FROM turn y WHERE y.participant_id = ?) m
      WHERE m.earlier <> m.configuration\
      """),
  ZONE_CHANGED(
      TimelineKind.SETTINGS,
      """
      SELECT changed_at AS at, LPAD(CAST(seq AS varchar), 19, '0') AS ref, :text AS who, old_zone AS a, new_zone AS b,
             :text AS c, :turn AS turn, :time AS other
      FROM zone_change WHERE participant_id = ?\
      """),
  FLOW_CHANGED(
      TimelineKind.MODULE,
      """
      SELECT changed_at AS at, LPAD(CAST(seq AS varchar), 19, '0') AS ref, changed_by AS who, old_flow AS a, new_flow AS b,
             :text AS c, :turn AS turn, :time AS other
      FROM flow_change WHERE participant_id = ?\
      """),
  PROMPT_NOT_SENT(
      TimelineKind.PROMPT,
      """
      SELECT due_at AS at, local_date || '#' || CAST(slot AS varchar) AS ref, :text AS who, local_date AS a,
             status AS b, reason AS c, :turn AS turn, :time AS other
      FROM occurrence WHERE participant_id = ? AND status IN ('missed', 'refused', 'skipped')\
      """),
  PROMPT_SENT(
      TimelineKind.PROMPT,
      """
      SELECT sent_at AS at, local_date || '#' || CAST(slot AS varchar) AS ref, :text AS who, local_date AS a,
             :text AS b, :text AS c, turn, due_at AS other
      FROM occurrence WHERE participant_id = ? AND sent_at IS NOT NULL\
      """),
  REMINDED(
      TimelineKind.REMINDER,
      """
      SELECT reminded_at AS at, local_date || '#' || CAST(slot AS varchar) AS ref, :text AS who,
             local_date AS a, :text AS b, :text AS c, :turn AS turn, :time AS other
      FROM occurrence WHERE participant_id = ? AND reminded_at IS NOT NULL\
      """),
  NUDGED(
      TimelineKind.REMINDER,
      """
      SELECT said_at AS at, id AS ref, :text AS who, kind AS a, message_id AS b, :text AS c, turn,
             :time AS other
      FROM outbox WHERE participant_id = ? AND kind IN ('nudge', 'check_in') AND retry_of IS NULL
        AND status NOT IN ('refused', 'failed', 'undelivered')\
      """),
  KEYWORD_TEXTED(
      TimelineKind.OPT_OUT,
      """
      SELECT received_at AS at, LPAD(CAST(seq AS varchar), 19, '0') AS ref, :text AS who, wish AS a, :text AS b, :text AS c,
             turn, :time AS other
      FROM inbox WHERE participant_id = ? AND wish IN ('stop', 'revoke', 'start')\
      """),
  CONSENT_STEP(
      TimelineKind.CONSENT,
      """
      SELECT at, LPAD(CAST(seq AS varchar), 19, '0') AS ref, :text AS who, step AS a, version AS b, :text AS c,
             :turn AS turn, :time AS other
      FROM consent_event WHERE participant_id = ?\
      """),
  OPTED_OUT(
      TimelineKind.OPT_OUT,
      """
      SELECT d.opted_out_at AS at, p.id AS ref, :text AS who, d.opted_out_by AS a, :text AS b, :text AS c,
             :turn AS turn, :time AS other
      FROM participant p JOIN address d ON d.id = p.address_id
      WHERE p.id = ? AND d.opted_out = TRUE AND d.opted_out_by <> 'keyword'\
      """),
  PROMPT_ANSWERED(
      TimelineKind.PROMPT,
      """
      SELECT responded_at AS at, local_date || '#' || CAST(slot AS varchar) AS ref, :text AS who,
             local_date AS a, :text AS b, :text AS c, :turn AS turn, sent_at AS other
      FROM occurrence WHERE participant_id = ? AND responded_at IS NOT NULL\
      """),
  INCIDENT_OPENED(
      TimelineKind.INCIDENT,
      """
      SELECT opened_at AS at, id AS ref, :text AS who, kind AS a, level AS b, id AS c, :turn AS turn,
             :time AS other
      FROM incident WHERE participant_id = ?\
      """),
  INCIDENT_ACKNOWLEDGED(
      TimelineKind.INCIDENT,
      """
      SELECT acknowledged_at AS at, id AS ref, acknowledged_by AS who, kind AS a, level AS b, id AS c,
             :turn AS turn, :time AS other
      FROM incident WHERE participant_id = ? AND acknowledged_at IS NOT NULL\
      """),
  INCIDENT_RELEASED(
      TimelineKind.INCIDENT,
      """
      SELECT released_at AS at, id AS ref, released_by AS who, kind AS a, outcome AS b, id AS c,
             :turn AS turn, :time AS other
      FROM incident WHERE participant_id = ? AND released_at IS NOT NULL\
      """),
  MODULE_BEGAN(
      TimelineKind.MODULE,
      """
      SELECT m.started_at AS at, LPAD(CAST(m.number AS varchar), 19, '0') AS ref, :text AS who, m.earlier AS a, m.module AS b,
             :text AS c, m.number AS turn, :time AS other
      FROM (SELECT y.number, y.module, y.started_at, LAG(y.module) OVER (ORDER BY y.number) AS earlier
            FROM turn y WHERE y.participant_id = ? AND y.module <> '') m
      WHERE m.earlier IS NULL OR m.earlier <> m.module\
      """),
  /** Without the stamps of completed parts, which follow from the fields. */
  PROFILE_CHANGED(
      TimelineKind.PROFILE,
      """
      SELECT changed_at AS at, LPAD(CAST(seq AS varchar), 19, '0') AS ref, changed_by AS who, old_value AS a, new_value AS b,
             field AS c, turn, :time AS other
      FROM profile_change WHERE participant_id = ? AND field NOT LIKE 'completed!_at.%' ESCAPE '!'\
      """),
  OUTCOME_RECORDED(
      TimelineKind.PROMPT,
      """
      SELECT recorded_at AS at, LPAD(CAST(seq AS varchar), 19, '0') AS ref, staff_name AS who, old_outcome AS a,
             new_outcome AS b, local_date AS c, turn, :time AS other
      FROM outcome_change WHERE participant_id = ?\
      """),
  /** Schedules that no staff member ended and no other one replaced. */
  UNSCHEDULED(
      TimelineKind.SCHEDULE,
      """
      SELECT s.ended_at AS at, s.id AS ref, :text AS who, s.starts AS a, s.ends AS b, s.ended_by AS c,
             :turn AS turn, :time AS other
      FROM schedule s WHERE s.participant_id = ? AND s.ended_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 AS found FROM audit_event u WHERE u.participant_id = s.participant_id
                           AND u.subject = s.id AND u.action = 'schedule ended')
        AND NOT EXISTS (SELECT 1 AS found FROM schedule n WHERE n.participant_id = s.participant_id
                           AND n.slot = s.slot AND n.id <> s.id AND n.created_at = s.ended_at)\
      """),
  /** Schedules that no staff member added or changed. */
  SCHEDULED(
      TimelineKind.SCHEDULE,
      """
      SELECT s.created_at AS at, s.id AS ref, :text AS who, s.starts AS a, s.ends AS b, :text AS c,
             :turn AS turn, :time AS other
      FROM schedule s WHERE s.participant_id = ?
        AND NOT EXISTS (SELECT 1 AS found FROM audit_event u WHERE u.participant_id = s.participant_id
                           AND u.subject = s.id AND u.action IN ('schedule added', 'schedule changed'))\
      """),
  TURN_FAILED(
      TimelineKind.FAILURE,
      """
      SELECT COALESCE(completed_at, started_at) AS at, LPAD(CAST(number AS varchar), 19, '0') AS ref, :text AS who,
             outcome AS a, reason AS b, :text AS c, number AS turn, :time AS other
      FROM turn WHERE participant_id = ? AND status = 'failed'\
      """),
  /** A message of a safety incident is no part of it: who may not read incidents sees no sign. */
  DELIVERY_FAILED(
      TimelineKind.FAILURE,
      """
      SELECT o.said_at AS at, o.id AS ref, :text AS who, o.kind AS a, o.status AS b,
             o.message_id AS c, o.turn, :time AS other
      FROM outbox o WHERE o.participant_id = ? AND o.kind <> 'crisis'
        AND o.status IN ('failed', 'undelivered', 'refused', 'unknown')
        AND NOT EXISTS (SELECT 1 AS found FROM outbox r WHERE r.participant_id = o.participant_id
                           AND r.retry_of = o.id)\
      """),
  REPLIES_RESUMED(
      TimelineKind.TAKEOVER,
      """
      SELECT ended_at AS at, id AS ref, :text AS who, :text AS a, :text AS b, :text AS c, :turn AS turn,
             :time AS other
      FROM wakeup WHERE participant_id = ? AND kind = 'hand_back' AND status = 'done'
        AND ended_at IS NOT NULL\
      """),
  NOTED(
      TimelineKind.NOTE,
      """
      SELECT written_at AS at, id AS ref, written_by AS who, body AS a, :text AS b, :text AS c, :turn AS turn,
             :time AS other
      FROM staff_note WHERE participant_id = ?\
      """),
  /** What the audit log has and no table above; its kind depends on the action. */
  AUDITED(
      TimelineKind.STAFF,
      """
      SELECT u.study_at AS at, LPAD(CAST(u.seq AS varchar), 19, '0') AS ref, u.actor AS who, u.action AS a,
             u.old_value AS b, u.new_value AS c, :turn AS turn, :time AS other
      FROM audit_event u WHERE u.participant_id = ? AND u.action NOT IN (:elsewhere)
        AND NOT EXISTS (SELECT 1 AS found FROM incident i WHERE i.id = u.subject)\
      """);

  private final TimelineKind kind;
  private final String query;

  TimelineEvent(TimelineKind kind, String query) {
    this.kind = kind;
    this.query =
        query
            .replace(":text", "CAST(NULL AS varchar)")
            .replace(":turn", "CAST(NULL AS integer)")
            .replace(":time", "CAST(NULL AS timestamp(6) with time zone)")
            .replace(":elsewhere", TimelineActs.elsewhere());
  }

  TimelineKind kind() {
    return kind;
  }

  String query() {
    return query;
  }

  /** Returns the word in the query. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
