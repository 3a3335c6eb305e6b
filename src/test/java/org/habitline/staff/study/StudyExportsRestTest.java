package org.habitline.staff.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Exports of the study over REST: progress, roles, downloads, and what a crash leaves. */
final class StudyExportsRestTest {

  private static final String EXPORTS = "/study/exports";

  private static RestLine shared;

  private RestLine line;

  @BeforeAll
  static void start() {
    shared = RestLine.start(StudyExportsRestTest.class);
    shared.enrolled();
  }

  @AfterAll
  static void stop() {
    shared.close();
  }

  @BeforeEach
  void begin() {
    line = shared;
  }

  private JsonNode finished(String id) {
    await().until(() -> !status(id).equals("running"));
    return line.get(EXPORTS + "/" + id).result();
  }

  private String status(String id) {
    return line.get(EXPORTS + "/" + id).result().path("status").asText();
  }

  private String exported(String body) {
    var started = line.send("POST", EXPORTS, body);
    assertThat(started.status()).as(started.message()).isEqualTo(202);
    var id = started.result().path("id").asText();
    assertThat(started.response().headers().firstValue("Location")).contains(EXPORTS + "/" + id);
    return id;
  }

  private Path folder() {
    return Path.of(
        line.bean(ApplicationContext.class).getRequiredProperty("habitline.home", String.class),
        "exports",
        "study");
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(folder())) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void anExportIsWrittenInTheBackgroundAndADownloadResumes() throws IOException {
    var id = exported("{}");
    var export = finished(id);
    assertThat(export.path("status").asText()).isEqualTo("ready");
    assertThat(export.path("scope").asText()).isEqualTo("deidentified");
    assertThat(export.path("tables_done").asInt()).isEqualTo(export.path("tables").asInt());
    assertThat(export.path("rows").asLong()).isPositive();
    assertThat(files()).filteredOn(file -> file.contains(id)).containsExactly(id + ".zip");
    assertThat(line.get(EXPORTS).result().path(0).path("id").asText()).isEqualTo(id);
    var whole = Files.readAllBytes(folder().resolve(id + ".zip"));
    assertThat(export.path("bytes").asLong()).isEqualTo(whole.length);
    var rest = line.send("GET", EXPORTS + "/" + id + "/file", "", "Range", "bytes=2-3");
    assertThat(rest.status()).isEqualTo(206);
    assertThat(rest.response().body().getBytes(StandardCharsets.ISO_8859_1)).hasSize(2);
    assertThat(rest.response().headers().firstValue("Content-Range"))
        .contains("bytes 2-3/" + whole.length);
    assertThat(line.get(EXPORTS + "/" + id + "/file").status()).isEqualTo(200);
    var audited =
        line.rows("SELECT actor, action, new_value FROM audit_event WHERE subject = ?", id);
    assertThat(audited)
        .extracting(row -> row.get("action"))
        .contains("study exported", "study export downloaded");
    assertThat(audited).extracting(row -> row.get("new_value")).containsOnly("deidentified");
  }

