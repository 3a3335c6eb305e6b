package org.habitline.study.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.commons.csv.CSVFormat;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.conversation.configuration.FileInForce;
import org.habitline.storage.Database;
import org.habitline.storage.Snapshots;
import org.habitline.study.exports.ExportScope;
import org.habitline.study.exports.ExportedStudy;
import org.jsoup.nodes.Document;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bundle of a study with two people, read as a reviewer would, on both databases. */
@Tag("database")
final class PublicationBundleTest {

  private static final Pattern OUTSIDE = Pattern.compile("(?:https?:)?//|url\\((?!#)");

  private static RunningLine line;
  private static ExportedStudy.People people;
  private static Path bundle;

  @BeforeAll
  static void write() {
    line = RunningLine.in(PublicationBundleTest.class).start();
    people = ExportedStudy.fill(line);
    Rows.of(line).write("INSERT INTO erased_count (id, study_day) VALUES ('gone_1', 12)");
    Rows.of(line)
        .write(
            "INSERT INTO deviation (dedup_key, kind, local_date, reason, state, note, found_at,"
                + " decided_at, decided_by) VALUES ('a file', 'prompt_file_changed', '2026-11-24',"
                + " 'coach.txt', 'explained', 'Kim edited it', ?, ?, 'Kim')",
            Instant.parse("2026-11-25T03:05:00Z"),
            Instant.parse("2026-11-25T09:05:00Z"));
    bundle = write("report", Optional.empty());
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static Path write(String name, Optional<Path> rehearsal) {
    var folder = line.home().resolve(name);
    line.bean(PublicationBundle.class)
        .write(new PublicationBundle.Wanted(folder, rehearsal, "a test", "admin"));
    return folder;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (var all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static List<Path> pages(Path folder) throws IOException {
    return files(folder).stream().filter(file -> file.toString().endsWith(".html")).toList();
  }

  private static Document page(Path file) throws IOException {
    return Parser.htmlParser().parseInput(Files.readString(file), "");
  }

  private static List<Map<String, String>> numbers(String figure) throws IOException {
    try (var csv =
        CSVFormat.RFC4180
            .builder()
            .setHeader()
            .setSkipHeaderRecord(true)
            .get()
            .parse(
                new StringReader(
                    Files.readString(bundle.resolve("numbers").resolve(figure + ".csv"))))) {
      return csv.stream().map(record -> record.toMap()).toList();
    }
  }

  private static String count(String sql) {
    return String.valueOf(line.rows(sql).getFirst().get("n"));
  }

  @Test
  void numbersAreThoseOfTheDatabaseAndThePageShowsThem() throws IOException {
    assertThat(numbers("study").getFirst())
        .containsEntry("enrolled", "3")
        .containsEntry("erased", "1")
        .containsEntry(
            "counted", count("SELECT COUNT(*) AS n FROM participant WHERE contact = FALSE"))
        .containsEntry("consent_given", "not asked");
    assertThat(numbers("participants_by_flow"))
        .singleElement()
        .satisfies(flow ->
            assertThat(flow)
                .containsEntry("flow", people.robin().flow())
                .containsEntry("active", "2")
                .containsEntry("prompted", "1")
                .containsEntry("replied", "2"));
    assertThat(numbers("totals").getFirst())
        .containsEntry("planned", "2")
        .containsEntry("sent", "1")
        .containsEntry("missed", "1")
        .containsEntry("answered_share", "1")
        .containsEntry(
            "texts", count("SELECT COUNT(*) AS n FROM message WHERE author = 'participant'"))
        .containsEntry(
            "messages", count("SELECT COUNT(*) AS n FROM outbox WHERE provider_id IS NOT NULL"));
    assertThat(numbers("adherence_by_study_day"))
        .extracting(
            row -> row.get("study_day") + ": " + row.get("sent") + " of " + row.get("planned"))
        .containsExactly("2: 1 of 1", "3: 0 of 1");
    assertThat(numbers("drop_out")).as("no day was silent_after_days ago").isEmpty();
    assertThat(numbers("answer_time").getFirst()).containsEntry("median_minutes", "44");
    assertThat(numbers("deviations"))
        .extracting(
            row -> row.get("kind") + " " + row.get("explained") + " " + row.get("with_note"))
        .containsExactly("prompt_file_changed 1 1", "silent_participant 0 0");
    assertThat(numbers("deviations_by_week"))
        .extracting(row -> row.get("kind") + " " + row.get("study_week"))
        .containsExactly("prompt_file_changed ", "silent_participant 1");
    assertThat(numbers("intercurrent_events").getFirst())
        .containsEntry("kind", "debug")
        .containsEntry("events", "1");
    assertThat(numbers("model_use").getFirst())
        .containsEntry(
            "calls", count("SELECT COUNT(*) AS n FROM iteration WHERE model IS NOT NULL"));
    var index = page(bundle.resolve("index.html"));
    assertThat(index.select("#figure-1 svg text").eachText())
        .contains("Enrolled (n = 3)", "Erased since, only counted (n = 1)", "Active (n = 2)");
    assertThat(index.select("#totals tr").eachText())
        .contains("Sent 1", "Answered, of those sent 100.0%");
  }

  @Test
  void aStudyDayCountsForDropOutOnceItIsSilentAfterDaysAgo() throws Exception {
    var dropOut =
        new FigureCatalogue(Instant.parse("2026-11-27T08:00:00Z"), "", 3, Map.of())
            .figures().stream()
                .filter(figure -> figure.name().equals("drop_out"))
                .findFirst()
                .orElseThrow();
    var counted = line.bean(Snapshots.class).read(snapshot -> Numbers.read(dropOut, snapshot));
    assertThat(counted.rows())
        .extracting(row -> String.join(" ", row.values().subList(1, 4)))
        .containsExactly("1 2 2", "2 2 1", "3 2 0", "4 2 0");
    // With fewer than 5 participants, no line is drawn.
    var chart = LineChart.of(counted, dropOut.curves().getFirst());
    assertThat(chart.lines()).allSatisfy(drawn -> assertThat(drawn.pieces()).isEmpty());
    assertThat(chart.atRisk().getFirst().numbers()).hasSize(4);
  }

  @Test
  void aTimeZoneThatOnlyTheDatabaseLacksIsCountedAsOneLikeItAndOtherRulesAreWarnedOf()
      throws Exception {
    var id = people.robin().id();
    var before = people.robin().zone().getId();
    Rows.of(line).write("UPDATE participant SET timezone = 'SystemV/AST4' WHERE id = ?", id);
    try {
      var written = write("zones", Optional.empty());
      assertThat(Files.readString(written.resolve("numbers/participants_by_flow.csv")))
          .isEqualTo(Files.readString(bundle.resolve("numbers/participants_by_flow.csv")));
      var inexact = "PostgreSQL does not know the time zone of 1 participant.";
      assertThat(Files.readString(written.resolve("index.html"))).doesNotContain(inexact);
      // Its clock changes are those of no other zone.
      Rows.of(line).write("UPDATE participant SET timezone = 'SystemV/AST4ADT' WHERE id = ?", id);
      assertThat(Files.readString(write("inexact-zones", Optional.empty()).resolve("index.html")))
          .as("a warning, unless the database knows the zone")
          .satisfies(page -> assertThat(page.contains(inexact)).isEqualTo(knowsFewerZones()));
    } finally {
      Rows.of(line).write("UPDATE participant SET timezone = ? WHERE id = ?", before, id);
    }
  }

  /** H2 uses the list of Java. */
  private static boolean knowsFewerZones() throws SQLException {
    return line.bean(Snapshots.class).read(snapshot -> !Database.isFile(snapshot));
  }

  @Test
  void everyNumberHasAQueryThatReturnsItAgain() throws Exception {
    var queries = files(bundle.resolve("queries"));
    assertThat(queries).hasSize(files(bundle.resolve("numbers")).size()).hasSizeGreaterThan(15);
    for (var query : queries) {
      var sql = Files.readString(query).strip().replaceFirst(";$", "");
      var name = query.getFileName().toString().replace(".sql", "");
      var found =
          line.bean(Snapshots.class)
              .read(snapshot -> {
                try (var statement = snapshot.createStatement();
                    var rows = statement.executeQuery(sql)) {
                  var first = new ArrayList<String>();
                  while (rows.next()) {
                    first.add(String.valueOf(rows.getString(1)));
                  }
                  return first;
                }
              });
      assertThat(numbers(name)).as(name).hasSameSizeAs(found);
    }
  }

  @Test
  void pagesAreWellFormedAndSelfContainedAndEveryLinkLeadsIntoTheBundle() throws IOException {
    for (var file : pages(bundle)) {
      var html = Files.readString(file);
      var parser = Parser.htmlParser().setTrackErrors(20);
      var page = parser.parseInput(html, "");
      assertThat(parser.getErrors()).as(file.toString()).isEmpty();
      assertThat(page.select("script, iframe, object, img, link[rel=stylesheet]")).isEmpty();
      assertThat(OUTSIDE.matcher(page.select("style").html()).find()).isFalse();
      assertThat(page.select("[id]").eachAttr("id")).as(file.toString()).doesNotHaveDuplicates();
      for (var href : page.select("a[href]").eachAttr("href")) {
        assertThat(href).doesNotContain("//");
        var parts = href.split("#", 2);
        var target = parts[0].isEmpty() ? file : bundle.resolve(parts[0]);
        assertThat(target).as(href + " in " + file).isRegularFile();
        if (parts.length == 2) {
          assertThat(page(target).getElementById(parts[1])).as(href + " in " + file).isNotNull();
        }
      }
    }
  }

  @Test
  void nobodyIsNamedAndNobodysWordsAreThere() throws IOException {
    // Gives everybody a pseudonym.
    ExportedStudy.of(line, ExportScope.DEIDENTIFIED, false);
    var pseudonyms = line.column("SELECT word FROM pseudonym");
    assertThat(pseudonyms).hasSize(2);
    for (var file : files(bundle)) {
      assertThat(Files.readString(file))
          .as(file.toString())
          .doesNotContain("Robin", people.robin().id(), people.sam().id())
          .doesNotContain(people.robin().phone().e164(), people.sam().phone().e164())
          .doesNotContain("after coffee", "Grüße", "Go on.", "words of a crisis", "by phone")
          .doesNotContain("Kim")
          .doesNotContain(pseudonyms);
    }
  }

  @Test
  void theChecklistsHaveEveryItemAndSayWhatIsLeftToTheAuthors() throws IOException {
    var page = page(bundle.resolve("checklists.html"));
    var items =
        page.select("section").stream().map(list -> list.select("tbody th").eachText()).toList();
    assertThat(items.get(0))
        .hasSize(42)
        .startsWith("1a", "1b", "2")
        .containsSubsequence(
            "21a", "21b", "21c", "21d", "22a", "22b", "23a", "23b", "24a", "24b", "25")
        .endsWith("29", "30");
    assertThat(items.get(1)).hasSize(14).startsWith("1a,b (i)").endsWith("19", "25");
    assertThat(items.get(2)).hasSize(12);
    assertThat(page.text())
        .contains("To be completed by the authors: registry, number with its address, and date")
        .contains("1 of 2 planned daily prompts were sent, 1 answered (100.0%)")
        .doesNotContain("{");
    assertThat(page.select("tbody td:last-child").eachText()).noneMatch(String::isBlank);
  }

  @Test
  void theCodebookIsThatOfTheDeidentifiedExport() throws IOException {
    var page = page(bundle.resolve("codebook.html"));
    assertThat(page.select("h2").eachText())
        .contains("participants", "occurrences", "deviations")
        .doesNotContain("linkage");
    assertThat(page.select("th code").eachText())
        .contains("study_day")
        .doesNotContain("phone_number", "enrolled_at");
  }

  @Test
  void changesOfTheConfigurationAreShownWithoutThePeopleItNames() throws IOException {
    var page = page(bundle.resolve("configuration.html"));
    assertThat(page.select("th code").eachText())
        .contains("OPENAI_MODEL")
        .noneMatch(setting -> setting.startsWith("TWILIO_") || setting.startsWith("DATABASE_"));
    var shown =
        ConfigurationHistory.shown(
            new FileInForce("config/study.yaml", FileInForce.Kind.STUDY, "", 1),
            """
            # Ask Kim
            safety:
              people:
                - {name: Kim, phone: "+12065550100"}
            monitoring:
              silent_after_days: 4  # Kim wanted it
            "contact": {name: Kim}
            contact:
            - name: Kim
            """);
    assertThat(shown)
        .contains("silent_after_days: 4", "safety: # left out")
        .doesNotContain("Kim", "+1206");
    assertThat(
            ConfigurationHistory.shown(
                new FileInForce("config/notes.txt", FileInForce.Kind.STUDY, "", 1), "Kim"))
        .isEmpty();
  }

  @Test
  void theRehearsalIsIncludedAndItsWordsAreEscaped() throws IOException {
    var report = line.home().resolve("rehearsal-of-the-test.json");
    Files.writeString(
        report,
        "{\"flow\": \"habit\", \"participants\": 50, \"turns\": {\"replied\": 7}, \"anomalies\":"
            + " [\"<script>alert(1)</script>\"]}");
    var page = page(write("rehearsed", Optional.of(report)).resolve("rehearsal.html"));
    assertThat(page.select("script")).isEmpty();
    assertThat(page.text()).contains("<script>alert(1)</script>", "participants 50", "replied 7");
    Files.writeString(report, "[]");
    assertThatThrownBy(() -> write("not-written", Optional.of(report)))
        .hasMessageContaining("is not the report of a rehearsal");
    assertThat(line.home().resolve("not-written")).doesNotExist();
  }

  @Test
  void onlyAFreshFolderIsWrittenAndNothingHalfIsLeft() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(bundle)))
        .isEqualTo("rwx------");
    for (var file : files(bundle)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
    }
    assertThatThrownBy(() -> write("report", Optional.empty()))
        .hasMessageContaining("is not empty");
    assertThatThrownBy(() -> write("missing/report", Optional.empty()))
        .hasMessageContaining("cannot be written");
    Files.createDirectory(line.home().resolve("empty"));
    assertThat(write("empty", Optional.empty()).resolve("index.html")).isRegularFile();
    try (var left = Files.list(line.home())) {
      assertThat(left.map(Path::toString)).noneMatch(name -> name.contains(".unfinished-"));
    }
    assertThat(line.column("SELECT action FROM audit_event WHERE actor = 'a test'"))
        .contains("study report made");
  }
}
