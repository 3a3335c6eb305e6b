package org.habitline.staff.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.study.figures.Figures;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Staff code a share of the outcomes, blind to all other codes, and see how far coders agree. */
final class OutcomesPageTest {

  private static final String VERSION = "0123456789ab coder-model";
  private static final Pattern TOKEN = Pattern.compile("name=\"prompt\" value=\"([0-9a-f]{32})\"");
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private static RestLine line;
  private static Rows rows;
  private static String ann;
  private static String ben;
  private LocalDate today;

  @BeforeAll
  static void start() {
    line = RestLine.of(OutcomesPageTest.class, "coding: {share: 1}\n", Map.of());
    rows = Rows.of(line);
    ann = line.key("Ann", "staff");
    ben = line.key("Ben", "staff");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @BeforeEach
  void begin() {
    rows.forgetEverybody();
    rows.write("DELETE FROM outcome_code");
    rows.write("DELETE FROM outcome_change");
    today = line.bean(Figures.class).today();
  }

  private String enrolled() {
    var id = line.enrolled().path("id").asText();
    await()
        .until(() ->
            !line.rows("SELECT id FROM outbox WHERE participant_id = ? AND status = 'accepted'", id)
                .isEmpty());
    return id;
  }

  private String date(int daysAgo) {
    return today.minusDays(daysAgo).toString();
  }

  private Instant morning(int daysAgo) {
    return today.minusDays(daysAgo).atTime(7, 0).toInstant(ZoneOffset.UTC);
  }

  /** A prompt of some days ago, with a text an hour later unless it is {@code null}. */
  private void prompt(String id, int daysAgo, @Nullable String text) {
    var at = morning(daysAgo);
    rows.prompt(
        new Rows.Prompt(
            id,
            date(daysAgo),
            "sent",
            at,
            null,
            at,
            text == null ? null : at.plusSeconds(3600),
            true));
    if (text != null) {
      text(id, at.plusSeconds(3600), text);
    }
  }

  private static void text(String id, Instant at, String text) {
    rows.write(
        "INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)"
            + " VALUES (?, ?, 'user', ?, 'simulator', 1, 'participant', ?)",
        "msg_" + NUMBERS.incrementAndGet(),
        id,
        text,
        at);
  }

  private void code(String id, int daysAgo, String coder, String name, String outcome) {
    rows.write(
        "INSERT INTO outcome_code (participant_id, local_date, slot, coder, coder_version, coded_by, outcome_coded,"
            + " texts, coded_at) VALUES (?, ?, 1, ?, ?, ?, ?, 1, ?)",
        id,
        date(daysAgo),
        coder,
        coder.equals("model") ? name : null,
        coder.equals("staff") ? name : null,
        outcome,
        Instant.EPOCH);
  }

  private static String page(String key, String path) {
    var answer = line.sendAs(key, "GET", path, "");
    assertThat(answer.status()).isEqualTo(200);
    return answer.response().body();
  }

  private static int post(String key, String token, String outcome) {
    return line.postAs(
            key,
            "/study/outcomes/code",
            "application/x-www-form-urlencoded",
            ("prompt=" + token + "&outcome=" + outcome).getBytes(StandardCharsets.UTF_8))
        .status();
  }

  private static String token(String page) {
    var found = TOKEN.matcher(page);
    assertThat(found.find()).as("a prompt to code").isTrue();
    return found.group(1);
  }

  @Test
  void staffCodeOnePromptAfterTheOtherAndSeeOnlyWhatTheCoderSees() {
    var id = enrolled();
    prompt(id, 4, "yes <b>I did</b>");
    prompt(id, 3, "no time");
    prompt(id, 2, null);
    code(id, 4, "model", VERSION, "partly");
    code(id, 4, "staff", "Ben", "unclear");

    assertThat(page(ann, "/study/outcomes/code/last")).contains("You have not coded a prompt yet.");
    var first = page(ann, "/study/outcomes/code");
    assertThat(first)
        .contains("(the daily prompt)", "0 coded; up to 2 left")
        .doesNotContain(id, "Robin Example", VERSION, date(4), date(3), "aria-pressed=\"true\"");
    var second = first.contains("no time") ? "yes &lt;b&gt;I did&lt;/b&gt;" : "no time";
    assertThat(post(ann, token(first), "done")).isEqualTo(303);
    var next = page(ann, "/study/outcomes/code");
    assertThat(next).contains(second, "1 coded; up to 1 left", "Correct the last one");
    assertThat(post(ann, token(next), "not_done")).isEqualTo(303);
    assertThat(page(ann, "/study/outcomes/code"))
        .contains("You have coded all prompts of your share.");

    var last = page(ann, "/study/outcomes/code/last");
    assertThat(last)
        .contains(second)
        .containsPattern("value=\"not_done\"[^>]*aria-pressed=\"true\"");
    assertThat(post(ann, token(last), "partly")).isEqualTo(303);
    assertThat(
            line.rows(
                "SELECT outcome_coded, coder_version FROM outcome_code WHERE coded_by = 'Ann' ORDER BY seq"))
        .extracting(row -> row.get("outcome_coded"), row -> row.get("coder_version"))
        .containsExactly(tuple("done", null), tuple("partly", null));
    assertThat(page(ben, "/study/outcomes/code")).contains("no time", "1 coded; up to 1 left");
    assertThat(
            line.rows(
                "SELECT * FROM audit_event WHERE participant_id = ? AND action = 'outcome coded'",
                id))
        .hasSize(3)
        .allSatisfy(entry -> assertThat(entry).containsEntry("new_value", null));
    assertThat(
            line.rows(
                "SELECT actor FROM audit_event WHERE participant_id = ? AND action = 'conversation read'",
                id))
        .extracting(row -> row.get("actor"))
        .contains("Ann", "Ben");
  }

  @Test
  void whatIsNotToBeCodedIsRefusedInASentence() {
    var id = enrolled();
    prompt(id, 3, "yes");
    var token = token(page(ann, "/study/outcomes/code"));
    assertThat(post(ann, token, "no_answer")).isEqualTo(400);
    assertThat(post(ann, "0".repeat(32), "done")).isEqualTo(404);
    rows.write("UPDATE message SET content = '' WHERE participant_id = ?", id);
    assertThat(post(ann, token, "done")).isEqualTo(404);
    assertThat(page(ann, "/study/outcomes/code"))
        .contains("No prompts of your share can be coded yet.");
    assertThat(line.rows("SELECT * FROM outcome_code")).isEmpty();
    var researcher = line.key("Researcher who codes", "researcher");
    assertThat(line.sendAs(researcher, "GET", "/study/outcomes/code", "").status()).isEqualTo(403);
    assertThat(line.sendAs(researcher, "GET", "/study/outcome-codes", "").status()).isEqualTo(403);
    assertThat(line.sendAs(researcher, "GET", "/study/outcome-agreement", "").status())
        .isEqualTo(200);
  }

  @Test
  void theTableHoldsWhatTheCoachRecordedAndEveryCode() {
    var id = enrolled();
    prompt(id, 4, "yes");
    prompt(id, 3, "no time");
    prompt(id, 2, null);
    rows.write(
        "INSERT INTO outcome_change (participant_id, local_date, slot, new_outcome, recorded_by, recorded_at)"
            + " VALUES (?, ?, 1, 'partly', 'model', ?)",
        id,
        date(4),
        Instant.EPOCH);
    rows.write(
        "INSERT INTO outcome_change (participant_id, local_date, slot, old_outcome, new_outcome, recorded_by,"
            + " recorded_at) VALUES (?, ?, 1, 'partly', 'done', 'staff', ?)",
        id,
        date(4),
        Instant.EPOCH);
    code(id, 4, "model", VERSION, "done");
    code(id, 4, "model", "another version", "unclear");
    code(id, 4, "staff", "Ann", "done");
    code(id, 4, "staff", "Ben", "partly");
    code(id, 2, "model", VERSION, "no_answer");

    var answer = line.sendAs(ann, "GET", "/study/outcome-codes", "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.response().headers().firstValue("Content-Type").orElse(""))
        .startsWith("text/csv");
    assertThat(answer.response().headers().firstValue("Content-Disposition").orElse(""))
        .contains("attachment", "outcome-codes.csv");
    assertThat(answer.response().body().lines())
        .containsExactly(
            "participant_id,date,number,outcome_recorded,outcome_coded,coder_version,staff_codes",
            id + "," + date(4) + ",1,partly,done," + VERSION + ",done: Ann; partly: Ben",
            id + "," + date(4) + ",1,partly,unclear,another version,done: Ann; partly: Ben",
            id + "," + date(3) + ",1,done,,,",
            id + "," + date(2) + ",1,done,no_answer," + VERSION + ",");
    assertThat(line.rows("SELECT actor FROM audit_event WHERE action = 'outcome codes exported'"))
        .extracting(row -> row.get("actor"))
        .contains("Ann");
    var own = line.get(RestLine.PARTICIPANTS + "/" + id + "/export").body();
    assertThat(own.path("outcome_codes").findValuesAsText("outcome_coded"))
        .containsExactly("done", "unclear", "done", "partly", "no_answer");
  }

  @Test
  void agreementIsCountedForEachPairOfCoders() {
    var id = enrolled();
    var coded = List.of("done", "done", "not_done", "unclear", "no_answer");
    for (int i = 0; i < coded.size(); i++) {
      prompt(id, 8 - i, i == 4 ? null : "words " + i);
      code(id, 8 - i, "model", VERSION, coded.get(i));
    }
    code(id, 8, "staff", "Ann", "done");
    code(id, 8, "staff", "Ben", "done");
    code(id, 7, "staff", "Ann", "partly");
    code(id, 6, "staff", "Ben", "not_done");

    var agreement = line.get("/study/outcome-agreement").result();
    var version = agreement.path("versions").path(0);
    assertThat(version.path("coder_version").asText()).isEqualTo(VERSION);
    assertThat(version.path("codes").asInt()).isEqualTo(5);
    assertThat(version.path("without_text").asInt()).isEqualTo(1);
    // Everything is recorded as done.
    var coach = version.path("coach_and_coder");
    assertThat(coach.path("n").asInt()).isEqualTo(4);
    assertThat(coach.path("agreed").asInt()).isEqualTo(2);
    assertThat(coach.path("kappa").asDouble(9)).isZero();
    assertThat(coach.path("table").path(0)).hasToString("[2,0,1,1]");
    var staff = version.path("coder_and_staff");
    assertThat(staff.path("n").asInt()).isEqualTo(4);
    assertThat(staff.path("agreed").asInt()).isEqualTo(3);
    assertThat(staff.path("agreement").asDouble()).isEqualTo(0.75);
    assertThat(staff.path("table").path(0)).hasToString("[2,1,0,0]");
    assertThat(staff.path("kappa_low").asDouble()).isLessThan(staff.path("kappa").asDouble());
    assertThat(agreement.path("staff_and_staff").path("n").asInt()).isEqualTo(1);
    assertThat(agreement.path("staff_and_staff").has("kappa")).isFalse();
    assertThat(page(ann, "/study/outcomes"))
        .contains(VERSION, "3 of 4 agree (75%). Cohen", "Kappa cannot be computed")
        .containsPattern(
            "Daily prompts that were sent at least 24 hours ago and got a reply: [0-9]+. Staff also code 100% of them, chosen at random: [0-9]+ so far[.]")
        .contains("Coded by you: 2. Left to code: at most 2.");
  }
}
