package org.habitline.staff.study;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.study.fidelity.Fidelity;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deviations over the REST API, on their page and as files. */
final class FidelityRestTest {

  private static final String DEVIATIONS = "/study/deviations";
  private static final String PAGE = "/study/monitoring";

  private static RestLine line;
  private static Rows rows;
  private static String robin;
  private static String yesterday;

  @BeforeAll
  static void start() {
    line = RestLine.start(FidelityRestTest.class);
    rows = Rows.of(line);
    robin = line.enrolled().path("id").asText();
    yesterday = line.bean(Fidelity.class).yesterday().toString();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /** Two daily prompts of yesterday and the day before were missed. */
  @BeforeEach
  void missTwo() {
    rows.write("DELETE FROM deviation");
    rows.write("DELETE FROM occurrence");
    var last = line.bean(Fidelity.class).yesterday();
    for (var date : List.of(last, last.minusDays(1))) {
      rows.prompt(
          new Rows.Prompt(
              robin,
              date.toString(),
              "missed",
              Instant.EPOCH,
              "the \"line\", it was closed",
              null,
              null,
              false));
    }
    line.bean(Fidelity.class).lookNow();
  }

  private static JsonNode deviations(String query) {
    var answer = line.get(DEVIATIONS + query);
    assertThat(answer.status()).isEqualTo(200);
    return answer.result();
  }

  private static RestLine.Answer decide(long seq, String state, String note) {
    return line.send(
        "POST", DEVIATIONS + "/" + seq, RestLine.write(Map.of("state", state, "note", note)));
  }

  @Test
  void deviationsAreListedByDayKindAndState() {
    assertThat(deviations("")).hasSize(2);
    assertThat(deviations("?kind=prompt_missed&state=open")).hasSize(2);
    assertThat(deviations("?kind=fallback")).isEmpty();
    assertThat(deviations("?state=closed")).isEmpty();
    var one = deviations("?from=" + yesterday);
    assertThat(one).hasSize(1);
    assertThat(one.get(0).path("participant_id").asText()).isEqualTo(robin);
    assertThat(one.get(0).path("local_date").asText()).isEqualTo(yesterday);
    assertThat(one.get(0).path("reason").asText()).isEqualTo("the \"line\", it was closed");

    var first = line.get(DEVIATIONS + "?limit=1");
    var next = first.body().path("next_cursor").asText();
    assertThat(deviations("?limit=1&cursor=" + next).get(0).path("seq").asLong())
        .isLessThan(first.result().get(0).path("seq").asLong());
    for (var wrong : List.of("kind=late", "state=lost", "from=yesterday", "limit=0")) {
      assertThat(line.get(DEVIATIONS + "?" + wrong).status()).as(wrong).isEqualTo(400);
    }
  }

  @Test
  void eachDayHasItsCounts() {
    var days = line.get("/study/fidelity?from=" + yesterday).result();
    assertThat(days).hasSize(1);
    assertThat(days.get(0).path("prompts_planned").asLong()).isEqualTo(1);
    assertThat(days.get(0).path("prompts_missed").asLong()).isEqualTo(1);
    assertThat(line.get("/study/fidelity?from=2026-02-30").status()).isEqualTo(400);
  }

  @Test
  void staffExplainOrCloseADeviationOnce() {
    var seq = deviations("").get(0).path("seq").asLong();
    assertThat(decide(seq, "open", "x").message()).startsWith("state:");
    assertThat(decide(seq, "explained", " ").message()).startsWith("note:");
    assertThat(decide(seq, "explained", "x".repeat(1001)).status()).isEqualTo(400);
    assertThat(decide(Long.MAX_VALUE, "closed", "x").status()).isEqualTo(404);
    var explained = decide(seq, "explained", "A power cut at Robin's home.");
    assertThat(explained.status()).isEqualTo(200);
    assertThat(explained.result().path("state").asText()).isEqualTo("explained");
    assertThat(explained.result().path("note").asText()).contains("power cut");
    assertThat(decide(seq, "closed", "again").status()).isEqualTo(409);
    assertThat(
            line.rows(
                "SELECT * FROM audit_event WHERE action = 'deviation explained' AND participant_id = ?"
                    + " AND reason IS NULL",
                robin))
        .isNotEmpty();

    line.bean(Fidelity.class).lookNow();
    assertThat(deviations("?state=explained")).hasSize(1);
    var researcher = line.key("Researcher " + seq, "researcher");
    assertThat(line.sendAs(researcher, "GET", DEVIATIONS, "").status()).isEqualTo(200);
    assertThat(line.sendAs(researcher, "POST", DEVIATIONS + "/" + seq, "{}").status())
        .isEqualTo(403);
  }

  @Test
  void thePageShowsTheDaysAndTakesTheForm() {
    var seq =
        StreamSupport.stream(deviations("?from=" + yesterday).spliterator(), false)
            .mapToLong(it -> it.path("seq").asLong())
            .max()
            .orElseThrow();
    assertThat(line.get("/").response().body())
        .contains("deviations from the plan yesterday", PAGE + "?state=open");
    assertThat(line.get("/study").response().body()).contains("href=\"" + PAGE + "\"");
    assertThat(line.get(PAGE).response().body())
        .contains("Daily prompt missed", robin, "0 of 1", "1 of 1", "Explain or close deviation");
    assertThat(line.get(PAGE + "?kind=late").status()).isEqualTo(400);
    assertThat(line.get(PAGE + "?kind=fallback").response().body()).contains("No deviations match");

    var form = PAGE + "/deviations/" + seq;
    var refused = form(form, "state=closed&note=+&from=&to=&kind=&listed=");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.response().body()).contains("id=\"complaint\"", "Note: missing");
    assertThat(form(form, "state=closed&note=Seen&from=&to=&kind=&listed=").status())
        .isEqualTo(303);
    assertThat(deviations("?state=closed")).hasSize(1);
    assertThat(line.get(PAGE).response().body()).contains("Seen");
    assertThat(form(PAGE + "/check", "x=1").status()).isEqualTo(303);
  }

