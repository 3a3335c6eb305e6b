package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.habitline.EnumColumns;
import org.habitline.RunningLine;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Columns that hold the word of an enum accept the words of that enum and no others. */
@Tag("database")
final class SchemaTest {

  /** The enum of each column, under {@code org.habitline}; some are closed to this package. */
  private static final Map<String, List<String>> COLUMNS =
      Map.ofEntries(
          Map.entry(
              "participants.ChannelKind",
              List.of(
                  "participant.channel",
                  "sender_alias.channel",
                  "inbox.channel",
                  "unclaimed_text.channel",
                  "outbox.channel",
                  "sender.channel",
                  "message.channel")),
          Map.entry("participants.ConsentState", List.of("participant.consent")),
          Map.entry("participants.ConsentStep", List.of("consent_event.step")),
          Map.entry(
              "participants.OptOutSource",
              List.of("address.opted_out_by", "suppressed_number.opted_out_by")),
          Map.entry("participants.ParticipantStatus", List.of("participant.status")),
          Map.entry("participants.JdbcParticipants$Erasing", List.of("participant.erasing")),
          Map.entry("participants.Erasures$Status", List.of("erasure.status")),
          Map.entry("messaging.inbox.InputKind", List.of("inbox.kind", "turn.kind")),
          Map.entry("messaging.inbox.ConsentKeyword", List.of("inbox.wish", "unclaimed_text.told")),
          Map.entry("messaging.inbox.Unclaimed$Status", List.of("unclaimed_text.status")),
          Map.entry("messaging.OutboundKind", List.of("outbox.kind")),
          Map.entry("messaging.DeliveryStatus", List.of("outbox.status")),
          Map.entry("messaging.outbox.HoldReason", List.of("outbox.hold")),
          Map.entry("messaging.DeliveryFailure", List.of("outbox.failure", "delivery_event.fate")),
          Map.entry(
              "messaging.simulator.JdbcSimulatedFaults$Kind", List.of("simulated_fault.kind")),
          Map.entry("conversation.stored.TurnStatus", List.of("turn.status")),
          Map.entry("conversation.stored.Outcome", List.of("turn.outcome")),
          Map.entry("llm.ModelFailure", List.of("turn.model_failure")),
          Map.entry("conversation.stored.MessageRole", List.of("message.role")),
          Map.entry("conversation.stored.Author", List.of("message.author")),
          Map.entry(
              "conversation.requests.RequestedPrompts$Settled$Status",
              List.of("scripted_text.status")),
          Map.entry("timers.Occurrence$Status", List.of("occurrence.status")),
          Map.entry("timers.FollowUp", List.of("occurrence.follow_up")),
          Map.entry(
              "timers.PromptOutcome",
              List.of(
                  "occurrence.outcome",
                  "outcome_change.old_outcome",
                  "outcome_change.new_outcome")),
          Map.entry("timers.OutcomeEntry$By", List.of("outcome_change.recorded_by")),
          Map.entry("study.coding.Coder", List.of("outcome_code.coder")),
          Map.entry("study.coding.CodedOutcome", List.of("outcome_code.outcome_coded")),
          Map.entry("timers.WakeupKind", List.of("wakeup.kind")),
          Map.entry("timers.Wakeup$Status", List.of("wakeup.status")),
          Map.entry("staff.imports.ImportStatus", List.of("participant_import.status")),
          Map.entry("staff.imports.ImportRowStatus", List.of("participant_import_row.status")),
          Map.entry("staff.bulk.BulkKind", List.of("bulk_action.kind")),
          Map.entry("staff.bulk.BulkStatus", List.of("bulk_action.status")),
          Map.entry("staff.bulk.BulkTargetStatus", List.of("bulk_target.status")),
          Map.entry("staff.bulk.BulkReason", List.of("bulk_target.reason")),
          Map.entry("budgets.Charge$Kind", List.of("charge.kind")),
          Map.entry("budgets.Charge$Confidence", List.of("charge.confidence")),
          Map.entry("protocol.Budgets$Kind", List.of("budget_mark.kind")),
          Map.entry("safety.rules.Level", List.of("incident.level", "second_opinion.level")),
          Map.entry(
              "safety.rules.RiskKind",
              List.of(
                  "incident.kind",
                  "incident.answered_for",
                  "incident_entry.about",
                  "second_opinion.kind")),
          Map.entry("safety.opinions.OpinionStatus", List.of("second_opinion.status")),
          Map.entry("protocol.SecondOpinionPlan$By", List.of("second_opinion.source")),
          Map.entry("conversation.stored.SharedContents$Kind", List.of("shared_content.kind")),
          Map.entry(
              "conversation.configuration.ConfigurationVersions$Reason",
              List.of("configuration_version.reason")),
          Map.entry("study.exports.ExportStatus", List.of("study_export.status")),
          Map.entry("study.exports.ExportFailure", List.of("study_export.failure")),
          Map.entry("study.exports.ExportScope", List.of("study_export.scope")),
          Map.entry("tools.FlagKind", List.of("staff_flag.kind")),
          Map.entry("conversation.flags.FlagStatus", List.of("staff_flag.status")),
          Map.entry("safety.alerts.AlertChannel", List.of("alert.channel")),
          Map.entry("safety.alerts.AlertStatus", List.of("alert.status")),
          Map.entry("safety.alerts.AlertFault", List.of("alert.fault")),
          Map.entry("safety.incidents.IncidentStatus", List.of("incident.status")),
          Map.entry("safety.incidents.IncidentOutcome", List.of("incident.outcome")),
          Map.entry("safety.incidents.EntryKind", List.of("incident_entry.kind")),
          Map.entry("protocol.RetentionPlan$Kind", List.of("retention_run.kind")),
          Map.entry("study.fidelity.DeviationKind", List.of("deviation.kind")),
          Map.entry("study.fidelity.DeviationState", List.of("deviation.state")),
          Map.entry("staff.web.TourStep", List.of("tour.step")),
          Map.entry("ops.access.KeyKind", List.of("api_key.role")),
          Map.entry("ops.access.Role", List.of("session.role")),
          Map.entry("ops.access.AccountRole", List.of("account.role")),
          Map.entry("ops.access.AccountState", List.of("account.state")),
          Map.entry("ops.access.AccountPass", List.of("account_pass.purpose")));

