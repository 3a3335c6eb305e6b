package org.habitline.study.report;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.study.figures.Participation;
import org.habitline.study.report.Figure.Column;
import org.habitline.study.report.Figure.Curve;
import org.habitline.study.report.Figure.Kind;
import org.habitline.study.report.Figure.Part;

/**
 * The figures of the report with their queries, in the order of the pages. A query returns counts,
 * shares, words of the database and names of the configuration, and never what somebody wrote or
 * who they are. It counts neither contacts who are not enrolled nor participants who were erased or
 * are being erased. Each runs on H2 and on PostgreSQL as it stands.
 *
 * <p>Study day 1 is the day of enrolment, in the time zone that the participant has now.
 */
final class FigureCatalogue {

  /** The last study day that a figure shows: three years. */
  private static final int LAST_DAY = 1096;

  private static final Column FLOW = new Column("flow", "Flow", Kind.NAME);
  private static final Column STUDY_DAY = new Column("study_day", "Study day", Kind.COUNT);
  private static final Column STUDY_WEEK = new Column("study_week", "Study week", Kind.COUNT);
  private static final Column PARTICIPANTS = count("participants", "Participants");

  private static final String BY_FLOW =
      "By flow, because Habitline does not randomise participants to arms.";

  private final String now;
  private final String consentVersion;
  private final boolean asksForConsent;
  private final int silentAfterDays;
  private final String zone;

  /**
   * @param now until when things count, in study time
   * @param consentVersion the version of the consent text that counts, or empty if the study asks
   *     nobody
   * @param silentAfterDays as in {@code monitoring.silent_after_days}
   * @param zones what to use instead of time zones that the database does not know
   */
  FigureCatalogue(
      Instant now, String consentVersion, int silentAfterDays, Map<String, String> zones) {
    this.now = "CAST(" + quoted(now.toString()) + " AS timestamp(6) with time zone)";
    this.consentVersion = quoted(consentVersion);
    this.asksForConsent = !consentVersion.isEmpty();
    this.silentAfterDays = silentAfterDays;
    this.zone = zone(zones);
  }

  List<Figure> figures() {
    var figures = new ArrayList<Figure>();
    figures.add(study());
    figures.add(participantsByFlow());
    figures.add(characteristics());
    figures.add(totals());
    figures.add(adherenceByFlow());
    figures.add(adherenceByStudyDay());
    figures.add(dropOut());
    figures.add(outcomes());
    figures.add(answerTime());
    figures.add(replyTime());
    figures.add(deliveries());
    figures.add(modelUse());
    figures.add(costs());
    figures.add(fidelity());
    figures.add(deviations());
    figures.add(deviationsByWeek());
    figures.add(turnOutcomes());
    figures.add(events());
    figures.add(eventsByWeek());
    figures.add(incidents());
    figures.add(configuration());
    return figures;
  }

  // --- participants ---

  private Figure study() {
    return Figure.named("study", Part.PARTICIPANTS, "The study in numbers")
        .note(
            "Consent as Habitline recorded it. Dates are UTC. Of erased participants only their"
                + " number is kept.")
        .inColumns()
        .columns(
            count("enrolled", "Enrolled, with those erased since"),
            count("erased", "Erased since"),
            count("counted", "Counted in all other figures"),
            consent("consent_given", "Consent given"),
            consent("consent_declined", "Consent declined or not eligible"),
            consent("consent_waiting", "Consent not answered"),
            new Column("first_enrolled", "First enrolment", Kind.NAME),
            new Column("last_enrolled", "Last enrolment", Kind.NAME),
            new Column("last_message", "Last message", Kind.NAME))
        .from(
            people()
                + """
                SELECT s.counted + e.erased AS enrolled, e.erased, s.counted, s.consent_given, s.consent_declined,
                       s.consent_waiting, s.first_enrolled, s.last_enrolled, m.last_message
                FROM (SELECT COUNT(*) AS counted,
                             %s AS consent_given,
                             %s AS consent_declined,
                             %s AS consent_waiting,
                             %s AS first_enrolled,
                             %s AS last_enrolled
                      FROM person q) s
                CROSS JOIN (SELECT COUNT(*) AS erased FROM erased_count) e
                CROSS JOIN (SELECT %s AS last_message
                            FROM message m JOIN person q ON q.id = m.participant_id) m
                """
                    .formatted(
                        withConsent("q", "given"),
                        withConsent("q", "declined"),
                        withConsent("q", "waiting"),
                        date("MIN(q.enrolled_at)", "'UTC'"),
                        date("MAX(q.enrolled_at)", "'UTC'"),
                        date("MAX(m.created_at)", "'UTC'")));
  }

