package org.habitline.staff.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.habitline.RestLine;
import org.habitline.SettableClock;
import org.habitline.TestClocks;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who did what, and who has a number. */
final class AuditRestTest {

  /** An old and a new value on the page. */
  private static final Pattern ENTRY =
      Pattern.compile("<p class=\"said\"><bdi>([^<]*)</bdi> → <bdi>([^<]*)</bdi></p>");

  private static final SettableClock system = SettableClock.running();

  private static RestLine line;

  @BeforeAll
  static void start() {
    line =
        RestLine.start(
            AuditRestTest.class,
            Map.of("habitline.default-region", "US"),
            new TestClocks(SettableClock.running(), system));
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @Test
  void theLogIsReadNewestFirstPageByPageAndNarrowed() {
    var key = line.key("Auditor's script", "staff");
    var robin = line.enrolled().path("id").asText();
    line.sendAs(
        key,
        "PUT",
        RestLine.PARTICIPANTS + "/" + robin,
        "{\"status\":\"paused\",\"name\":\"<b>\"}");

    var page = line.get("/audit?limit=1&participant=" + robin);
    assertThat(page.result()).hasSize(1);
    var newest = page.result().path(0);
    assertThat(newest.path("action").asText()).isEqualTo("participant changed");
    assertThat(newest.path("actor").asText()).isEqualTo("Auditor's script");
    assertThat(newest.path("role").asText()).isEqualTo("staff");
    assertThat(newest.path("old_value").asText()).contains("status: active");
    assertThat(newest.path("new_value").asText()).contains("status: paused");
    var next = page.body().path("next_cursor").asText();
    var older = line.get("/audit?limit=1&participant=" + robin + "&cursor=" + next);
    assertThat(older.result().path(0).path("action").asText()).isEqualTo("participant enrolled");
    assertThat(older.body().has("next_cursor")).isFalse();

    assertThat(line.get("/audit?actor=Auditor%27s+script").result()).hasSize(1);
    assertThat(line.get("/audit?action=key+created").result().findValuesAsText("action"))
        .isNotEmpty()
        .containsOnly("key created");
    assertThat(line.get("/audit?actor=nobody%00").result()).isEmpty();
    assertThat(line.get("/audit?cursor=x").status()).isEqualTo(400);
    assertThat(line.sendAs(key, "GET", "/audit", "").status()).isEqualTo(403);

    var shown = line.get("/system/audit?participant=" + robin).response().body();
    assertThat(shown)
        .contains("participant changed", "&lt;b&gt;", "→")
        .doesNotContain("status: paused");
    assertThat(shown)
        .contains("Status: <bdi>active</bdi> → <bdi>paused</bdi>")
        .doesNotContain("Time zone:", "Consent:");
    var today = LocalDate.now(ZoneOffset.UTC);
    assertThat(
            line.get("/system/audit?participant=%3Cb%3E&from=" + today.minusDays(1))
                .response()
                .body())
        .as("by name")
        .contains("Status: <bdi>active</bdi> → <bdi>paused</bdi>");
    assertThat(line.get("/system/audit?to=2001-01-01").response().body())
        .contains("No entries match");
    var noDay = line.get("/system/audit?from=2026-02-30");
    assertThat(noDay.status()).isEqualTo(400);
    assertThat(noDay.response().body()).contains("2026-02-30 does not exist");
    assertThat(line.get("/system/audit?from=2026-02-03&to=2026-02-02").status()).isEqualTo(400);
    assertThat(line.get("/system/audit?actor=nobody").response().body())
        .contains("No entries match");
    assertThat(line.get("/system/audit?cursor=x").status()).isEqualTo(400);
    assertThat(line.sendAs(key, "GET", "/system/audit", "").status()).isEqualTo(403);
  }

  @Test
  void aWholeStudyIdFindsItsParticipantOnly() {
    var ids = new ArrayList<String>();
    for (var studyId : List.of("AUDIT-1", "AUDIT-12")) {
      var said = RestLine.someone();
      said.put("study_id", studyId);
      ids.add(line.enrol(said).result().path("id").asText());
    }
    assertThat(line.get("/system/audit?participant=AUDIT-1").response().body())
        .contains("/participants/" + ids.getFirst())
        .doesNotContain("/participants/" + ids.getLast());
    assertThat(line.get("/system/audit?participant=AUDIT").response().body())
        .contains("/participants/" + ids.getFirst(), "/participants/" + ids.getLast());
  }

  @Test
  void aValueThatLooksLikeAnotherDetailIsShownAsItIs() {
    var robin = line.enrolled().path("id").asText();
    var path = RestLine.PARTICIPANTS + "/" + robin;
    line.send("PUT", path, "{\"background\":\"tea\"}");
    line.send("PUT", path, "{\"background\":\"tea; status: withdrawn; cake: no\"}");
    assertThat(line.get("/system/audit?participant=" + robin).response().body())
        .contains("Background: <bdi>tea</bdi> → <bdi>tea; status: withdrawn; cake: no</bdi>")
        .doesNotContain("Status:", "Name:");
    assertThat(line.get(path + "/timeline").result().findValuesAsText("sentence"))
        .contains("admin changed background to tea; status: withdrawn; cake: no.");
    line.send("PUT", path, "{\"background\":\"\"}");
    assertThat(line.get(path + "/timeline").result().findValuesAsText("sentence"))
        .contains("admin changed background to empty.");
  }

  private static RestLine.Answer who(String number) {
    return line.get(
        "/participants/by-phone/"
            + URLEncoder.encode(number, StandardCharsets.UTF_8).replace("+", "%20"));
  }

  @Test
  void thePageShowsModulesByTheirTitlesAndTheApiByTheirNames() {
    var robin = line.enrolled().path("id").asText();
    var moved =
        line.send(
            "PUT",
            RestLine.PARTICIPANTS + "/" + robin + "/state",
            "{\"state\":\"FEEDBACK\",\"reason\":\"asked for it\"}");
    assertThat(moved.status()).as(moved.message()).isEqualTo(200);
    assertThat(line.get("/system/audit?participant=" + robin).response().body())
        .contains("moved the participant from module Intake to Feedback")
        .doesNotContain("FEEDBACK");
    assertThat(line.get("/audit?participant=" + robin).response().body()).contains("FEEDBACK");
  }

  @Test
  void anActionThatChangedNothingPeopleReadIsInTheLogWithOneValue() {
    var robin = line.enrolled().path("id").asText();
    var takeover = RestLine.PARTICIPANTS + "/" + robin + "/mute";
    assertThat(line.send("PUT", takeover, "{\"minutes\":60}").status()).isEqualTo(200);
    assertThat(line.send("PUT", takeover, "{\"minutes\":60}").status()).isEqualTo(200);
    line.bean(AuditLog.class)
        .record(
            AuditEntry.of("Mara", "staff", AuditAction.FLAG_CLOSED)
                .to(robin)
                .changed("of a kind", "of a kind"));
    var shown =
        line.get("/system/audit?participant=" + robin).response().body().replaceAll("\\s+", " ");
    assertThat(line.get("/audit?action=coach+muted&participant=" + robin).result()).hasSize(2);
    assertThat(shown)
        .contains(
            "<p class=\"said\"><bdi>of a kind</bdi></p>",
            "<dt>Value</dt><dd><bdi>of a kind</bdi></dd>",
            "<bdi>automatic");
    assertThat(ENTRY.matcher(shown).results().filter(it -> it.group(1).equals(it.group(2))))
        .isEmpty();
  }

  @Test
  void aParticipantIsFoundByTheirNumberInAnyFormAnEnrolmentAccepts() {
    var robin = line.enrol(Map.of("phone_number", "+12065550143")).result().path("id").asText();
    for (var number :
        new String[] {"+12065550143", "206 555 0143", "(206) 555-0143", "+1 206-555-0143"}) {
      assertThat(who(number).result().path("id").asText()).as(number).isEqualTo(robin);
    }
    var kim = line.enrol(Map.of("phone_number", "+4915123456789")).result().path("id").asText();
    assertThat(line.get("/participants/by-phone/+4915123456789").result().path("id").asText())
        .as("with the plus sign as it is")
        .isEqualTo(kim);
    var nobody = who("+12065550199");
    assertThat(nobody.status()).isEqualTo(404);
    assertThat(nobody.message()).contains("no participant with this number");
    assertThat(who("twelve").status()).isEqualTo(400);
    var researcher = line.key("Researcher who looks up", "researcher");
    assertThat(line.sendAs(researcher, "GET", "/participants/by-phone/+12065550143", "").status())
        .isEqualTo(403);
  }

  private static List<String> audited(String filter) {
    var actions = new ArrayList<String>();
    line.get("/audit?limit=200&" + filter)
        .result()
        .forEach(entry ->
            actions.add(
                entry.path("actor").asText()
                    + ": "
                    + entry.path("action").asText()
                    + " "
                    + entry.path("participant_id").asText("-")));
    return actions;
  }

  @Test
  void whoOpensAConversationIsWrittenDownOnceAVisit() {
    var robin = line.enrolled().path("id").asText();
    var reader = line.key("Reader", "staff");
    var rest = RestLine.PARTICIPANTS + "/" + robin;
    for (int i = 0; i < 3; i++) {
      for (var address :
          List.of(
              "/participants/" + robin,
              "/participants/" + robin + "/news",
              "/participants/" + robin + "/simulator/news",
              "/simulator/" + robin + "/texts",
              rest + "/history",
              rest + "/turns",
              rest + "/deliveries",
              rest + "/state",
              rest + "/schedules",
              rest + "/silence",
              rest + "/profile")) {
        assertThat(line.sendAs(reader, "GET", address, "").status()).as(address).isEqualTo(200);
      }
    }
    var read = "Reader: conversation read " + robin;
    assertThat(audited("actor=Reader")).containsExactly(read);
    system.advance(Duration.ofMinutes(20));
    line.sendAs(reader, "GET", rest + "/history", "");
    system.advance(Duration.ofMinutes(20));
    line.sendAs(reader, "GET", rest + "/history", "");
    assertThat(audited("actor=Reader")).containsExactly(read);
    system.advance(Duration.ofMinutes(31));
    line.sendAs(reader, "GET", rest + "/turns/1", "");
    assertThat(audited("actor=Reader")).containsExactly(read, read);
  }

  @Test
  void everyWayToAConversationIsWrittenDown() {
    var robin = line.enrolled().path("id").asText();
    var rest = RestLine.PARTICIPANTS + "/" + robin;
    for (var address :
        List.of(
            "/participants/" + robin,
            "/participants/" + robin + "/news",
            "/participants/" + robin + "/simulator",
            "/participants/" + robin + "/simulator/news",
            "/participants/" + robin + "/turns/1",
            "/simulator/" + robin + "/texts",
            rest + "/history",
            rest + "/state",
            rest + "/turns",
            rest + "/turns/1",
            rest + "/turns/1/messages",
            rest + "/turns/1/iterations/1",
            rest + "/turns/1/iterations/1/messages",
            rest + "/deliveries",
            rest + "/schedules",
            rest + "/silence",
            rest + "/profile")) {
      line.sendAs(line.key("By " + address, "staff"), "GET", address, "");
    }
    assertThat(audited("participant=" + robin + "&action=conversation+read")).hasSize(17);
    line.sendAs(line.key("By responses", "staff"), "GET", "/responses", "");
    assertThat(audited("actor=By+responses")).containsExactly("By responses: responses read -");
  }

  @Test
  void whoReadsTextsOfUnknownSendersIsWrittenDownOnceAVisit() {
    var reader = line.key("Unclaimed reader", "staff");
    for (int i = 0; i < 2; i++) {
      assertThat(line.sendAs(reader, "GET", "/unclaimed", "").status()).isEqualTo(200);
    }
    assertThat(audited("actor=Unclaimed+reader"))
        .containsExactly("Unclaimed reader: unclaimed texts read -");
  }

  @Test
  void aLookUpByNumberIsWrittenDownWithoutTheNumber() {
    var robin = line.enrol(Map.of("phone_number", "+12065550177")).result().path("id").asText();
    var finder = line.key("Finder", "staff");
    for (int i = 0; i < 3; i++) {
      line.sendAs(finder, "GET", "/participants/by-phone/+12065550177", "");
      line.sendAs(finder, "GET", "/participants/by-phone/+12065550178", "");
    }
    assertThat(audited("actor=Finder"))
        .containsExactly("Finder: number looked up -", "Finder: number looked up " + robin);
    var searcher = line.key("Searcher", "researcher");
    line.sendAs(searcher, "GET", RestLine.PARTICIPANTS + "?q=0177", "");
    line.sendAs(searcher, "GET", RestLine.PARTICIPANTS + "?q=Robin", "");
    assertThat(audited("actor=Searcher")).containsExactly("Searcher: number looked up -");
    assertThat(line.get("/audit?limit=200&action=number+looked+up").response().body())
        .doesNotContain("0177", "0178");
  }
}
