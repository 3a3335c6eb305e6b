package org.habitline.study.exports;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.habitline.conversation.stored.Author;
import org.habitline.conversation.stored.MessageRole;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.HoldReason;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ConsentState;
import org.habitline.participants.ParticipantStatus;
import org.habitline.timers.FollowUp;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OutcomeEntry;
import org.habitline.timers.PromptOutcome;

/**
 * The tables of the export with their columns. It is an allow-list: what is not named here is in no
 * export, and a column is in the scope {@code deidentified} only if nothing in it can name a
 * person, a date or a place. Messages of safety incidents, and model calls of turns with such
 * messages, are left out of every scope, as they are of a participant's own export.
 */
final class ExportCatalogue {

  private static final String NOT_ASKED = "not_asked";
  private static final String NO_ANSWER = "no_answer";
  private static final String NOT_APPLICABLE = "not_applicable";
  private static final String CLEARED = "cleared";
  private static final String ERASED = "erased";

  private static final String TURN_OF_NO_INCIDENT =
      "x.turn NOT IN (SELECT m.turn FROM message m WHERE m.participant_id = ?"
          + " AND m.incident_id IS NOT NULL)";

  private static final String MESSAGE_OF_NO_INCIDENT =
      "(x.message_id IS NULL OR x.message_id NOT IN (SELECT m.id FROM message m"
          + " WHERE m.participant_id = ? AND m.incident_id IS NOT NULL))";

  private static final String MESSAGES = numbered("message", "x.seq", "x.incident_id IS NULL");
  private static final String OCCURRENCES = numbered("occurrence", "x.local_date, x.slot", "TRUE");
  private static final String DELIVERIES = numbered("outbox", "x.seq", MESSAGE_OF_NO_INCIDENT);

  private static final String WORDS_CLEARED =
      "CASE WHEN x.cleared_at IS NOT NULL THEN '" + CLEARED + "' END";

  private static final String ITS_TURN =
      " LEFT JOIN (SELECT number FROM turn WHERE participant_id = ?) t ON t.number = x.turn";

  private static final List<ExportTable> TABLES =
      List.of(
          participants(),
          arms(),
          turns(),
          messages(),
          decisions(),
          modelCalls(),
          toolCalls(),
          occurrences(),
          deliveries(),
          outcomes(),
          outcomeCodes(),
          profileChanges(),
          stateChanges(),
          staffActions(),
          intercurrentEvents(),
          deviations(),
          costs(),
          configurationVersions(),
          participantFields(),
          staffNotes(),
          participantTags(),
          linkage());

  private ExportCatalogue() {}

  /** Returns the tables, those that others refer to first. */
  static List<ExportTable> tables() {
    return TABLES;
  }

  /** Returns the tables of a scope. */
  static List<ExportTable> tables(ExportScope scope) {
    return TABLES.stream().filter(table -> table.isIn(scope)).toList();
  }

  /**
   * Returns a query for participants without any message of a safety incident: it finds the same
   * rows, but does not read all messages of the participant to look for one.
   */
  static String withoutIncidents(String query) {
    return query.replace(TURN_OF_NO_INCIDENT, "TRUE").replace(MESSAGE_OF_NO_INCIDENT, "TRUE");
  }

  /** Returns a participant's rows {@code x} of a table with their number {@code n} in an order. */
  private static String numbered(String table, String order, String condition) {
    return "(SELECT x.*, ROW_NUMBER() OVER (ORDER BY "
        + order
        + ") AS n FROM "
        + table
        + " x WHERE x.participant_id = ? AND "
        + condition
        + ")";
  }