  private Figure participantsByFlow() {
    return Figure.named("participants_by_flow", Part.PARTICIPANTS, "Participants by flow")
        .note(
            BY_FLOW
                + " The rows from “active” to “withdrawn” divide "
                + (asksForConsent ? "those who consented" : "the participants")
                + " by how they take part now. “Received” and “replied” count each of them once.")
        .inColumns()
        .columns(
            FLOW,
            count("enrolled", "Enrolled and not erased"),
            consent("declined", "Consent declined or not eligible"),
            consent("waiting", "Consent not answered"),
            count(
                "consented", asksForConsent ? "Consent given" : "Counted, as consent is not asked"),
            count("active", "Active"),
            count("paused", "Paused by staff"),
            count("paused_by_incident", "Paused by a safety incident"),
            count("asked_again", "Asked for a new consent"),
            count("opted_out", "Opted out"),
            count("completed", "Completed"),
            count("withdrawn", "Withdrawn"),
            count("prompted", "Received a daily prompt"),
            count("replied", "Replied at least once"))
        .from(
            people()
                + """
                SELECT c.flow, COUNT(*) AS enrolled,
                       %s AS declined,
                       %s AS waiting,
                       SUM(CASE WHEN c.consent = 'given' THEN 1 ELSE 0 END) AS consented,
                       SUM(CASE WHEN c.consent = 'given' AND c.taking_part = 'active' THEN 1 ELSE 0 END) AS active,
                       SUM(CASE WHEN c.consent = 'given' AND c.taking_part = 'paused' THEN 1 ELSE 0 END) AS paused,
                       SUM(CASE WHEN c.consent = 'given' AND c.taking_part = 'paused_by_incident' THEN 1 ELSE 0 END)
                         AS paused_by_incident,
                       SUM(CASE WHEN c.consent = 'given' AND c.taking_part IN ('waiting_for_consent', 'no_consent') THEN 1
                                ELSE 0 END) AS asked_again,
                       SUM(CASE WHEN c.consent = 'given' AND c.taking_part = 'opted_out' THEN 1 ELSE 0 END) AS opted_out,
                       SUM(CASE WHEN c.consent = 'given' AND c.taking_part = 'completed' THEN 1 ELSE 0 END) AS completed,
                       SUM(CASE WHEN c.consent = 'given' AND c.taking_part = 'withdrawn' THEN 1 ELSE 0 END) AS withdrawn,
                       SUM(CASE WHEN c.consent = 'given' THEN c.prompted ELSE 0 END) AS prompted,
                       SUM(CASE WHEN c.consent = 'given' THEN c.replied ELSE 0 END) AS replied
                FROM (SELECT q.flow, q.consent,
                %s
                             AS taking_part,
                             CASE WHEN EXISTS (SELECT 1 AS found FROM occurrence o
                                               WHERE o.participant_id = q.id AND o.status = 'sent') THEN 1 ELSE 0 END AS prompted,
                             CASE WHEN EXISTS (SELECT 1 AS found FROM message m
                                               WHERE m.participant_id = q.id AND m.author = 'participant'
                                                 AND m.before_consent = FALSE) THEN 1 ELSE 0 END AS replied
                      FROM person q JOIN participant p ON p.id = q.id LEFT JOIN address a ON a.id = p.address_id) c
                GROUP BY c.flow ORDER BY c.flow
                """
                    .formatted(
                        withConsent("c", "declined"),
                        withConsent("c", "waiting"),
                        Participation.OF_PARTICIPANT
                            .replace(":version", consentVersion)
                            .strip()
                            .indent(13)
                            .stripTrailing()));
  }

  private Figure characteristics() {
    return Figure.named(
            "characteristics", Part.PARTICIPANTS, "Participants by flow, channel and language")
        .note(
            "All characteristics that Habitline knows of every participant. Fields of the study's"
                + " own are in the identified export only.")
        .columns(
            FLOW,
            new Column("channel", "Channel", Kind.WORD),
            new Column("language", "Language", Kind.WORD),
            PARTICIPANTS)
        .from(
            people()
                + """
                SELECT c.flow, c.channel, c.language, COUNT(*) AS participants
                FROM (SELECT q.flow, p.channel, COALESCE(p.language, 'not set') AS language
                      FROM person q JOIN participant p ON p.id = q.id) c
                GROUP BY c.flow, c.channel, c.language ORDER BY c.flow, c.channel, c.language
                """);
  }

  // --- adherence ---

