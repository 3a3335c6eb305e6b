package org.habitline.study.exports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.habitline.RunningLine;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participants;
import org.habitline.storage.Snapshots;
import org.habitline.study.Retention;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The exported study, compared with the rows of the database and with what it must not tell. */
@Tag("database")
final class DataPackageTest {

  /** Columns of exported tables that are in no export, and why. */
  private static final Map<String, String> NOT_EXPORTED =
      Map.ofEntries(
          Map.entry("participant.seq", "the order of enrolment"),
          Map.entry("participant.address_id", "an internal key"),
          Map.entry("participant.zone_assumed", "how the zone was found"),
          Map.entry("participant.erasing", "such participants are left out"),
          Map.entry("participant.created_at", "as enrolled_at but for contacts"),
          Map.entry("participant.updated_at", "internal"),
          Map.entry("participant.enrolled_on", "as enrolled_at"),
          Map.entry("participant.contact", "contacts are left out"),
          Map.entry("participant.consent_min_age", "a step of the dialogue"),
          Map.entry("participant.consent_unclear", "a step of the dialogue"),
          Map.entry("participant.next_timezone", "a plan, no event"),
          Map.entry("participant.next_timezone_from", "a plan, no event"),
          Map.entry("turn.pinned", "holds ids; replay reads it"),
          Map.entry("turn.begun_at", "system time; started_at is study time"),
          Map.entry("iteration.messages", "words; replay reads them"),
          Map.entry("iteration.answer", "words; replay reads them"),
          Map.entry("iteration.request", "words; replay reads them"),
          Map.entry("iteration.metadata", "hashes and ids; the API shows it"),
          Map.entry("iteration.tool_calls", "its items are the rows of tool_calls"),
          Map.entry("audit_event.study_at", "as done_at, in study time"),
          Map.entry("staff_note.id", "an internal key"),
          Map.entry("occurrence.schedule_id", "an internal key"),
          Map.entry("occurrence.wall_time", "as due_at in the zone"),
          Map.entry("occurrence.prompted_at", "as sent_at, before the provider accepted it"),
          Map.entry("occurrence.pending", "what happens next"),
          Map.entry("occurrence.reminder_due_at", "a plan, no event"),
          Map.entry("occurrence.question_open", "what happens next"),
          Map.entry("occurrence.coding_token", "the order in which staff code; an internal key"),
          Map.entry("outcome_code.last_message_id", "an internal key"),
          Map.entry("outbox.id", "an internal key"),
          Map.entry("outbox.body", "as the message; other texts are fixed"),
          Map.entry("outbox.open", "follows from the status"),
          Map.entry("outbox.clear_due", "what happens next"),
          Map.entry("outbox.not_before", "a plan, no event"),
          Map.entry("outbox.planned_at", "system time; said_at is study time"),
          Map.entry("outbox.sending_at", "system time"),
          Map.entry("outbox.unknown_since", "system time"),
          Map.entry("outbox.ended_at", "system time"),
          Map.entry("outbox.attempted_at", "system time"),
          Map.entry("outbox.progress", "follows from the status"),
          Map.entry("outbox.place", "the order of the queue"),
          Map.entry("outbox.retry_of", "an internal key"),
          Map.entry("outbox.bulk", "the order of the queue"),
          Map.entry("outbox.expires_at", "a plan, no event"),
          Map.entry("outbox.template", "parameters are words"),
          Map.entry("outbox.buttons", "words"),
          Map.entry("outbox.outside_window", "how it was sent"),
          Map.entry("outbox.ask_at", "a plan, no event"),
          Map.entry("outbox.template_id", "the provider's id"),
          Map.entry("outbox.withheld", "a sentence; the status says it"),
          Map.entry("outbox.sent_from", "a phone number"),
          Map.entry("outbox.failure_code", "the provider's words"));

  /** The tables whose columns are exported or listed above, by the alias in their query. */
  private static final Map<String, String> SOURCES =
      Map.ofEntries(
          Map.entry("participants", "participant"),
          Map.entry("messages", "message"),
          Map.entry("turns", "turn"),
          Map.entry("model_calls", "iteration"),
          Map.entry("occurrences", "occurrence"),
          Map.entry("deliveries", "outbox"),
          Map.entry("outcomes", "outcome_change"),
          Map.entry("outcome_codes", "outcome_code"),
          Map.entry("profile_changes", "profile_change"),
          Map.entry("staff_actions", "audit_event"),
          Map.entry("staff_notes", "staff_note"),
          Map.entry("decisions", "decision"));

  private static final Set<String> EVERYWHERE = Set.of("participant_id", "seq");

  private static RunningLine line;
  private static ExportedStudy.People people;

