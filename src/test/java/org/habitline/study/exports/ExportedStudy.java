package org.habitline.study.exports;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;
import org.apache.commons.csv.CSVFormat;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.Participants;

/** A data package that a line exported, to be read again. */
public record ExportedStudy(Path zip) {

  /** Two people and what the export must and must not show of them. */
  public record People(Participant robin, Participant sam) {}

  public static ExportedStudy of(RunningLine line, ExportScope scope, boolean spreadsheet) {
    var file = line.home().resolve("study-" + scope.word() + "-" + System.nanoTime() + ".zip");
    line.bean(StudyExports.class)
        .write(file, new StudyExports.Wanted(scope, spreadsheet, "a test", "admin"));
    return new ExportedStudy(file);
  }

  /** Fills a line that was started: two participants, a contact, and somebody in a crisis. */
  public static People fill(RunningLine line) {
    var robin = line.enrol(ChannelKind.SIMULATOR, "Robin Example");
    line.awaitTurn(robin, 1);
    line.awaitRest(robin);
    line.fake().forget();
    line.fake()
        .then(
            Scripted.call(
                "save_user_profile",
                "{\"prompt_anchor\":\"after coffee\",\"preferred_time\":\"9:30\"}"),
            Scripted.say("=1+1, Robin, \"well done\"\nGo on."));
    line.answered(
        robin,
        "=cmd I am Robin, call (206) 555-0100 or write to robin@example.org, www.example.org/me");
    var sam = line.greeted();
    line.fake().then(Scripted.say("Good."));
    line.answered(sam, "Grüße, 你好");
    var rows = Rows.of(line);
    rows.prompt(
        new Rows.Prompt(
            robin.id(),
            "2026-11-22",
            "sent",
            Instant.parse("2026-11-22T07:15:00Z"),
            null,
            Instant.parse("2026-11-22T07:16:00Z"),
            Instant.parse("2026-11-22T08:00:00Z"),
            true));
    rows.prompt(
        new Rows.Prompt(
            robin.id(),
            "2026-11-23",
            "missed",
            Instant.parse("2026-11-23T07:15:00Z"),
            "the line was down",
            null,
            null,
            false));
    rows.write(
        "INSERT INTO deviation (dedup_key, participant_id, kind, local_date, reason, state,"
            + " found_at) VALUES ('a silence', ?, 'silent_participant', '2026-11-24', 'last text"
            + " 2026-11-21', 'open', ?)",
        robin.id(),
        Instant.parse("2026-11-25T03:05:00Z"));
    rows.write(
        "INSERT INTO deviation (dedup_key, kind, local_date, reason, state, found_at)"
            + " VALUES ('an edit', 'prompt_file_changed', '2026-11-24', 'prompts/main.txt', 'open', ?)",
        Instant.parse("2026-11-25T03:05:00Z"));
    var participants = line.bean(Participants.class);
    participants.update(robin.id(), ParticipantChange.ofZone(ZoneId.of("America/New_York")));
    participants.update(robin.id(), ParticipantChange.ofZone(robin.zone()));
    rows.write(
        "INSERT INTO outcome_change (participant_id, local_date, slot, new_outcome, recorded_by,"
            + " staff_name, note, recorded_at) VALUES (?, '2026-11-22', 1, 'done', 'staff', 'Kim',"
            + " 'by phone', ?)",
        robin.id(),
        Instant.parse("2026-11-22T09:00:00Z"));
    rows.write(
        "INSERT INTO debug_interval (participant_id, started_at, until_at, started_by)"
            + " VALUES ('all', ?, ?, 'Kim'), (?, ?, ?, 'Kim')",
        Instant.parse("2026-11-22T09:00:00Z"),
        Instant.parse("2026-11-22T10:00:00Z"),
        robin.id(),
        Instant.parse("2026-11-22T09:00:00Z"),
        Instant.parse("2026-11-22T10:00:00Z"));
    rows.write(
        "INSERT INTO message (id, participant_id, role, content, channel, turn,"
            + " author, created_at, incident_id) VALUES ('msg_crisis', ?, 'user', 'words of a"
            + " crisis', 'simulator', 2, 'participant', ?, 'inc_1')",
        sam.id(),
        Instant.parse("2026-11-22T09:00:00Z"));
    rows.write(
        "INSERT INTO outbox (id, participant_id, turn, message_id, kind, channel, body, status, open, attempts, planned_at, said_at, expires_at)"
            + " VALUES ('dlv_crisis', ?, 2, 'msg_crisis', 'crisis', 'simulator', 'words of a crisis', 'delivered', FALSE, 1, ?, ?, ?)",
        sam.id(),
        Instant.parse("2026-11-22T09:00:00Z"),
        Instant.parse("2026-11-22T09:00:00Z"),
        Instant.parse("2026-11-23T09:00:00Z"));
    rows.write(
        "INSERT INTO charge (id, participant_id, turn, iteration, child, outbox_id, kind, item, confidence, at)"
            + " SELECT 'chg_crisis', participant_id, turn, number, child, 'dlv_crisis', 'message', 'simulator', 'exact', started_at"
            + " FROM iteration WHERE participant_id = ? AND turn = 2",
        sam.id());
    return new People(robin, sam);
  }

  List<Map<String, String>> table(String name) {
    try (var file = new ZipFile(zip.toFile());
        var in = file.getInputStream(file.getEntry(name + ".csv"));
        var text = new InputStreamReader(in, StandardCharsets.UTF_8);
        var csv =
            CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get().parse(text)) {
      return csv.stream().map(record -> record.toMap()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> values(String table, String column) {
    return table(table).stream().map(row -> row.get(column)).toList();
  }

  JsonNode codebook() {
    try (var file = new ZipFile(zip.toFile());
        var in = file.getInputStream(file.getEntry("datapackage.json"))) {
      return new JsonMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything in the zip as one text. */
  String text() {
    try (var file = new ZipFile(zip.toFile())) {
      var all = new StringBuilder();
      for (var entry : file.stream().toList()) {
        all.append(new String(file.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
      }
      return all.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Unpacks the zip and returns its folder. */
  Path unpacked() {
    try (var file = new ZipFile(zip.toFile())) {
      var folder = Files.createDirectory(zip.resolveSibling(zip.getFileName() + ".unpacked"));
      for (var entry : file.stream().toList()) {
        Files.copy(file.getInputStream(entry), folder.resolve(entry.getName()));
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