  private Figure totals() {
    return Figure.named("totals", Part.ADHERENCE, "Daily prompts and messages in all")
        .inColumns()
        .columns(
            count("planned", "Daily prompts planned until now and not cancelled"),
            count("sent", "Sent"),
            count("missed", "Missed or refused by the provider"),
            count("answered", "Answered"),
            count("done", "Reported as done"),
            share("answered_share", "Answered, of those sent"),
            share("done_share", "Done, of those sent"),
            count("texts", "Texts from participants"),
            count("messages", "Messages to participants that a provider accepted"))
        .from(
            people()
                + """
                SELECT t.planned, t.sent, t.missed, t.answered, t.done,
                       %s AS answered_share,
                       %s AS done_share,
                       (SELECT COUNT(*) FROM message m JOIN person q ON q.id = m.participant_id
                        WHERE m.author = 'participant') AS texts,
                       (SELECT COUNT(*) FROM outbox o JOIN person q ON q.id = o.participant_id
                        WHERE o.provider_id IS NOT NULL) AS messages
                FROM (SELECT %s
                      FROM occurrence o JOIN person q ON q.id = o.participant_id
                      WHERE o.status IN ('prompting', 'sent', 'missed', 'refused')) t
                """
                    .formatted(
                        ratio("t.answered", "t.sent"), ratio("t.done", "t.sent"), prompts("o")));
  }

  private Figure adherenceByFlow() {
    return Figure.named("adherence_by_flow", Part.ADHERENCE, "Adherence by flow")
        .note(
            BY_FLOW
                + " A prompt is answered if a text of the participant was recorded as the reply to"
                + " it; done, if “done” is recorded as its outcome.")
        .columns(
            FLOW,
            count("participants", "Prompted participants"),
            count("planned", "Planned"),
            count("sent", "Sent"),
            count("missed", "Missed or refused"),
            count("answered", "Answered"),
            share("answered_share", "of sent"),
            count("done", "Done"),
            share("done_share", "of sent"))
        .from(
            people()
                + """
                SELECT t.flow, t.participants, t.planned, t.sent, t.missed, t.answered,
                       %s AS answered_share, t.done,
                       %s AS done_share
                FROM (SELECT q.flow, COUNT(DISTINCT q.id) AS participants, %s
                      FROM occurrence o JOIN person q ON q.id = o.participant_id
                      WHERE o.status IN ('prompting', 'sent', 'missed', 'refused')
                      GROUP BY q.flow) t
                ORDER BY t.flow
                """
                    .formatted(
                        ratio("t.answered", "t.sent"), ratio("t.done", "t.sent"), prompts("o")));
  }

  private Figure adherenceByStudyDay() {
    return Figure.named("adherence_by_study_day", Part.ADHERENCE, "Adherence by study day")
        .note(
            "Study day 1 is the day of enrolment. The shares are of the prompts sent on that day;"
                + " the numbers below a chart are these denominators. Days with fewer than 5"
                + " prompts sent are not drawn.")
        .columns(
            FLOW,
            STUDY_DAY,
            count("planned", "Planned"),
            count("sent", "Sent"),
            count("missed", "Missed or refused"),
            count("answered", "Answered"),
            share("answered_share", "of sent"),
            count("done", "Done"),
            share("done_share", "of sent"))
        .curves(
            new Curve("Daily prompts answered, by study day", "answered_share", "sent"),
            new Curve("Daily prompts reported as done, by study day", "done_share", "sent"))
        .from(
            people()
                + """
                SELECT t.flow, t.study_day, t.planned, t.sent, t.missed, t.answered,
                       %s AS answered_share, t.done,
                       %s AS done_share
                FROM (SELECT x.flow, x.study_day, %s
                      FROM (SELECT q.flow, o.status, o.responded_at, o.outcome,
                                   %s AS study_day
                            FROM occurrence o JOIN person q ON q.id = o.participant_id
                            WHERE o.status IN ('prompting', 'sent', 'missed', 'refused')) x
                      WHERE x.study_day BETWEEN 1 AND %d
                      GROUP BY x.flow, x.study_day) t
                ORDER BY t.flow, t.study_day
                """
                    .formatted(
                        ratio("t.answered", "t.sent"),
                        ratio("t.done", "t.sent"),
                        prompts("x"),
                        studyDay("o.local_date"),
                        LAST_DAY));
  }