  @Test
  void identifiedExportsAreForAdminsOnly() {
    var researcher = line.key("a researcher", "researcher");
    var refused = line.sendAs(researcher, "POST", EXPORTS, "{\"scope\":\"identified\"}");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.message()).contains("role admin");
    var id = exported("{\"scope\":\"identified\",\"spreadsheet\":true}");
    assertThat(finished(id).path("spreadsheet").asBoolean()).isTrue();
    assertThat(line.sendAs(researcher, "GET", EXPORTS + "/" + id + "/file", "").status())
        .isEqualTo(403);
    assertThat(line.send("POST", EXPORTS, "{\"scope\":\"all\"}").message())
        .isEqualTo("scope: unknown; expected deidentified, texts or identified.");
    assertThat(line.get(EXPORTS + "/exp_none").status()).isEqualTo(404);
  }

  @Test
  void aKeyThatIsLimitedToDeidentifiedDataSeesNoOtherExport() {
    var limited = line.deidentifiedKey("a statistician");
    var texts = exported("{\"scope\":\"texts\"}");
    finished(texts);
    for (var scope : List.of("texts", "identified")) {
      assertThat(line.sendAs(limited, "POST", EXPORTS, "{\"scope\":\"" + scope + "\"}").status())
          .isEqualTo(403);
    }
    for (var path : List.of("/" + texts, "/" + texts + "/file")) {
      var refused = line.sendAs(limited, "GET", EXPORTS + path, "");
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.message()).contains("limited to exports of the scope deidentified");
    }
    var started = line.sendAs(limited, "POST", EXPORTS, "{}");
    assertThat(started.status()).as(started.message()).isEqualTo(202);
    var id = started.result().path("id").asText();
    finished(id);
    var listed = line.sendAs(limited, "GET", EXPORTS, "").result();
    assertThat(listed.findValuesAsText("scope")).containsOnly("deidentified");
    assertThat(listed.path(0).path("id").asText()).isEqualTo(id);
    assertThat(listed.findValue("asked_by")).isNull();
    assertThat(line.sendAs(limited, "GET", EXPORTS + "/" + id + "/file", "").status())
        .isEqualTo(200);
    assertThat(
            line.rows("SELECT DISTINCT role FROM audit_event WHERE subject = ?", id).stream()
                .map(row -> row.get("role")))
        .containsExactly("deidentified");
    assertThat(line.sendAs(limited, "GET", "/conversation/participants", "").message())
        .startsWith("This key is limited to de-identified data");
  }

  @Test
  void whatACrashLeavesIsMarkedAndDeletedAtTheNextStart() throws IOException {
    var before = exported("{}");
    finished(before);
    Rows.of(line)
        .write(
            "INSERT INTO study_export (id, status, scope, spreadsheet, asked_by, asked_at, moved_at, tables_done, rows_done)"
                + " VALUES ('exp_half', 'running', 'texts', FALSE, 'Kim', ?, ?, 3, 100)",
            Instant.parse("2026-01-01T00:00:00Z"),
            Instant.parse("2026-01-01T00:00:00Z"));
    Files.writeString(folder().resolve("exp_half.zip.unfinished"), "half");
    line.restart();
    var half = line.get(EXPORTS + "/exp_half").result();
    assertThat(half.path("status").asText()).isEqualTo("failed");
    assertThat(half.path("failure").asText()).startsWith("The service stopped before");
    assertThat(files()).contains(before + ".zip").noneMatch(file -> file.startsWith("exp_half"));
    assertThat(line.get(EXPORTS + "/exp_half/file").message())
        .isEqualTo("The export failed. Start a new one.");
    var after = exported("{}");
    finished(after);
    assertThat(files()).contains(before + ".zip", after + ".zip");
  }

  @Test
  void anErasureDeletesTheFilesAndSoDoesAWeek() throws IOException {
    var first = exported("{}");
    finished(first);
    Rows.of(line)
        .write(
            "UPDATE study_export SET finished_at = ? WHERE id = ?",
            Instant.parse("2026-01-01T00:00:00Z"),
            first);
    line.restart();
    assertThat(status(first)).isEqualTo("deleted");
    assertThat(files()).noneMatch(file -> file.contains(first));
    var id = exported("{}");
    finished(id);
    var gone = line.enrolled().path("id").asText();
    assertThat(line.send("DELETE", RestLine.PARTICIPANTS + "/" + gone, "").status())
        .isLessThan(300);
    await().until(() -> status(id).equals("deleted"));
    await().untilAsserted(() -> assertThat(files()).isEmpty());
    assertThat(line.get(EXPORTS + "/" + id + "/file").message())
        .isEqualTo("The file of this export was deleted. Start a new export.");
  }

  @Test
  void aFolderThatCannotBeWrittenGivesASentence() throws IOException {
    try (var own = RestLine.start(StudyExportsRestTest.class)) {
      line = own;
      Files.createDirectories(folder().getParent());
      Files.writeString(folder(), "a file where the folder should be");
      var export = finished(exported("{}"));
      assertThat(export.path("status").asText()).isEqualTo("failed");
      assertThat(export.path("failure").asText()).contains("cannot be written");
    }
  }
}