  @Test
  void uncheckedDaysAreShownAsUnknownAndCanBeChecked() {
    var last = line.bean(Fidelity.class).yesterday();
    var range = "from=" + last.minusDays(9) + "&to=" + last.minusDays(2);
    var empty = line.get(PAGE + "?" + range).response().body();
    assertThat(empty)
        .contains("There is nothing to check on these days.")
        .doesNotContain("No deviations match", "check-all");
    rows.write(
        "UPDATE participant SET enrolled_at = ? WHERE id = ?",
        last.minusDays(5).atTime(12, 0).toInstant(ZoneOffset.UTC),
        robin);
    assertThat(line.get(PAGE + "?" + range).response().body())
        .contains("None of these 4 days was checked,", "Check these 4 days now");
    assertThat(form(PAGE + "/check", "days=unchecked&" + range).status()).isEqualTo(303);
    assertThat(line.get(PAGE + "?" + range).response().body())
        .doesNotContain("not checked", "check-all");
    assertThat(line.get(PAGE + "?kind=late").response().body())
        .contains("There is no such kind of deviation. Choose one from the list.")
        .doesNotContain("prompt_missed,");
    rows.write("DELETE FROM fidelity_day");
    line.bean(Fidelity.class).lookNow();
    assertThat(line.get(PAGE).response().body())
        .contains("4 days were not checked, so their deviations are unknown.");
    rows.write("UPDATE participant SET enrolled_at = ? WHERE id = ?", Instant.now(), robin);
  }

  private static RestLine.Answer form(String path, String body) {
    return line.post(
        path, "application/x-www-form-urlencoded", body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void bothTablesAreFiles() {
    var days = line.get(PAGE + "/days.csv?from=" + yesterday).response();
    assertThat(days.headers().firstValue("Content-Type").orElse("")).startsWith("text/csv");
    assertThat(days.body().lines().toList())
        .hasSize(2)
        .first()
        .asString()
        .startsWith("date,prompts_planned,prompts_sent");
    assertThat(days.body()).contains(yesterday + ",1,0,0,1,");
    var list = line.get(PAGE + "/deviations.csv?state=open").response().body();
    assertThat(list.lines()).hasSize(3);
    assertThat(list)
        .contains(",prompt_missed," + yesterday + ",1,,\"the \"\"line\"\", it was closed\",open,");
    assertThat(line.get(PAGE + "/days.csv?from=x").status()).isEqualTo(400);
  }
}