  private Figure dropOut() {
    return Figure.named("drop_out", Part.ADHERENCE, "Drop-out by study day")
        .note(
            "A participant is still answering on a study day if they sent a text on that day or a"
                + " later one. A day counts for them once it is "
                + silentAfterDays
                + (silentAfterDays == 1 ? " day" : " days")
                + " ago; for those who completed, it must be that long before they did. The"
                + " denominator is every enrolled participant for whom the day counts. Participants"
                + " who were withdrawn or opted out stay in it and count as no longer answering. A"
                + " line may rise, because the denominator falls; where it is below 5, no line is"
                + " drawn.")
        .columns(
            FLOW,
            STUDY_DAY,
            count("reached", "Reached the day"),
            count("still_answering", "Still answering"),
            share("share", "of reached"))
        .curves(new Curve("Participants still answering, by study day", "share", "reached"))
        .from(
            people()
                + """
                , last_text AS (
                  SELECT z.flow,
                         LEAST(GREATEST(1, %s) - %d, %d) AS until_day,
                         CASE WHEN z.last_date IS NULL THEN 0 ELSE GREATEST(1, %s) END AS last_day
                  FROM (SELECT q.flow, q.first_date,
                               CASE WHEN p.status = 'completed' THEN LEAST(%s, %s) ELSE %s END AS until_date,
                               (SELECT %s FROM message m
                                WHERE m.participant_id = q.id AND m.author = 'participant') AS last_date
                        FROM person q JOIN participant p ON p.id = q.id) z)
                , ends AS (
                  SELECT x.flow, x.study_day, SUM(x.reached) AS reached, SUM(x.answering) AS answering
                  FROM (SELECT l.flow, l.until_day AS study_day, 1 AS reached, 0 AS answering FROM last_text l
                        WHERE l.until_day >= 1
                        UNION ALL
                        SELECT l.flow, LEAST(l.last_day, l.until_day), 0, 1 FROM last_text l
                        WHERE l.last_day >= 1 AND l.until_day >= 1
                        UNION ALL
                        SELECT f.flow, d.study_day, 0, 0
                        FROM (SELECT DISTINCT q.flow FROM person q) f LEFT JOIN GENERATE_SERIES(1, %d) AS d(study_day) ON TRUE) x
                  GROUP BY x.flow, x.study_day)
                SELECT t.flow, t.study_day, t.reached, t.still_answering,
                       %s AS share
                FROM (SELECT e.flow, e.study_day,
                             SUM(e.reached) OVER (PARTITION BY e.flow ORDER BY e.study_day DESC) AS reached,
                             SUM(e.answering) OVER (PARTITION BY e.flow ORDER BY e.study_day DESC) AS still_answering
                      FROM ends e) t
                WHERE t.reached > 0
                ORDER BY t.flow, t.study_day
                """
                    .formatted(
                        studyDay("z.until_date", "z.first_date"),
                        silentAfterDays,
                        LAST_DAY,
                        studyDay("z.last_date", "z.first_date"),
                        date("p.ended_at", "q.timezone"),
                        date(now, "q.timezone"),
                        date(now, "q.timezone"),
                        date("MAX(m.created_at)", "q.timezone"),
                        LAST_DAY,
                        ratio("t.still_answering", "t.reached")));
  }

  // --- outcomes and times ---

  private Figure outcomes() {
    return Figure.named("outcomes", Part.OUTCOMES, "Recorded outcomes of daily prompts")
        .note("Of the prompts sent. “Not recorded” includes prompts that no one answered.")
        .columns(
            FLOW, new Column("outcome", "Outcome", Kind.WORD), count("prompts", "Daily prompts"))
        .from(
            people()
                + """
                SELECT x.flow, x.outcome, COUNT(*) AS prompts
                FROM (SELECT q.flow, COALESCE(o.outcome, 'not_recorded') AS outcome
                      FROM occurrence o JOIN person q ON q.id = o.participant_id WHERE o.status = 'sent') x
                GROUP BY x.flow, x.outcome ORDER BY x.flow, x.outcome
                """);
  }

  private Figure answerTime() {
    return Figure.named(
            "answer_time", Part.OUTCOMES, "Time from a daily prompt to the participant's answer")
        .columns(
            FLOW,
            count("answers", "Answers"),
            decimal("median_minutes", "Median, minutes"),
            decimal("p90_minutes", "90th percentile, minutes"))
        .from(
            people()
                + """
                SELECT x.flow, COUNT(*) AS answers,
                       CAST(PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x.seconds) / 60 AS numeric(20, 1)) AS median_minutes,
                       CAST(PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x.seconds) / 60 AS numeric(20, 1)) AS p90_minutes
                FROM (SELECT q.flow, GREATEST(0, EXTRACT(EPOCH FROM (o.responded_at - o.sent_at))) AS seconds
                      FROM occurrence o JOIN person q ON q.id = o.participant_id
                      WHERE o.status = 'sent' AND o.sent_at IS NOT NULL AND o.responded_at IS NOT NULL) x
                GROUP BY x.flow ORDER BY x.flow
                """);
  }