  /** Columns that look like the word of an enum and are none, and what they hold. */
  private static final Map<String, String> NO_ENUM =
      Map.of(
          "inbox.status", "two words that only the queries of the inbox use; checked, but no enum",
          "delivery_event.status", "the provider's word",
          "audit_event.role", "the role of whoever acted, or none",
          "participant_import.role", "the role of whoever started the import",
          "record.kind", "the word of the tool that keeps the record",
          "decision.outcome", "the study's own word for what it measures");

  private static RunningLine line;

  @BeforeAll
  static void build() {
    line = RunningLine.in(SchemaTest.class).build();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static Set<String> words(String name) {
    try {
      return Arrays.stream(Class.forName("org.habitline." + name).getEnumConstants())
          .map(it -> ((Enum<?>) it).name().toLowerCase(Locale.ROOT))
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void everyEnumColumnAcceptsTheWordsOfItsEnumAndNoOthers() {
    var expected = new TreeMap<String, Set<String>>();
    COLUMNS.forEach(
        (name, columns) -> columns.forEach(column -> expected.put(column, words(name))));
    var found = new TreeMap<String, Set<String>>();
    EnumColumns.of(line).forEach((column, words) -> found.put(column, new TreeSet<>(words)));
    found.keySet().removeAll(NO_ENUM.keySet());
    assertThat(found).isEqualTo(expected);
  }

  @Test
  void everyColumnThatLooksLikeAWordOfAnEnumIsChecked() {
    var checked = EnumColumns.of(line).keySet();
    var looks =
        line
            .rows(
                "SELECT table_name, column_name FROM information_schema.columns"
                    + " WHERE table_schema IN (SELECT table_schema FROM information_schema.tables"
                    + " WHERE table_name = 'participant') AND data_type LIKE 'character%'"
                    + " AND column_name IN ('status', 'kind', 'channel', 'role', 'author', 'outcome',"
                    + " 'hold', 'failure', 'fate', 'wish', 'told', 'erasing', 'model_failure')")
            .stream()
            .map(row -> row.get("table_name") + "." + row.get("column_name"))
            .filter(column -> !column.startsWith("qrtz_"))
            .toList();
    assertThat(looks)
        .as("a new column with the word of an enum: add a check in a migration, and its enum here")
        .allMatch(column -> checked.contains(column) || NO_ENUM.containsKey(column));
  }

  @Test
  void aWordThatIsNoneOfTheEnumsIsRefused() {
    var robin = line.enrol(ChannelKind.SIMULATOR);
    assertThatThrownBy(
            () -> line.write("UPDATE participant SET status = 'activ' WHERE id = ?", robin.id()))
        .hasStackTraceContaining("participant_status_known");
  }

  @Test
  void theJobThatQuartzFindsInADatabaseOfAnyVersionKeepsItsName() throws ClassNotFoundException {
    assertThat(Class.forName("org.habitline.timers.quartz.QuartzBells$Look"))
        .isAssignableTo(org.quartz.Job.class);
  }
}