  private static ExportTable participants() {
    return ExportTable.named(
            "participants",
            "One row for each participant, and one for each who was erased: that row has only how"
                + " many days they had been in the study")
        .from("participant p JOIN address a ON a.id = p.address_id WHERE p.id = ?")
        .described()
        .word(
            "status",
            "p.status",
            "Status now",
            Stream.concat(
                    Arrays.stream(ParticipantStatus.values())
                        .map(status -> status.name().toLowerCase(Locale.ROOT)),
                    Stream.of(ERASED))
                .toArray(String[]::new))
        .today(
            "study_day",
            "Study day when the participant was erased; identified, for the others also the study day"
                + " of the export")
        .day(
            "last_message_day",
            "(SELECT MAX(m.created_at) FROM message m WHERE m.participant_id = p.id)",
            "Study day of the newest message")
        .word("flow", "p.flow", "Flow")
        .words("channel", "p.channel", ChannelKind.class, "Channel")
        .word("language", "p.language", "Language, if one is set")
        .missing(
            "language",
            "CASE WHEN p.language IS NULL THEN '" + NOT_ASKED + "' END",
            NOT_ASKED,
            ERASED)
        .words("consent", "p.consent", ConsentState.class, "State of the consent")
        .moment("consent", "p.consent_at", "When the consent was answered")
        .yes("opted_out", "a.opted_out", "Whether the number is opted out now")
        .moment("opted_out", "a.opted_out_at", "When the number opted out")
        .moment("ended", "p.ended_at", "When the participant completed or was withdrawn")
        .word("habitline_id", "p.id", "The participant's id")
        .only(ExportScope.IDENTIFIED)
        .moment("enrolled", "p.enrolled_at", "When the participant was enrolled")
        .word("time_zone", "p.timezone", "Time zone now")
        .only(ExportScope.IDENTIFIED)
        .text("name", "p.name", "Name")
        .only(ExportScope.IDENTIFIED)
        .text("gender", "p.gender", "Gender, as entered")
        .only(ExportScope.IDENTIFIED)
        .text("ethnicity", "p.ethnicity", "Ethnicity, as entered")
        .only(ExportScope.IDENTIFIED)
        .text("background", "p.background", "Background, as entered")
        .only(ExportScope.IDENTIFIED)
        .word("consent_version", "p.consent_version", "Version of the consent text")
        .only(ExportScope.IDENTIFIED)
        .word("study_id", "p.study_id", "The study's own id of the participant")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable arms() {
    return ExportTable.named("arms", "Arms of the trial; empty if the study has none")
        .from("arm r ORDER BY r.name")
        .word("arm", "r.name", "Name of the arm")
        .required()
        .integer("weight", "r.weight", "", "Weight in the allocation")
        .text("description", "r.description", "What differs in this arm")
        .done();
  }

  private static ExportTable decisions() {
    return ExportTable.named(
            "decisions", "One row for each randomised decision; empty if the study has no factors")
        .from("decision d WHERE d.participant_id = ? ORDER BY d.factor, d.decision_index")
        .participant()
        .word("factor", "d.factor", "Name of the factor")
        .required()
        .integer("decision_index", "d.decision_index", "", "Number of the decision")
        .required()
        .moment("decided", "d.decided_at", "When it was decided")
        .yes("available", "d.available", "Whether the participant was available")
        .word("reason", "d.reason", "Why the participant was not available")
        .word("level", "d.level", "Level that was drawn")
        .yes("treated", "d.treated", "Whether the level is a treatment")
        .number("prob_treated", "d.prob_treated", "probability", "Probability of treatment")
        .word("probabilities", "d.probabilities", "Probability of each level, as JSON")
        .text("rule_inputs", "d.rule_inputs", "What the probability was computed from, as JSON")
        .only(ExportScope.IDENTIFIED)
        .word("rule_version", "d.rule_version", "Version of the rule")
        .word("outcome", "d.outcome", "Proximal outcome")
        .yes("outcome_observed", "d.outcome_observed", "Whether the outcome was observed")
        .done();
  }

  private static ExportTable messages() {
    return ExportTable.named(
            "messages", "The transcript: what participants, the coach and staff wrote")
        .from(MESSAGES + " x" + ITS_TURN + " ORDER BY x.n")
        .participant()
        .key("message", "x.n", "Id of the message")
        .reference("turn", "t.number", "turns", "Turn that the message belongs to")
        .words("role", "x.role", MessageRole.class, "Side of the conversation")
        .words("author", "x.author", Author.class, "Who wrote it")
        .words("channel", "x.channel", ChannelKind.class, "Channel")
        .moment("written", "x.created_at", "When it was stored")
        .integer(
            "characters",
            "CASE WHEN x.cleared_at IS NULL THEN CHAR_LENGTH(x.content) END",
            "characters",
            "Length of the text")
        .missing("characters", WORDS_CLEARED, CLEARED)
        .instant("cleared_at", "x.cleared_at", "When retention removed the text, in UTC")
        .yes("before_consent", "x.before_consent", "Whether it was written before the consent")
        .yes("one_of_many", "x.one_of_many", "Whether staff wrote it to many participants at once")
        .text("text", "x.content", "The text; [number], [e-mail], [link] and [name] are masks")
        .missing("text", WORDS_CLEARED, CLEARED)
        .only(ExportScope.TEXTS)
        .word("author_name", "x.author_name", "Name of the staff member who wrote it")
        .only(ExportScope.IDENTIFIED)
        .word("habitline_id", "x.id", "Id of the message in Habitline")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable turns() {
    return ExportTable.named("turns", "One row for each turn of the conversation")
        .from("turn x WHERE x.participant_id = ? ORDER BY x.number")
        .participant()
        .key("turn", "x.number", "Id of the turn")
        .integer("number", "x.number", "", "Number of the turn")
        .words("kind", "x.kind", InputKind.class, "What started it")
        .words("status", "x.status", TurnStatus.class, "Whether it has ended")
        .words("outcome", "x.outcome", Outcome.class, "How it ended")
        .word("module", "x.module", "Module of the flow")
        .integer("attempts", "x.attempts", "", "How often it was begun")
        .words("model_failure", "x.model_failure", ModelFailure.class, "Why the model failed")
        .integer(
            "configuration_version",
            "x.configuration",
            "",
            "Version of the configuration in force when the turn began")
        .yes("held_by_staff", "x.held_by_staff", "Whether staff had taken over")
        .moment("started", "x.started_at", "When it began")
        .moment("completed", "x.completed_at", "When it ended")
        .text("reason", "x.reason", "Details of the outcome")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable modelCalls() {
    return ExportTable.named("model_calls", "One row for each request to a model")
        .from(
            "iteration x WHERE x.participant_id = ? AND "
                + TURN_OF_NO_INCIDENT
                + " ORDER BY x.turn, x.number, x.child")
        .participant()
        .key("model_call", "CONCAT(x.turn, '-', x.number, '-', x.child)", "Id of the model call")
        .reference("turn", "x.turn", "turns", "Turn that the call belongs to")
        .integer("number", "x.number", "", "Number of the call in the turn")
        .integer("child", "x.child", "", "0, or the number of a call that a tool made")
        .word("model", "x.model", "Model that answered, or that was asked")
        .integer("prompt_tokens", "x.prompt_tokens", "tokens", "Input tokens")
        .integer("completion_tokens", "x.completion_tokens", "tokens", "Output tokens")
        .moment("started", "x.started_at", "When the model was asked")
        .number(
            "seconds",
            "EXTRACT(EPOCH FROM (x.completed_at - x.started_at))",
            "seconds",
            "Time until the call was finished, with its tools")
        .number(
            "model_seconds",
            "x.model_ms / 1000.0",
            "seconds",
            "Time that the model took, with the pauses between attempts")
        .instant("cleared_at", "x.cleared_at", "When retention removed its words, in UTC")
        .word("request_sha256", "x.request_hash", "SHA-256 of the request")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable toolCalls() {
    return ExportTable.named("tool_calls", "One row for each call of a tool by a model")
        .from(
            "iteration x WHERE x.participant_id = ? AND "
                + TURN_OF_NO_INCIDENT
                + " AND x.tool_calls <> '[]' ORDER BY x.turn, x.number, x.child")
        .items("x.tool_calls")
        .participant()
        .key("tool_call", "CONCAT(x.turn, '-', x.number, '-', x.child)", "Id of the tool call")
        .reference(
            "model_call",
            "CONCAT(x.turn, '-', x.number, '-', x.child)",
            "model_calls",
            "Model call that asked for it")
        .item("tool", "name", "Name of the tool")
        .item("source", "source", "Server that runs the tool; empty if it runs here")
        .succeeded("succeeded", "result", "Whether its result says that it succeeded")
        .moment("asked", "x.started_at", "When the model was asked that called it")
        .moment("completed", "x.completed_at", "When the model call was finished, with its tools")
        .item("arguments", "arguments", "Arguments, as JSON")
        .only(ExportScope.IDENTIFIED)
        .missing("arguments", WORDS_CLEARED, CLEARED)
        .only(ExportScope.IDENTIFIED)
        .item("result", "result", "Result")
        .only(ExportScope.IDENTIFIED)
        .missing("result", WORDS_CLEARED, CLEARED)
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable occurrences() {
    return ExportTable.named("occurrences", "One row for each daily prompt that was planned")
        .from(OCCURRENCES + " x" + ITS_TURN + " ORDER BY x.n")
        .participant()
        .key("occurrence", "x.n", "Id of the daily prompt")
        .day("study_day", "x.local_date", "Study day of its local date")
        .required()
        .integer("slot", "x.slot", "", "Number of the prompt on that day")
        .words("status", "x.status", Occurrence.Status.class, "What became of it")
        .moment("due", "x.due_at", "x.zone", "When it was due")
        .moment("sent", "x.sent_at", "x.zone", "When it was sent")
        .moment("reminded", "x.reminded_at", "x.zone", "When the reminder was sent")
        .moment("responded", "x.responded_at", "x.zone", "When the participant answered")
        .moment("asked", "x.asked_at", "x.zone", "When the outcome was asked for")
        .words(
            "outcome",
            "x.outcome",
            PromptOutcome.class,
            "Recorded outcome; outcomes.recorded_by says who recorded it")
        .missing(
            "outcome",
            "CASE WHEN x.outcome IS NOT NULL THEN NULL WHEN x.status NOT IN ('sent', 'prompting') THEN '"
                + NOT_APPLICABLE
                + "' WHEN x.asked_at IS NULL THEN '"
                + NOT_ASKED
                + "' ELSE '"
                + NO_ANSWER
                + "' END",
            NOT_ASKED,
            NO_ANSWER,
            NOT_APPLICABLE)
        .words(
            "follow_up",
            "x.follow_up",
            FollowUp.class,
            "What became of its reminder or later question")
        .reference("turn", "t.number", "turns", "Turn that wrote the prompt")
        .word("time_zone", "x.zone", "Time zone of its local times")
        .only(ExportScope.IDENTIFIED)
        .word("local_date", "x.local_date", "Local date")
        .only(ExportScope.IDENTIFIED)
        .text("reason", "x.reason", "Why it was not sent")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable deliveries() {
    return ExportTable.named("deliveries", "One row for each message that was planned to be sent")
        .from(
            DELIVERIES
                + " x"
                + ITS_TURN
                + " LEFT JOIN "
                + MESSAGES
                + " m ON m.id = x.message_id ORDER BY x.n")
        .participant()
        .key("delivery", "x.n", "Id of the delivery")
        .reference("message", "m.n", "messages", "Message of the transcript, if it is one")
        .reference("turn", "t.number", "turns", "Turn that wrote it")
        .words("kind", "x.kind", OutboundKind.class, "What kind of message it is")
        .words("channel", "x.channel", ChannelKind.class, "Channel")
        .words("status", "x.status", DeliveryStatus.class, "How far it came")
        .words("failure", "x.failure", DeliveryFailure.class, "What its failure means")
        .words("hold", "x.hold", HoldReason.class, "What it waits for")
        .moment("planned", "x.said_at", "When it was planned, in study time")
        .integer("segments", "x.segments", "segments", "Segments that it is charged as")
        .word("encoding", "x.encoding", "Encoding of an SMS")
        .integer("attempts", "x.attempts", "", "How often it was given to its channel")
        .integer("retries", "x.retries", "", "How often it was planned again")
        .number("price", "x.price", "", "Price that the provider named")
        .word("price_unit", "x.price_unit", "Currency of the price")
        .word("template_category", "x.template_category", "Category of its template")
        .word("error_code", "x.error_code", "Error code of the provider")
        .only(ExportScope.IDENTIFIED)
        .word("provider_id", "x.provider_id", "Id of the message at the provider")
        .only(ExportScope.IDENTIFIED)
        .text("reason", "x.reason", "Details of its status")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable outcomes() {
    return ExportTable.named("outcomes", "One row for each recorded outcome of a daily prompt")
        .from(
            "(SELECT y.*, ROW_NUMBER() OVER (ORDER BY y.seq) AS k FROM outcome_change y"
                + " WHERE y.participant_id = ?) c LEFT JOIN "
                + OCCURRENCES
                + " x ON x.local_date = c.local_date AND x.slot = c.slot"
                + " LEFT JOIN (SELECT number FROM turn WHERE participant_id = ?) t ON t.number = c.turn"
                + " ORDER BY c.k")
        .participant()
        .key("outcome_change", "c.k", "Id of the entry")
        .reference("occurrence", "x.n", "occurrences", "Daily prompt that it is about")
        .words("old_outcome", "c.old_outcome", PromptOutcome.class, "Outcome before")
        .words("new_outcome", "c.new_outcome", PromptOutcome.class, "Outcome after")
        .words("recorded_by", "c.recorded_by", OutcomeEntry.By.class, "Who recorded it")
        .reference("turn", "t.number", "turns", "Turn whose texts said it")
        .moment("recorded", "c.recorded_at", "When it was recorded")
        .word("staff_name", "c.staff_name", "Name of the staff member who recorded it")
        .only(ExportScope.IDENTIFIED)
        .text("note", "c.note", "Note")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable outcomeCodes() {
    return ExportTable.named(
            "outcome_codes",
            "One row for each outcome of a daily prompt that was coded from the texts afterwards")
        .from(
            "(SELECT y.*, ROW_NUMBER() OVER (ORDER BY y.seq) AS k FROM outcome_code y"
                + " WHERE y.participant_id = ?) c LEFT JOIN "
                + OCCURRENCES
                + " x ON x.local_date = c.local_date AND x.slot = c.slot ORDER BY c.k")
        .participant()
        .key("outcome_code", "c.k", "Id of the code")
        .reference("occurrence", "x.n", "occurrences", "Daily prompt that it is about")
        .word("coder", "c.coder", "Who coded it", "model", "staff")
        .word(
            "outcome_coded",
            "c.outcome_coded",
            "Outcome that the texts say",
            "done",
            "partly",
            "not_done",
            "unclear",
            "no_answer")
        .integer("texts", "c.texts", "texts", "How many texts were considered")
        .instant("coded_at", "c.coded_at", "When it was coded, in UTC")
        .word("coder_version", "c.coder_version", "Version of the model's coder")
        .word("model", "c.model_returned", "Model that answered, if its server named one")
        .word("coded_by", "c.coded_by", "Name of the staff member who coded it")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable profileChanges() {
    return ExportTable.named(
            "profile_changes", "One row for each change of what the coach knows about someone")
        .from(numbered("profile_change", "x.seq", "TRUE") + " x" + ITS_TURN + " ORDER BY x.n")
        .participant()
        .key("profile_change", "x.n", "Id of the change")
        .reference("turn", "t.number", "turns", "Turn that made it, if staff did not")
        .word(
            "made_by",
            "CASE WHEN x.changed_by IS NULL THEN 'coach' ELSE 'staff' END",
            "Who made it",
            "coach",
            "staff")
        .word("changed_by", "x.changed_by", "Name of the staff member who made it")
        .only(ExportScope.IDENTIFIED)
        .word("field", "x.field", "Field that changed")
        .moment("changed", "x.changed_at", "When it changed")
        .text("old_value", "x.old_value", "Value before")
        .only(ExportScope.IDENTIFIED)
        .text("new_value", "x.new_value", "Value after")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable stateChanges() {
    return ExportTable.named(
            "state_changes",
            "One row for each turn that began in another module than the one before")
        .from(
            "(SELECT y.number, y.module, y.started_at, LAG(y.module) OVER (ORDER BY y.number) AS earlier"
                + " FROM turn y WHERE y.participant_id = ? AND y.module <> '') x"
                + " WHERE x.earlier IS NULL OR x.earlier <> x.module ORDER BY x.number")
        .participant()
        .reference("turn", "x.number", "turns", "First turn in the module")
        .word("old_module", "x.earlier", "Module before")
        .word("new_module", "x.module", "Module from this turn on")
        .moment("changed", "x.started_at", "When the turn began")
        .done();
  }

  private static ExportTable staffActions() {
    return ExportTable.named(
            "staff_actions", "One row for each entry of the audit log about a participant")
        .from(
            numbered(
                    "audit_event",
                    "x.seq",
                    "NOT EXISTS (SELECT 1 AS found FROM incident i WHERE i.id = x.subject)")
                + " x ORDER BY x.n")
        .participant()
        .key("staff_action", "x.n", "Id of the entry")
        .word("action", "x.action", "What was done")
        .word("role", "x.role", "Role of whoever did it")
        .day("done_day", "x.at", "Study day on which it was done")
        .instant("done_at", "x.at", "When it was done, in UTC")
        .word("actor", "x.actor", "Name of whoever did it")
        .only(ExportScope.IDENTIFIED)
        .text("old_value", "x.old_value", "Value before")
        .only(ExportScope.IDENTIFIED)
        .text("new_value", "x.new_value", "Value after")
        .only(ExportScope.IDENTIFIED)
        .text("reason", "x.reason", "Reason that was given")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable intercurrentEvents() {
    return ExportTable.named(
            "intercurrent_events", "What came between a participant and the coach, with its dates")
        .from(
            "(SELECT y.*, ROW_NUMBER() OVER (ORDER BY y.began_at, y.kind) AS n FROM ("
                + "SELECT 'takeover' AS kind, created_at AS began_at, ended_at, NULL AS new_zone, NULL AS new_flow FROM wakeup"
                + " WHERE participant_id = ? AND kind = 'hand_back'"
                + " UNION ALL SELECT 'zone_change', changed_at, NULL, new_zone, NULL FROM zone_change"
                + " WHERE participant_id = ?"
                + " UNION ALL SELECT 'flow_change', changed_at, NULL, NULL, new_flow FROM flow_change"
                + " WHERE participant_id = ?"
                + " UNION ALL SELECT 'debug', started_at, COALESCE(ended_at, until_at), NULL, NULL"
                + " FROM debug_interval WHERE participant_id = ?"
                + " UNION ALL SELECT 'safety_pause', opened_at, released_at, NULL, NULL FROM incident"
                + " WHERE participant_id = ? AND level = 'crisis'"
                + " UNION ALL SELECT CASE wish WHEN 'start' THEN 'opt_in_text' ELSE 'opt_out_text' END,"
                + " received_at, NULL, NULL, NULL FROM inbox"
                + " WHERE participant_id = ? AND wish IN ('stop', 'revoke', 'start')"
                + " UNION ALL SELECT 'opted_out', a.opted_out_at, NULL, NULL, NULL FROM participant p"
                + " JOIN address a ON a.id = p.address_id"
                + " WHERE p.id = ? AND a.opted_out = TRUE) y WHERE y.began_at IS NOT NULL) x ORDER BY x.n")
        .participant()
        .key("event", "x.n", "Id of the event")
        .word(
            "kind",
            "x.kind",
            "takeover: staff wrote instead of the coach; debug: debug messages were on;"
                + " safety_pause: coaching was paused by a crisis; opt_out_text, opt_in_text: a text"
                + " such as STOP or START; opted_out: the number is opted out now; zone_change: the"
                + " time zone changed; flow_change: staff moved them to another flow",
            "takeover",
            "zone_change",
            "flow_change",
            "debug",
            "safety_pause",
            "opt_in_text",
            "opt_out_text",
            "opted_out")
        .moment("began", "x.began_at", "When it began")
        .moment("ended", "x.ended_at", "When it ended; empty while it lasts, and for single events")
        .word("new_flow", "x.new_flow", "Flow from then on, for flow_change")
        .word("time_zone", "x.new_zone", "Time zone from then on, for zone_change")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable deviations() {
    return ExportTable.named(
            "deviations",
            "Differences between what was planned and what happened, for a participant or the study")
        .needs("deviation")
        .from(
            numbered("deviation", "x.seq", "TRUE")
                + " x LEFT JOIN "
                + OCCURRENCES
                + " o ON o.local_date = x.local_date AND o.slot = x.slot ORDER BY x.n")
        .ofStudy(
            "(SELECT y.*, ROW_NUMBER() OVER (ORDER BY y.seq) AS n FROM deviation y"
                + " WHERE y.participant_id IS NULL) x LEFT JOIN (SELECT 1 AS n) o ON o.n < 1"
                + " ORDER BY x.n")
        .participantOrStudy()
        .key("deviation", "x.n", "Id of the deviation")
        .word("kind", "x.kind", "Kind of deviation")
        .day("study_day", "x.local_date", "Study day that it is about")
        .reference("occurrence", "o.n", "occurrences", "Daily prompt that it is about")
        .text("reason", "x.reason", "Cause")
        .only(ExportScope.IDENTIFIED)
        .word("state", "x.state", "What staff made of it", "open", "explained", "closed")
        .instant("found_at", "x.found_at", "When it was found, in UTC")
        .instant("decided_at", "x.decided_at", "When staff explained or closed it, in UTC")
        .word("decided_by", "x.decided_by", "Name of the staff member who did")
        .only(ExportScope.IDENTIFIED)
        .text("note", "x.note", "Note of staff")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable costs() {
    return ExportTable.named("costs", "One row for each charge of a model call or message")
        .needs("charge")
        .from(
            "(SELECT y.*, ROW_NUMBER() OVER (ORDER BY y.at, y.id) AS k FROM charge y"
                + " WHERE y.participant_id = ?) c LEFT JOIN"
                + " (SELECT x.turn, x.number, x.child FROM iteration x WHERE x.participant_id = ? AND "
                + TURN_OF_NO_INCIDENT
                + ") x ON x.turn = c.turn AND x.number = c.iteration AND x.child = c.child LEFT JOIN "
                + DELIVERIES
                + " d ON d.id = c.outbox_id ORDER BY c.k")
        .participant()
        .key("cost_id", "c.k", "Id of the charge")
        .word("kind", "c.kind", "What was charged", "model", "message")
        .reference(
            "model_call",
            "CASE WHEN x.number IS NOT NULL THEN CONCAT(x.turn, '-', x.number, '-', x.child) END",
            "model_calls",
            "Model call that was charged")
        .reference("delivery", "d.n", "deliveries", "Message that was charged")
        .word("item", "c.item", "Model or channel")
        .integer("units_in", "c.units_in", "tokens", "Input tokens")
        .integer("units_cached", "c.units_cached", "tokens", "Input tokens from the cache")
        .integer("units_out", "c.units_out", "tokens", "Output tokens")
        .integer("segments", "c.segments", "segments", "Segments of the message")
        .number("price_in", "c.price_in", "currency per million tokens", "Price of input")
        .number(
            "price_cached",
            "c.price_cached",
            "currency per million tokens",
            "Price of cached input")
        .number("price_out", "c.price_out", "currency per million tokens", "Price of output")
        .number("price_message", "c.price_message", "currency", "Price of a segment or message")
        .number("cost", "c.cost", "currency", "Cost; empty if a price is not known")
        .word("currency", "c.currency", "Currency")
        .word(
            "confidence",
            "c.confidence",
            "How certain the cost is",
            "exact",
            "estimated",
            "unknown")
        .moment("charged", "c.at", "When it was charged")
        .done();
  }

  private static ExportTable configurationVersions() {
    return ExportTable.named(
            "configuration_versions", "Versions of the study's configuration, in their order")
        .needs("configuration_version")
        .from("configuration_version v ORDER BY v.number")
        .integer("version", "v.number", "", "Number of the version")
        .required()
        .word("reason", "v.reason", "Why it was recorded", "start", "prompt_edit")
        .instant("began_at", "v.began_at", "When it came into force, in UTC")
        .word("sha256", "v.sha256", "SHA-256 of the configuration")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable participantFields() {
    return ExportTable.named(
            "participant_fields", "One row for each value of a field that the study defined itself")
        .from("participant_field f WHERE f.participant_id = ? ORDER BY f.name")
        .participant()
        .only(ExportScope.IDENTIFIED)
        .word(
            "field",
            "f.name",
            "Name of the field, from config/study.yaml or as staff added it with an import")
        .only(ExportScope.IDENTIFIED)
        .text("value", "f.field_value", "Value")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable staffNotes() {
    return ExportTable.named("staff_notes", "One row for each note that staff keep about someone")
        .from(numbered("staff_note", "x.seq", "TRUE") + " x ORDER BY x.n")
        .participant()
        .only(ExportScope.IDENTIFIED)
        .key("staff_note", "x.n", "Id of the note")
        .only(ExportScope.IDENTIFIED)
        .word("written_by", "x.written_by", "Name of the staff member who wrote it")
        .only(ExportScope.IDENTIFIED)
        .instant("written_at", "x.written_at", "When it was written, in UTC")
        .only(ExportScope.IDENTIFIED)
        .instant("edited_at", "x.edited_at", "When it was edited last, in UTC")
        .only(ExportScope.IDENTIFIED)
        .word("edited_by", "x.edited_by", "Name of the staff member who edited it last")
        .only(ExportScope.IDENTIFIED)
        .text("text", "x.body", "The note")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable participantTags() {
    return ExportTable.named(
            "participant_tags", "One row for each tag that the team gave a participant")
        .from("participant_tag t WHERE t.participant_id = ? ORDER BY t.tag")
        .participant()
        .only(ExportScope.IDENTIFIED)
        .word("tag", "t.tag", "The tag")
        .only(ExportScope.IDENTIFIED)
        .done();
  }

  private static ExportTable linkage() {
    return ExportTable.named(
            "linkage",
            "Phone numbers. Keep this file apart from the others, or delete it from the package")
        .from("participant p JOIN address a ON a.id = p.address_id WHERE p.id = ?")
        .participant()
        .only(ExportScope.IDENTIFIED)
        .word("phone_number", "a.phone", "Phone number")
        .only(ExportScope.IDENTIFIED)
        .done();
  }
}