  private Figure replyTime() {
    return Figure.named("reply_time", Part.OUTCOMES, "Time from a participant's text to the reply")
        .note(
            "From the first text of a turn until a provider accepted the first message that replies"
                + " to it.")
        .columns(
            FLOW,
            count("replies", "Replies"),
            decimal("median_seconds", "Median, seconds"),
            decimal("p90_seconds", "90th percentile, seconds"))
        .from(
            people()
                + """
                SELECT x.flow, COUNT(*) AS replies,
                       CAST(PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x.seconds) AS numeric(20, 1)) AS median_seconds,
                       CAST(PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x.seconds) AS numeric(20, 1)) AS p90_seconds
                FROM (SELECT q.flow, GREATEST(0, EXTRACT(EPOCH FROM (r.accepted_at - i.stored_at))) AS seconds
                      FROM (SELECT o.participant_id, o.turn, MIN(o.ended_at) AS accepted_at
                            FROM outbox o
                            WHERE o.kind IN ('reply', 'prompt_now') AND o.provider_id IS NOT NULL AND o.ended_at IS NOT NULL
                              AND o.status IN (%s)
                            GROUP BY o.participant_id, o.turn) r
                      JOIN (SELECT n.participant_id, n.turn, MIN(n.stored_at) AS stored_at
                            FROM inbox n WHERE n.kind = 'said'
                            GROUP BY n.participant_id, n.turn) i
                        ON i.participant_id = r.participant_id AND i.turn = r.turn
                      JOIN person q ON q.id = r.participant_id) x
                GROUP BY x.flow ORDER BY x.flow
                """
                    .formatted(words(DeliveryStatus.TAKEN)));
  }

  // --- delivery ---

  private Figure deliveries() {
    return Figure.named("deliveries", Part.DELIVERY, "Messages to participants by status")
        .note("The status is the last one that the provider reported. Long messages have segments.")
        .columns(
            FLOW,
            new Column("channel", "Channel", Kind.WORD),
            new Column("status", "Status", Kind.WORD),
            count("messages", "Messages"),
            count("segments", "Segments"))
        .from(
            people()
                + """
                SELECT q.flow, o.channel, o.status, COUNT(*) AS messages, SUM(o.segments) AS segments
                FROM outbox o JOIN person q ON q.id = o.participant_id
                GROUP BY q.flow, o.channel, o.status ORDER BY q.flow, o.channel, o.status
                """);
  }

  private Figure modelUse() {
    return Figure.named("model_use", Part.DELIVERY, "Language models: calls and tokens")
        .note("The model is the one that the server named in its answer.")
        .columns(
            new Column("model", "Model", Kind.NAME),
            count("calls", "Calls"),
            count("input_tokens", "Input tokens"),
            count("output_tokens", "Output tokens"),
            count("not_reported", "Calls without a report of tokens"))
        .from(
            people()
                + """
                SELECT i.model, COUNT(*) AS calls, SUM(i.prompt_tokens) AS input_tokens,
                       SUM(i.completion_tokens) AS output_tokens,
                       SUM(CASE WHEN i.prompt_tokens = 0 THEN 1 ELSE 0 END) AS not_reported
                FROM iteration i JOIN person q ON q.id = i.participant_id
                GROUP BY i.model ORDER BY i.model
                """);
  }

  private Figure costs() {
    return Figure.named("costs", Part.DELIVERY, "Costs")
        .note(
            "Exact: the provider's own amount, or reported tokens at the price of the day."
                + " Estimated: the price of a message from the study's price list, or tokens that"
                + " the server did not report. Unknown: no price is known, so there is no cost.")
        .columns(
            new Column("item", "Model or channel", Kind.NAME),
            new Column("confidence", "Confidence", Kind.WORD),
            count("charges", "Charges"),
            number("cost", "Cost"),
            new Column("currency", "Currency", Kind.NAME))
        .from(
            people()
                + """
                SELECT c.item, c.confidence, COUNT(*) AS charges, CAST(SUM(c.cost) AS numeric(30, 4)) AS cost, c.currency
                FROM charge c JOIN person q ON q.id = c.participant_id
                GROUP BY c.item, c.confidence, c.currency ORDER BY c.item, c.confidence, c.currency
                """);
  }

  // --- deviations ---