  @BeforeAll
  static void fill() {
    line = RunningLine.in(DataPackageTest.class).start();
    people = ExportedStudy.fill(line);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static long count(String sql) {
    return Long.parseLong(String.valueOf(line.rows(sql).getFirst().get("n")));
  }

  @Test
  void countsAreThoseOfTheDatabaseAndForeignKeysHold() {
    var study = ExportedStudy.of(line, ExportScope.DEIDENTIFIED, false);
    assertThat(study.table("participants"))
        .hasSize((int) count("SELECT COUNT(*) AS n FROM participant"));
    assertThat(study.table("messages"))
        .hasSize((int) count("SELECT COUNT(*) AS n FROM message WHERE incident_id IS NULL"))
        .hasSizeGreaterThan(4);
    assertThat(study.table("turns")).hasSize((int) count("SELECT COUNT(*) AS n FROM turn"));
    assertThat(study.table("occurrences")).hasSize(2);
    assertThat(study.values("occurrences", "study_day")).containsExactly("2", "3");
    assertThat(study.values("occurrences", "due_minute")).containsExactly("495", "495");
    assertThat(study.values("occurrences", "outcome")).containsExactly("done", "");
    assertThat(study.values("occurrences", "outcome_missing"))
        .containsExactly("", "not_applicable");
    assertThat(study.table("deliveries")).isNotEmpty();
    assertThat(study.values("tool_calls", "tool")).containsExactly("save_user_profile");
    assertThat(study.values("tool_calls", "succeeded")).containsExactly("true");
    assertThat(study.values("tool_calls", "asked_day")).doesNotContain("");
    assertThat(study.values("intercurrent_events", "kind"))
        .containsExactlyInAnyOrder("debug", "zone_change", "zone_change");
    assertThat(study.values("intercurrent_events", "began_day")).doesNotContain("");
    assertThat(study.values("deviations", "kind"))
        .containsExactly("silent_participant", "prompt_file_changed");
    assertThat(study.table("deviations").getLast())
        .as("it is about the study")
        .containsEntry("participant", "")
        .containsEntry("study_day", "")
        .containsEntry("deviation", "study-1");
    assertThat(study.table("arms")).isEmpty();
    assertThat(study.table("decisions")).isEmpty();
    for (var table : ExportCatalogue.tables(ExportScope.DEIDENTIFIED)) {
      for (var reference : table.references()) {
        var keys = new HashSet<>(study.values(reference.table(), reference.key()));
        assertThat(study.values(table.name(), reference.column()))
            .as(table.name() + "." + reference.column())
            .allMatch(value -> value.isEmpty() || keys.contains(value));
      }
      if (!table.key().isEmpty()) {
        assertThat(study.values(table.name(), table.key())).doesNotHaveDuplicates();
      }
    }
    assertThat(study.values("messages", "turn")).doesNotContain("");
  }

  @Test
  void whatBelongsToASafetyIncidentIsLeftOutOfThatParticipantOnly() {
    var study = ExportedStudy.of(line, ExportScope.IDENTIFIED, false);
    var turn =
        study.table("participants").stream()
                .filter(row -> people.sam().id().equals(row.get("habitline_id")))
                .map(row -> row.get("participant"))
                .findFirst()
                .orElseThrow()
            + "-2";
    assertThat(count("SELECT COUNT(*) AS n FROM charge WHERE id = 'chg_crisis'")).isEqualTo(1);
    assertThat(study.values("turns", "turn")).contains(turn);
    assertThat(study.values("model_calls", "turn"))
        .doesNotContain(turn)
        .hasSize(
            (int)
                count(
                    "SELECT COUNT(*) AS n FROM iteration x WHERE NOT EXISTS (SELECT 1 AS found FROM message m"
                        + " WHERE m.participant_id = x.participant_id AND m.turn = x.turn AND m.incident_id IS NOT NULL)"));
    assertThat(study.values("deliveries", "kind"))
        .doesNotContain("crisis")
        .hasSize((int) count("SELECT COUNT(*) AS n FROM outbox WHERE id <> 'dlv_crisis'"));
    assertThat(study.table("costs"))
        .hasSize((int) count("SELECT COUNT(*) AS n FROM charge"))
        .filteredOn(row -> "".equals(row.get("model_call")) && "".equals(row.get("delivery")))
        .hasSize(2);
  }

  @Test
  void theDefaultScopeNamesNobodyNoDateAndNoWords() {
    var study = ExportedStudy.of(line, ExportScope.DEIDENTIFIED, false);
    assertThat(study.text())
        .doesNotContain(
            "Robin", people.robin().id(), people.sam().id(), people.robin().phone().e164())
        .doesNotContain(
            "2026-11",
            "Berlin",
            "New_York",
            "main.txt",
            "after coffee",
            "Grüße",
            "Kim",
            "by phone",
            "crisis\n");
    assertThat(study.codebook().at("/warnings").toString())
        .contains("participants.flow: only 2 with the value habit.");
    assertThat(study.values("participants", "participant"))
        .isEqualTo(study.values("participants", "participant").stream().sorted().toList())
        .isEqualTo(
            ExportedStudy.of(line, ExportScope.TEXTS, false).values("participants", "participant"));
  }

  @Test
  void textsAreMaskedAndIdentifiedOnesAreNot() {
    var masked = ExportedStudy.of(line, ExportScope.TEXTS, false);
    assertThat(masked.values("messages", "text"))
        .contains(
            "=cmd I am [name], call [number] or write to [e-mail], [link]",
            "=1+1, [name], \"well done\"\nGo on.",
            "Grüße, 你好")
        .doesNotContain("words of a crisis");
    assertThat(masked.text()).doesNotContain("Robin", people.robin().id(), "2026-11", "Kim");
    var plain = ExportedStudy.of(line, ExportScope.IDENTIFIED, false);
    assertThat(plain.values("messages", "text"))
        .contains(
            "=cmd I am Robin, call (206) 555-0100 or write to robin@example.org, www.example.org/me")
        .doesNotContain("words of a crisis");
    assertThat(plain.values("linkage", "phone_number"))
        .containsExactlyInAnyOrder(people.robin().phone().e164(), people.sam().phone().e164());
    assertThat(plain.values("participants", "habitline_id"))
        .containsExactlyInAnyOrder(people.robin().id(), people.sam().id());
    assertThat(masked.codebook().toString()).doesNotContain("linkage");
    assertThat(plain.values("intercurrent_events", "time_zone"))
        .contains("America/New_York", people.robin().zone().getId());
  }

  @Test
  void clearedToolCallsStayAsRowsWithoutTheirWords() {
    try (var other =
        RunningLine.in(DataPackageTest.class).study("retention: {transcripts: 1}\n").start()) {
      ExportedStudy.fill(other);
      var before = ExportedStudy.of(other, ExportScope.IDENTIFIED, false).table("tool_calls");
      assertThat(before).hasSize(1);
      assertThat(before.getFirst().get("arguments")).contains("after coffee");
      assertThat(before.getFirst()).containsEntry("arguments_missing", "");
      other.study().advance(Duration.ofDays(40));
      other.system().advance(Duration.ofDays(40));
      other.bean(Retention.class).apply();
      var after = ExportedStudy.of(other, ExportScope.IDENTIFIED, false);
      assertThat(after.table("tool_calls")).hasSize(1);
      assertThat(after.table("tool_calls").getFirst())
          .containsEntry("tool_call", before.getFirst().get("tool_call"))
          .containsEntry("tool", "save_user_profile")
          .containsEntry("succeeded", "true")
          .containsEntry("asked_at", before.getFirst().get("asked_at"))
          .containsEntry("arguments", "")
          .containsEntry("arguments_missing", "cleared")
          .containsEntry("result", "")
          .containsEntry("result_missing", "cleared");
      assertThat(after.values("messages", "text_missing")).contains("cleared");
    }
  }

  @Test
  void onlyTheSpreadsheetOptionAltersValues() {
    assertThat(ExportedStudy.of(line, ExportScope.TEXTS, true).values("messages", "text"))
        .contains("'=1+1, [name], \"well done\"\nGo on.", "Grüße, 你好");
  }

  @Test
  void theCodebookDescribesEveryColumn() {
    for (var scope : ExportScope.values()) {
      var study = ExportedStudy.of(line, scope, false);
      for (var resource : study.codebook().path("resources")) {
        var fields = resource.at("/schema/fields");
        assertThat(fields.findValuesAsText("description")).hasSize(fields.size());
        var named = fields.findValuesAsText("name");
        assertThat(named).doesNotHaveDuplicates();
        assertThat(resource.at("/schema/missingValues/0").asText("none")).isEmpty();
        var rows = study.table(resource.path("name").asText());
        assertThat(rows).allMatch(row -> row.keySet().equals(new HashSet<>(named)));
        for (var field : fields) {
          var words =
              StreamSupport.stream(field.at("/constraints/enum").spliterator(), false)
                  .map(word -> word.asText())
                  .collect(Collectors.toSet());
          if (!words.isEmpty()) {
            assertThat(rows.stream().map(row -> row.get(field.path("name").asText())))
                .as(resource.path("name") + "." + field.path("name"))
                .allMatch(value -> value.isEmpty() || words.contains(value));
          }
        }
      }
    }
  }

  @Test
  void everyColumnOfAnExportedTableIsExportedOrLeftOutForAReason() {
    var undecided = new TreeSet<String>();
    for (var table : ExportCatalogue.tables()) {
      var source = SOURCES.get(table.name());
      if (source != null) {
        var query = table.query(ExportScope.IDENTIFIED);
        for (var column :
            line.column(
                "SELECT DISTINCT column_name FROM information_schema.columns WHERE table_name = ?",
                source)) {
          if (!EVERYWHERE.contains(column)
              && !NOT_EXPORTED.containsKey(source + "." + column)
              && !query.matches("(?s).*\\b\\w\\." + column + "\\b.*")) {
            undecided.add(source + "." + column);
          }
        }
      }
    }
    assertThat(undecided)
        .as("export a new column with ExportCatalogue, or say here why it is in no export")
        .isEmpty();
  }

  @Test
  void duckDbReadsTheTables() throws SQLException {
    var folder = ExportedStudy.of(line, ExportScope.TEXTS, false).unpacked();
    try (var duck = DriverManager.getConnection("jdbc:duckdb:");
        var statement = duck.createStatement();
        var found =
            statement.executeQuery(
                "SELECT o.study_day, COUNT(*) AS prompts, COUNT(*) FILTER (WHERE o.outcome = 'done') AS done"
                    + " FROM read_csv('"
                    + folder.resolve("occurrences.csv")
                    + "', header = true) o JOIN read_csv('"
                    + folder.resolve("participants.csv")
                    + "', header = true) p USING (participant) WHERE o.status = 'sent' GROUP BY ALL")) {
      assertThat(found.next()).isTrue();
      assertThat(found.getInt("study_day")).isEqualTo(2);
      assertThat(found.getInt("prompts")).isEqualTo(1);
      assertThat(found.getInt("done")).isEqualTo(1);
      assertThat(found.next()).isFalse();
    }
    try (var duck = DriverManager.getConnection("jdbc:duckdb:");
        var statement = duck.createStatement();
        var found =
            statement.executeQuery(
                "SELECT COUNT(*) FROM read_csv('"
                    + folder.resolve("messages.csv")
                    + "', header = true)")) {
      assertThat(found.next()).isTrue();
      assertThat(found.getLong(1))
          .isEqualTo(count("SELECT COUNT(*) AS n FROM message WHERE incident_id IS NULL"));
    }
  }

  @Test
  void aFullDiskGivesASentenceAndLeavesNoFile() throws IOException {
    var full =
        new OutputStream() {
          private long written;

          @Override
          public void write(int one) throws IOException {
            if (++written > 1000) {
              throw new IOException("No space left on device");
            }
          }
        };
    assertThatThrownBy(() ->
            line.bean(Snapshots.class)
                .readSideBySide(snapshot -> {
                  try {
                    return new DataPackage(
                            ExportScope.DEIDENTIFIED, false, Instant.EPOCH, (tables, rows) -> {})
                        .write(snapshot, full);
                  } catch (IOException e) {
                    throw new StudyExports.Failed(ExportFailure.of(e, line.home()), e);
                  }
                }))
        .hasMessageStartingWith("The disk is full.");
    var nowhere = line.home().resolve("no").resolve("study.zip");
    assertThatThrownBy(() ->
            line.bean(StudyExports.class)
                .write(
                    nowhere,
                    new StudyExports.Wanted(ExportScope.DEIDENTIFIED, false, "a test", "admin")))
        .hasMessageContaining("cannot be written");
    assertThat(nowhere).doesNotExist();
    var file = ExportedStudy.of(line, ExportScope.DEIDENTIFIED, false).zip();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(unfinished(line.home())).isEmpty();
  }

  private static List<Path> unfinished(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".unfinished")).toList();
    }
  }

  @Test
  void ofAnErasedParticipantOnlyTheDaysInTheStudyAreLeft() {
    try (var other = RunningLine.in(DataPackageTest.class).start()) {
      var gone = other.greeted();
      var stays = other.greeted();
      var word =
          ExportedStudy.of(other, ExportScope.IDENTIFIED, false).table("participants").stream()
              .filter(row -> gone.id().equals(row.get("habitline_id")))
              .findFirst()
              .orElseThrow()
              .get("participant");
      other.bean(Participants.class).optOut(gone.id(), OptOutSource.KEYWORD);
      other.bean(Participants.class).leave(gone.id(), false);
      var study = ExportedStudy.of(other, ExportScope.IDENTIFIED, false);
      assertThat(study.values("participants", "status")).containsExactly("active", "erased");
      assertThat(study.table("participants").getLast())
          .containsEntry("study_day", "1")
          .containsEntry("language_missing", "erased")
          .containsEntry("habitline_id", "");
      assertThat(study.text()).doesNotContain(word, gone.id()).contains(stays.id());
    }
  }
}