  private Figure fidelity() {
    return Figure.named("fidelity", Part.DEVIATIONS, "Plan and what happened, all days")
        .note(
            "Sums of the nightly comparisons of each day with its plan. Each counts the"
                + " participants of that night, so these counts include participants who were"
                + " erased later.")
        .inColumns()
        .columns(
            count("days", "Days compared"),
            count("prompts_planned", "Daily prompts planned"),
            count("prompts_sent", "Daily prompts sent"),
            count("prompts_late", "Sent late"),
            count("prompts_missed", "Missed"),
            count("follow_ups_due", "Reminders and questions due"),
            count("follow_ups_sent", "Reminders and questions sent"),
            count("turns", "Turns in which the coach was to write"),
            count("fallbacks", "of these, without a text of the model"),
            count("texts", "Texts from participants"),
            count("unanswered", "Turns and texts without a reply"),
            count("model_calls", "Model calls"),
            count("other_models", "of these, answered by another model"))
        .from(
            """
            SELECT COUNT(*) AS days, COALESCE(SUM(f.prompts_planned), 0) AS prompts_planned,
                   COALESCE(SUM(f.prompts_sent), 0) AS prompts_sent, COALESCE(SUM(f.prompts_late), 0) AS prompts_late,
                   COALESCE(SUM(f.prompts_missed), 0) AS prompts_missed, COALESCE(SUM(f.follow_ups_due), 0) AS follow_ups_due,
                   COALESCE(SUM(f.follow_ups_sent), 0) AS follow_ups_sent, COALESCE(SUM(f.turns), 0) AS turns,
                   COALESCE(SUM(f.fallbacks), 0) AS fallbacks, COALESCE(SUM(f.texts), 0) AS texts,
                   COALESCE(SUM(f.unanswered), 0) AS unanswered, COALESCE(SUM(f.model_calls), 0) AS model_calls,
                   COALESCE(SUM(f.other_models), 0) AS other_models
            FROM fidelity_day f
            """);
  }

  private Figure deviations() {
    return Figure.named("deviations", Part.DEVIATIONS, "Deviations by kind and state")
        .note(
            "A deviation is one difference between the plan and what happened. Staff explain it, or"
                + " close it, with a note; notes are only counted here.")
        .columns(
            new Column("kind", "Kind", Kind.WORD),
            count("deviations", "Deviations"),
            PARTICIPANTS,
            count("open", "Open"),
            count("explained", "Explained"),
            count("closed", "Closed"),
            count("with_note", "With a note"))
        .from(
            people()
                + """
                SELECT x.kind, COUNT(*) AS deviations, COUNT(DISTINCT x.participant_id) AS participants,
                       SUM(CASE WHEN x.state = 'open' THEN 1 ELSE 0 END) AS open,
                       SUM(CASE WHEN x.state = 'explained' THEN 1 ELSE 0 END) AS explained,
                       SUM(CASE WHEN x.state = 'closed' THEN 1 ELSE 0 END) AS closed,
                       SUM(CASE WHEN x.note IS NOT NULL THEN 1 ELSE 0 END) AS with_note
                FROM deviation x LEFT JOIN person q ON q.id = x.participant_id
                WHERE x.participant_id IS NULL OR q.id IS NOT NULL
                GROUP BY x.kind ORDER BY x.kind
                """);
  }

  private Figure deviationsByWeek() {
    return Figure.named("deviations_by_week", Part.DEVIATIONS, "Deviations by study week")
        .note(
            "Study week 1 begins with the day of enrolment. A change of a prompt file concerns the"
                + " study and has no study week.")
        .columns(
            new Column("kind", "Kind", Kind.WORD),
            STUDY_WEEK,
            count("deviations", "Deviations"),
            PARTICIPANTS)
        .from(
            people()
                + """
                SELECT w.kind, w.study_week, COUNT(*) AS deviations, COUNT(DISTINCT w.participant_id) AS participants
                FROM (SELECT x.kind, x.participant_id,
                             CASE WHEN q.id IS NOT NULL THEN %s END AS study_week
                      FROM deviation x LEFT JOIN person q ON q.id = x.participant_id
                      WHERE x.participant_id IS NULL OR q.id IS NOT NULL) w
                GROUP BY w.kind, w.study_week ORDER BY w.kind, w.study_week
                """
                    .formatted(studyWeek("x.local_date")));
  }

  private Figure turnOutcomes() {
    return Figure.named("turn_outcomes", Part.DEVIATIONS, "How the turns of the coach ended")
        .note(
            "“Model failed”, “other model”, “refused”, “content filtered”, “gated”, “no text”, “no"
                + " context” and “crashed” are turns without the model's words: the participant got"
                + " the flow's own text, or none.")
        .columns(
            new Column("outcome", "Outcome of the turn", Kind.WORD),
            count("turns", "Turns"),
            PARTICIPANTS)
        .from(
            people()
                + """
                SELECT t.outcome, COUNT(*) AS turns, COUNT(DISTINCT t.participant_id) AS participants
                FROM turn t JOIN person q ON q.id = t.participant_id
                WHERE t.outcome IS NOT NULL
                GROUP BY t.outcome ORDER BY t.outcome
                """);
  }

  private Figure events() {
    return Figure.named("intercurrent_events", Part.DEVIATIONS, "Intercurrent events")
        .note(
            "Takeover: staff wrote instead of the coach. Safety pause: coaching was paused by a"
                + " crisis. Opt-out and opt-in: a text such as STOP or START. Time zone: the"
                + " participant's time zone changed. Debug: debug messages were on for the"
                + " participant.")
        .columns(new Column("kind", "Kind", Kind.WORD), count("events", "Events"), PARTICIPANTS)
        .from(
            people()
                + """
                SELECT e.kind, COUNT(*) AS events, COUNT(DISTINCT e.participant_id) AS participants
                FROM (%s) e JOIN person q ON q.id = e.participant_id
                GROUP BY e.kind ORDER BY e.kind
                """
                    .formatted(EVENTS));
  }

  private Figure eventsByWeek() {
    return Figure.named(
            "intercurrent_events_by_week", Part.DEVIATIONS, "Intercurrent events by study week")
        .note("By the day on which an event began.")
        .columns(
            new Column("kind", "Kind", Kind.WORD),
            STUDY_WEEK,
            count("events", "Events"),
            PARTICIPANTS)
        .from(
            people()
                + """
                SELECT w.kind, w.study_week, COUNT(*) AS events, COUNT(DISTINCT w.participant_id) AS participants
                FROM (SELECT e.kind, e.participant_id,
                             %s AS study_week
                      FROM (%s) e JOIN person q ON q.id = e.participant_id) w
                GROUP BY w.kind, w.study_week ORDER BY w.kind, w.study_week
                """
                    .formatted(studyWeek(date("e.began_at", "q.timezone")), EVENTS));
  }

  private Figure incidents() {
    return Figure.named("safety_incidents", Part.DEVIATIONS, "Safety incidents")
        .note(
            "Opened by rules that look at every text, by a second opinion or by the coach. What"
                + " happened in each is in the study's safety record and not in this bundle.")
        .columns(
            new Column("level", "Level", Kind.WORD),
            new Column("kind", "Kind", Kind.WORD),
            count("incidents", "Incidents"),
            PARTICIPANTS,
            count("released", "Released by staff"))
        .from(
            people()
                + """
                SELECT i.level, i.kind, COUNT(*) AS incidents, COUNT(DISTINCT i.participant_id) AS participants,
                       SUM(CASE WHEN i.status = 'released' THEN 1 ELSE 0 END) AS released
                FROM incident i JOIN person q ON q.id = i.participant_id
                GROUP BY i.level, i.kind ORDER BY i.level, i.kind
                """);
  }

  // --- configuration ---

  private Figure configuration() {
    return Figure.named(
            "configuration_versions", Part.CONFIGURATION, "Versions of the configuration")
        .note(
            "A version is the program, the settings, the flows, the words and the prompt files in"
                + " force from one moment to the next. Times are UTC.")
        .columns(
            new Column("version", "Version", Kind.COUNT),
            new Column("reason", "Begun by", Kind.WORD),
            new Column("began_at", "In force from", Kind.NAME),
            new Column("ended_at", "until", Kind.NAME),
            count("turns", "Turns"),
            PARTICIPANTS)
        .from(
            people()
                + """
                SELECT v.number AS version, v.reason, %s AS began_at, %s AS ended_at,
                       COALESCE(t.turns, 0) AS turns, COALESCE(t.participants, 0) AS participants
                FROM configuration_version v
                LEFT JOIN configuration_version n ON n.number = v.number + 1
                LEFT JOIN (SELECT t.configuration, COUNT(*) AS turns, COUNT(DISTINCT t.participant_id) AS participants
                           FROM turn t JOIN person q ON q.id = t.participant_id
                           GROUP BY t.configuration) t ON t.configuration = v.number
                ORDER BY v.number
                """
                    .formatted(minute("v.began_at"), minute("n.began_at")));
  }

  // --- parts of queries ---

  private static final String CONSENT =
      """
      CASE WHEN p.consent IN ('given', 'elsewhere') THEN 'given'
                     WHEN p.consent IN ('declined', 'not_eligible') THEN 'declined'
                     ELSE 'waiting' END\
      """;

  private static final String EVENTS =
      """
      SELECT 'takeover' AS kind, w.participant_id, w.created_at AS began_at FROM wakeup w WHERE w.kind = 'hand_back'
      UNION ALL SELECT 'time_zone', z.participant_id, z.changed_at FROM zone_change z
      UNION ALL SELECT 'flow', f.participant_id, f.changed_at FROM flow_change f
      UNION ALL SELECT 'debug', d.participant_id, d.started_at FROM debug_interval d
      UNION ALL SELECT 'safety_pause', i.participant_id, i.opened_at FROM incident i WHERE i.level = 'crisis'
      UNION ALL SELECT CASE n.wish WHEN 'start' THEN 'opt_in' ELSE 'opt_out' END, n.participant_id, n.received_at
                FROM inbox n WHERE n.wish IN ('stop', 'revoke', 'start')\
      """;

  /** Begins a query: the participants who count, with their first day and their consent. */
  private String people() {
    return """
    WITH person AS (
      SELECT p.id, p.flow, %s AS timezone, p.enrolled_at,
             %s AS first_date,
             %s AS consent
      FROM participant p WHERE p.erasing = 'no' AND p.contact = FALSE)
    """
        .formatted(zone, date("p.enrolled_at", zone), asksForConsent ? CONSENT : "'given'");
  }

  /** Returns the participant's time zone, or what the database knows in its place. */
  private static String zone(Map<String, String> zones) {
    if (zones.isEmpty()) {
      return "p.timezone";
    }
    var cases = new StringBuilder("(CASE p.timezone");
    zones.forEach((zone, instead) ->
        cases.append(" WHEN ").append(quoted(zone)).append(" THEN ").append(quoted(instead)));
    return cases.append(" ELSE p.timezone END)").toString();
  }

  /** Counts daily prompts of an alias by what became of them. */
  private static String prompts(String alias) {
    return """
    COUNT(*) AS planned,
                         COALESCE(SUM(CASE WHEN #.status = 'sent' THEN 1 ELSE 0 END), 0) AS sent,
                         COALESCE(SUM(CASE WHEN #.status IN ('missed', 'refused') THEN 1 ELSE 0 END), 0) AS missed,
                         COALESCE(SUM(CASE WHEN #.status = 'sent' AND #.responded_at IS NOT NULL THEN 1 ELSE 0 END), 0)
                           AS answered,
                         COALESCE(SUM(CASE WHEN #.status = 'sent' AND #.outcome = 'done' THEN 1 ELSE 0 END), 0) AS done\
    """
        .replace("#", alias);
  }

  /** Returns the local date of an instant. A cast to a date would use the session's time zone. */
  private static String date(String instant, String zone) {
    return "SUBSTRING(CAST(" + instant + " AT TIME ZONE " + zone + " AS varchar) FROM 1 FOR 10)";
  }

  private static String minute(String instant) {
    return "SUBSTRING(CAST(" + instant + " AT TIME ZONE 'UTC' AS varchar) FROM 1 FOR 16)";
  }

  private static String studyDay(String date) {
    return studyDay(date, "q.first_date");
  }

  /** Returns a study day. The difference of two dates has another type on each database. */
  private static String studyDay(String date, String first) {
    return "CAST((EXTRACT(EPOCH FROM CAST("
        + date
        + " AS date)) - EXTRACT(EPOCH FROM CAST("
        + first
        + " AS date))) / 86400 AS integer) + 1";
  }

  private static String studyWeek(String date) {
    return "CAST(FLOOR((" + studyDay(date) + " - 1) / 7.0) AS integer) + 1";
  }

  private static String ratio(String part, String whole) {
    return "ROUND(CAST(" + part + " AS numeric(20, 6)) / NULLIF(" + whole + ", 0), 3)";
  }

  private static String words(Collection<DeliveryStatus> statuses) {
    return statuses.stream()
        .map(status -> quoted(status.word()))
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /** Returns a text as an SQL literal. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static Column count(String name, String label) {
    return new Column(name, label, Kind.COUNT);
  }

  /** Returns a column with a count by consent, or with the words that consent is not asked. */
  private Column consent(String name, String label) {
    return new Column(name, label, asksForConsent ? Kind.COUNT : Kind.NAME);
  }

  /** Returns an expression with what a column of {@link #consent} holds. */
  private String withConsent(String alias, String consent) {
    return asksForConsent
        ? "COALESCE(SUM(CASE WHEN %s.consent = '%s' THEN 1 ELSE 0 END), 0)"
            .formatted(alias, consent)
        : "'not asked'";
  }

  private static Column share(String name, String label) {
    return new Column(name, label, Kind.SHARE);
  }

  private static Column number(String name, String label) {
    return new Column(name, label, Kind.NUMBER);
  }

  private static Column decimal(String name, String label) {
    return new Column(name, label, Kind.DECIMAL);
  }
}
